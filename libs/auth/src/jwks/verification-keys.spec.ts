import { beforeAll, describe, expect, it } from '@jest/globals';
import { createSigningKey } from '@roundhouse/testing';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { ALGORITHMS } from '../issuer-settings.js';
import { KEYS_MAX, importKeys } from './verification-keys.js';

const jwks: Record<string, JWK> = {};

beforeAll(async () => {
  for (const algorithm of [...ALGORITHMS, 'ES384'])
    jwks[algorithm] = (await createSigningKey('k', algorithm)).publicJwk;
});

const without = (jwk: JWK, ...names: string[]): JWK =>
  Object.fromEntries(Object.entries(jwk).filter(([name]) => !names.includes(name))) as JWK;

/** Algorithms that each usable key of the set verifies. */
async function usable(...keys: unknown[]): Promise<string[][] | undefined> {
  const imported = await importKeys({ keys }, ALGORITHMS);
  return imported?.keys.map(({ byAlgorithm }) => [...byAlgorithm.keys()]);
}

/** B103. */
describe('a key that does not say its algorithm', () => {
  it.each([
    ['RS256', ['RS256', 'PS256']],
    ['ES256', ['ES256']],
    ['EdDSA', ['EdDSA']],
  ])('and is like one of %s verifies %j', async (algorithm, verifies) => {
    expect(await usable(without(jwks[algorithm]!, 'alg', 'use'))).toEqual([verifies]);
  });
});

describe('a key set', () => {
  it('is read although one of its keys is bad', async () => {
    const bad = [null, 'key', {}, { kty: 'RSA', n: '!', e: 'AQAB' }, { ...jwks['ES256'], x: 'AAAA' }];
    expect(await usable(...bad, jwks['ES256'])).toEqual([['ES256']]);
  });

  it.each([
    ['is for encryption', () => ({ ...jwks['RS256'], use: 'enc' })],
    ['is not for verifying', () => ({ ...jwks['RS256'], key_ops: ['encrypt'] })],
    ['has operations that are no list', () => ({ ...jwks['RS256'], key_ops: 'verify' })],
    ['is for an algorithm beside the allowed ones', () => ({ ...jwks['RS256'], alg: 'RS512' })],
    ['is on another curve', () => jwks['ES384']],
    ['is a secret', () => ({ kty: 'oct', k: 'c2VjcmV0', alg: 'RS256' })],
    ['has an id that is no text', () => ({ ...jwks['RS256'], kid: 7 })],
  ])('passes over a key that %s', async (_what, keyOf) => {
    expect(await usable(keyOf())).toEqual([]);
  });

  it('passes over an RSA key that is too short', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    expect(await usable(publicKey.export({ format: 'jwk' }))).toEqual([]);
  });

  it('takes the public half of a key that was published whole', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const [key] = (await importKeys({ keys: [await exportJWK(privateKey)] }, ['ES256']))?.keys ?? [];
    expect(key?.byAlgorithm.get('ES256')?.type).toBe('public');
  });

  it.each([
    ['no keys', {}],
    ['keys that are no list', { keys: {} }],
    ['more keys than anybody has', { keys: Array.from({ length: KEYS_MAX + 1 }, () => ({})) }],
  ])('is none when it has %s', async (_what, document) => {
    expect(await importKeys(document, ALGORITHMS)).toBeUndefined();
  });

  it('has the same fingerprint in another order, and another one with another key', async () => {
    const fingerprint = async (...keys: unknown[]) => (await importKeys({ keys }, ALGORITHMS))?.fingerprint;
    const [one, two] = [jwks['ES256'], jwks['EdDSA']];
    expect(await fingerprint(one, two)).toBe(await fingerprint(two, one));
    expect(await fingerprint(one)).not.toBe(await fingerprint(one, two));
    expect(await fingerprint(one)).not.toBe(await fingerprint({ ...one, kid: 'other' }));
  });
});
