import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openXaes, sealXaes, XaesKey } from './xaes-256-gcm.js';

const NONCE = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX');
const TEXT = 'XAES-256-GCM';
const NO_AAD = Buffer.alloc(0);

describe('XAES-256-GCM', () => {
  // C2SP XAES-256-GCM, "Test Vectors": the first key's K1 needs no fold, the second key's does.
  it.each([
    ['good-c2sp-msb-0', 0x01, '', 'ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271'],
    ['good-c2sp-msb-1', 0x03, 'c2sp.org/XAES-256-GCM', '986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d'],
  ])('seals and opens the published vector %s', (...[, keyByte, aadText, expected]) => {
    const key = new XaesKey(Buffer.alloc(32, keyByte));
    const aad = Buffer.from(aadText);
    const sealed = sealXaes(key, NONCE, aad, TEXT);
    expect(sealed.toString('hex')).toBe(expected);
    expect(openXaes(key, NONCE, aad, sealed)?.toString()).toBe(TEXT);
  });

  it('agrees with the accumulated vector of 10,000 random messages', () => {
    const rounds = 10_000;
    // A round reads at most 32 + 24 + 1 + 255 + 1 + 255 bytes of the SHAKE-128 stream.
    const stream = createHash('shake128', { outputLength: rounds * 568 }).digest();
    const accumulated = createHash('shake128', { outputLength: 32 });
    let at = 0;
    const read = (length: number): Buffer => stream.subarray(at, (at += length));
    let opened = 0;
    for (let round = 0; round < rounds; round++) {
      const key = new XaesKey(read(32));
      const nonce = read(24);
      const plaintext = read(read(1)[0]!);
      const aad = read(read(1)[0]!);
      const sealed = sealXaes(key, nonce, aad, plaintext);
      if (openXaes(key, nonce, aad, sealed)?.equals(plaintext)) opened++;
      accumulated.update(sealed);
    }
    expect(opened).toBe(rounds);
    expect(accumulated.digest('hex')).toBe('e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939');
  });

  it('gives the same result for a key used before as for a new one', () => {
    const used = new XaesKey(Buffer.alloc(32, 9));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), fc.uint8Array(), (nonce, plaintext) => {
        const fresh = new XaesKey(Buffer.alloc(32, 9));
        expect(sealXaes(used, nonce, NO_AAD, plaintext)).toEqual(sealXaes(fresh, nonce, NO_AAD, plaintext));
      }),
    );
  });

  const key = new XaesKey(Buffer.alloc(32, 5));
  const aad = Buffer.from('bound to this');
  const sealed = sealXaes(key, NONCE, aad, TEXT);
  const flipped = (from: Buffer, at: number): Buffer => {
    const out = Buffer.from(from);
    out[at]! ^= 1;
    return out;
  };

  it.each([
    ['fail-other-key', () => openXaes(new XaesKey(Buffer.alloc(32, 6)), NONCE, aad, sealed)],
    ['fail-first-nonce-byte', () => openXaes(key, flipped(NONCE, 0), aad, sealed)],
    ['fail-twelfth-nonce-byte', () => openXaes(key, flipped(NONCE, 11), aad, sealed)],
    ['fail-last-nonce-byte', () => openXaes(key, flipped(NONCE, 23), aad, sealed)],
    ['fail-other-aad', () => openXaes(key, NONCE, flipped(aad, 0), sealed)],
    ['fail-no-aad', () => openXaes(key, NONCE, NO_AAD, sealed)],
    ['fail-first-ciphertext-byte', () => openXaes(key, NONCE, aad, flipped(sealed, 0))],
    ['fail-last-tag-byte', () => openXaes(key, NONCE, aad, flipped(sealed, sealed.length - 1))],
    ['fail-tag-cut-to-12-bytes', () => openXaes(key, NONCE, aad, sealed.subarray(0, -4))],
    ['fail-tag-cut-to-4-bytes', () => openXaes(key, NONCE, aad, sealed.subarray(0, -12))],
    ['fail-tag-only', () => openXaes(key, NONCE, aad, sealed.subarray(-16))],
    ['fail-shorter-than-a-tag', () => openXaes(key, NONCE, aad, sealed.subarray(0, 15))],
    ['fail-empty', () => openXaes(key, NONCE, aad, NO_AAD)],
    ['fail-one-byte-more', () => openXaes(key, NONCE, aad, Buffer.concat([sealed, Buffer.alloc(1)]))],
  ])('refuses %s', (_name, open) => {
    expect(openXaes(key, NONCE, aad, sealed)).toBeDefined();
    expect(open()).toBeUndefined();
  });

  it.each([0, 16, 31, 33, 64])('refuses a key of %i bytes', (length) => {
    expect(() => new XaesKey(Buffer.alloc(length))).toThrow(RangeError);
  });

  it.each([0, 12, 23, 25])('refuses a nonce of %i bytes', (length) => {
    expect(() => sealXaes(key, Buffer.alloc(length), aad, TEXT)).toThrow(RangeError);
    expect(() => openXaes(key, Buffer.alloc(length), aad, sealed)).toThrow(RangeError);
  });
});
