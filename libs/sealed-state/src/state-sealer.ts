/**
 * Seals texts into strings that travel through clients, and opens what comes back. On the wire: `v1.` + base64url(kid 8
 * · nonce 24 · ciphertext · tag 16). Says only whether a string was sealed here, for this purpose, audience and context;
 * what the text claims is for `flow-claims.ts`. Trusts nothing it is asked to open.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { decodeBase64url } from './base64url.js';
import type { KeyRole, Keyset } from './keyset.js';
import { lengthPrefixed } from './length-prefixed.js';
import { NoncePool } from './nonce-pool.js';
import type { Purpose, SealingKey } from './sealing-key.js';
import { openXaes, sealXaes, XAES_NONCE_BYTES, XAES_TAG_BYTES } from './xaes-256-gcm.js';

/** Default for the largest `request-state` that is sealed, in bytes of the finished string. */
export const SEALED_BYTES_DEFAULT = 8 * 1024;
/** Largest `request-state` that any setting allows and that is ever decoded: it rides in every retry's body. */
export const SEALED_BYTES_HARD_MAX = 32 * 1024;

/** Largest sealed string that is decoded, in bytes. Session ids and cursors are short; a result is 256 KiB at most. */
const OPENED_BYTES_MAX: Readonly<Record<Purpose, number>> = {
  'request-state': SEALED_BYTES_HARD_MAX,
  'legacy-session': 4 * 1024,
  'legacy-reference': 4 * 1024,
  // One request body, sealed: what a router passes on to another.
  'router-message': 8 * 1024 * 1024,
  cursor: 4 * 1024,
  'replay-result': 512 * 1024,
  'held-state': 512 * 1024,
};

const PREFIX = 'v1.';
const KID_BYTES = 8;
/** Characters of base64url in which a kid stands whole. */
const KID_CHARS = 11;
const CIPHERTEXT_AT = KID_BYTES + XAES_NONCE_BYTES;
const OVERHEAD_BYTES = CIPHERTEXT_AT + XAES_TAG_BYTES;
/** Shortest `secret` of a tag, in characters: 128 bits as base64url. */
const TAG_SECRET_CHARS_MIN = 22;

/** Characters of the sealed string for a text of so many bytes. */
export function sealedChars(plaintextBytes: number): number {
  return PREFIX.length + Math.ceil(((plaintextBytes + OVERHEAD_BYTES) * 4) / 3);
}

export interface StateSealerOptions {
  /** Asked at every use, so that a reloaded keyset takes effect at once. */
  readonly keyset: () => Keyset;
  /** The canonical resource URI of this gateway: a deployment that shares the keys but not the URI opens nothing. */
  readonly audience: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly randomBytes?: (length: number) => Buffer;
  /** Largest `request-state` to seal, in bytes of the finished string; at most `SEALED_BYTES_HARD_MAX`. */
  readonly sealedBytesMax?: number;
}

export type Opened =
  | {
      readonly ok: true;
      readonly plaintext: string;
      readonly kid: string;
      readonly role: Extract<KeyRole, 'primary' | 'previous' | 'staged'>;
    }
  | { readonly ok: false; readonly reason: Reason };

interface Envelope {
  readonly kid: string;
  readonly nonce: Buffer;
  readonly sealed: Buffer;
}

export class StateSealer {
  readonly #keyset: () => Keyset;
  readonly #audience: string;
  readonly #clock: () => number;
  readonly #nonces: NoncePool;
  readonly #sealedBytesMax: Readonly<Record<Purpose, number>>;

  /** @throws RoundhouseError `config_invalid` when `sealedBytesMax` is no whole number up to the hard limit. */
  constructor(options: StateSealerOptions) {
    const sealedBytesMax = options.sealedBytesMax ?? SEALED_BYTES_DEFAULT;
    if (!Number.isInteger(sealedBytesMax) || sealedBytesMax < 1 || sealedBytesMax > SEALED_BYTES_HARD_MAX) {
      throw new RoundhouseError('config_invalid', { reason: 'config_malformed', facts: { rule: 'sealedBytesMax' } });
    }
    this.#keyset = options.keyset;
    this.#audience = options.audience;
    this.#clock = options.clock;
    this.#nonces = new NoncePool(options.randomBytes ?? randomBytes);
    this.#sealedBytesMax = { ...OPENED_BYTES_MAX, 'request-state': sealedBytesMax };
  }

  /**
   * Seals under the primary key of now. `context` (tenant, route) is authenticated but not carried: `open` needs it
   * again. `plaintext` is well-formed Unicode, as JSON text always is; its length shows, so nothing is compressed.
   * @throws RoundhouseError `state_too_large`, or `config_invalid` when no key may seal now
   */
  seal(purpose: Purpose, context: readonly string[], plaintext: string): string {
    // A lone surrogate would silently open as another text.
    if (!plaintext.isWellFormed()) throw new TypeError('only well-formed text can be sealed');
    this.#assertFits(purpose, Buffer.byteLength(plaintext));
    const key = this.#keyset().primaryAt(this.#clock());
    if (key === undefined) throw new RoundhouseError('config_invalid', { reason: 'keyset_no_primary' });
    const nonce = this.#nonces.take();
    const sealed = sealXaes(key.subkey(purpose), nonce, this.#aad(key, purpose, context), plaintext);
    return PREFIX + Buffer.concat([Buffer.from(key.kid, 'hex'), nonce, sealed]).toString('base64url');
  }

  /**
   * Opens what `seal` made for the same purpose, audience and context, under any key that is neither disabled nor
   * destroyed. Takes any value and never throws. The reason is for log and metric only: every refusal must look the
   * same outside. Exactly one key, the one named by the kid, is ever tried; that is why no key commitment is needed.
   */
  open(purpose: Purpose, context: readonly string[], sealed: unknown): Opened {
    const envelope = parseEnvelope(purpose, sealed);
    if (typeof envelope === 'string') return { ok: false, reason: envelope };
    const keyset = this.#keyset();
    const key = keyset.byKid(envelope.kid);
    if (key === undefined) return { ok: false, reason: 'state_unknown_key' };
    const role = keyset.roleAt(key, this.#clock());
    if (role === 'disabled' || role === 'destroyed') return { ok: false, reason: 'state_unknown_key' };
    const plaintext = openXaes(key.subkey(purpose), envelope.nonce, this.#aad(key, purpose, context), envelope.sealed);
    if (plaintext === undefined) return { ok: false, reason: 'state_unauthentic' };
    return { ok: true, plaintext: plaintext.toString('utf8'), kid: key.kid, role };
  }

  /**
   * A stable public name for a secret, such as the idempotency key made from a flow's nonce: HMAC-SHA-256 with the
   * secret itself as the key, over label and audience, in base64url. No key of the keyset takes part, so every replica
   * gets the same tag before, during and after a rotation. Safe only for random secrets of 128 bits or more: anything
   * guessable, a principal for one, can be found again by guessing (for that see `principalDigest`).
   */
  tag(label: string, secret: string): string {
    if (secret.length < TAG_SECRET_CHARS_MIN) throw new RangeError('a tag is made from a secret of at least 128 bits');
    return createHmac('sha256', secret)
      .update(lengthPrefixed([label, this.#audience]))
      .digest('base64url');
  }

  #aad(key: SealingKey, purpose: Purpose, context: readonly string[]): Buffer {
    return lengthPrefixed([PREFIX, key.kid, purpose, this.#audience, ...context]);
  }

  #assertFits(purpose: Purpose, plaintextBytes: number): void {
    const sealedBytes = sealedChars(plaintextBytes);
    if (sealedBytes <= this.#sealedBytesMax[purpose]) return;
    throw new RoundhouseError('state_too_large', { reason: 'limit_reached', facts: { purpose, sealedBytes } });
  }
}

/**
 * The id of the key that a string says it was sealed under: nothing is proved by it, and it may be anything. For metrics;
 * undefined for what has no place for one.
 */
export function claimedKid(sealed: unknown): string | undefined {
  if (typeof sealed !== 'string' || !sealed.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(sealed.slice(PREFIX.length, PREFIX.length + KID_CHARS), 'base64url');
  return bytes.length === KID_BYTES ? bytes.toString('hex') : undefined;
}

/** The parts of a sealed string, or why it is none: type, size, prefix, canonical base64url, in this order. */
function parseEnvelope(purpose: Purpose, sealed: unknown): Envelope | Reason {
  if (typeof sealed !== 'string') return 'state_not_a_string';
  if (sealed.length > OPENED_BYTES_MAX[purpose]) return 'state_too_large';
  if (!sealed.startsWith(PREFIX)) return 'state_malformed';
  const bytes = decodeBase64url(sealed.slice(PREFIX.length));
  if (bytes === undefined || bytes.length < OVERHEAD_BYTES) return 'state_malformed';
  return {
    kid: bytes.toString('hex', 0, KID_BYTES),
    nonce: bytes.subarray(KID_BYTES, CIPHERTEXT_AT),
    sealed: bytes.subarray(CIPHERTEXT_AT),
  };
}
