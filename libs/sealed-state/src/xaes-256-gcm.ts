/**
 * XAES-256-GCM (C2SP XAES-256-GCM): AES-256-GCM with a 192-bit nonce, so that replicas may draw nonces at random for
 * ever. A key of its own is derived for every nonce by two CMAC blocks (NIST SP 800-108r1 in counter mode).
 * Trusts its caller for fresh nonces; knows nothing about key ids, purposes or wire formats.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';

export const XAES_KEY_BYTES = 32;
export const XAES_NONCE_BYTES = 24;
export const XAES_TAG_BYTES = 16;

const BLOCK_BYTES = 16;
/** First half of the nonce: goes into the derived key. The second half is the nonce of AES-256-GCM. */
const SALT_BYTES = 12;
/** C2SP: counter (big-endian 1, then 2), the label `X`, and a zero byte; the salt follows. */
const FIRST_BLOCK_HEAD = [0x00, 0x01, 0x58, 0x00];
const SECOND_BLOCK_HEAD = [0x00, 0x02, 0x58, 0x00];

/**
 * A 32-byte key, expanded once. What C2SP computes per message from the key alone (the CMAC subkey K1, the block heads,
 * the AES key schedule) is kept; the key itself is not, and nothing of it shows in logs or JSON.
 */
export class XaesKey {
  readonly #aes: ReturnType<typeof createCipheriv>;
  readonly #mask: Buffer;
  readonly #blocks: Buffer;

  constructor(key: Uint8Array) {
    if (key.length !== XAES_KEY_BYTES) throw new RangeError(`an XAES-256-GCM key has ${XAES_KEY_BYTES} bytes`);
    // ECB chains nothing from block to block, so one cipher serves every message and saves 3 µs each time.
    this.#aes = createCipheriv('aes-256-ecb', createSecretKey(key), null).setAutoPadding(false);
    this.#mask = doubled(this.#aes.update(Buffer.alloc(BLOCK_BYTES)));
    this.#blocks = Buffer.from([
      ...FIRST_BLOCK_HEAD,
      ...Buffer.alloc(SALT_BYTES),
      ...SECOND_BLOCK_HEAD,
      ...Buffer.alloc(SALT_BYTES),
    ]);
    for (let at = 0; at < this.#blocks.length; at++) this.#blocks[at]! ^= this.#mask[at % BLOCK_BYTES]!;
  }

  /** The AES-256-GCM key of this nonce. The caller overwrites it after use. */
  deriveFor(nonce: Uint8Array): Buffer {
    if (nonce.length !== XAES_NONCE_BYTES) throw new RangeError(`an XAES-256-GCM nonce has ${XAES_NONCE_BYTES} bytes`);
    const blocks = this.#blocks;
    for (let at = 0; at < SALT_BYTES; at++) {
      const byte = nonce[at]! ^ this.#mask[at + 4]!;
      blocks[at + 4] = byte;
      blocks[at + BLOCK_BYTES + 4] = byte;
    }
    return this.#aes.update(blocks);
  }
}

/** Encrypts and authenticates. Returns ciphertext and 16-byte tag, joined; a string is taken as UTF-8. */
// eslint-disable-next-line no-restricted-syntax -- the four inputs of an AEAD, in the order of RFC 5116
export function sealXaes(key: XaesKey, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array | string): Buffer {
  const derived = key.deriveFor(nonce);
  const cipher = createCipheriv('aes-256-gcm', derived, nonce.subarray(SALT_BYTES));
  derived.fill(0);
  cipher.setAAD(aad);
  const ciphertext = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  cipher.final();
  return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

/** The plaintext, or undefined when anything differs from what was sealed. Never hands out unauthenticated bytes. */
// eslint-disable-next-line no-restricted-syntax -- the four inputs of an AEAD, in the order of RFC 5116
export function openXaes(key: XaesKey, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  const tagAt = sealed.length - XAES_TAG_BYTES;
  if (tagAt < 0) return undefined;
  const derived = key.deriveFor(nonce);
  // Unless the length is stated, Node takes tags from four bytes on; none gets this far now, and none shall later.
  const decipher = createDecipheriv('aes-256-gcm', derived, nonce.subarray(SALT_BYTES), {
    authTagLength: XAES_TAG_BYTES,
  });
  derived.fill(0);
  decipher.setAAD(aad).setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(0, tagAt));
  try {
    decipher.final();
    return plaintext;
  } catch {
    return undefined;
  }
}

/** Doubling in GF(2^128) as CMAC does it (NIST SP 800-38B): shift left, and fold the lost bit back in as 0x87. */
function doubled(block: Buffer): Buffer {
  const out = Buffer.alloc(BLOCK_BYTES);
  let carry = 0;
  for (let at = BLOCK_BYTES - 1; at >= 0; at--) {
    out[at] = (block[at]! << 1) | carry;
    carry = block[at]! >>> 7;
  }
  out[BLOCK_BYTES - 1]! ^= carry * 0x87;
  return out;
}
