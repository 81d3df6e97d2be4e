import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Keyset } from './keyset.js';
import { SealingKey, type SealingKeyFields } from './sealing-key.js';

const T0 = Date.UTC(2026, 8, 1);
const HOUR = 3_600_000;

function keyOf(n: number, fields: Partial<SealingKeyFields> = {}): SealingKey {
  return new SealingKey({
    kid: n.toString(16).padStart(16, '0'),
    material: createHash('sha256').update(`key ${n}`).digest(),
    createdAtMs: T0 - HOUR,
    activateAtMs: T0,
    retireAtMs: Infinity,
    destroyAtMs: Infinity,
    enabled: true,
    ...fields,
  });
}

describe('Keyset', () => {
  const old = keyOf(1, { activateAtMs: T0, retireAtMs: T0 + 30 * HOUR, destroyAtMs: T0 + 40 * HOUR });
  const next = keyOf(2, { activateAtMs: T0 + 24 * HOUR });
  const keyset = new Keyset([next, old]);

  it.each([
    ['before any key is active', -1, undefined, 'staged', 'staged'],
    ['at the first activation', 0, old, 'primary', 'staged'],
    ['just before the second activation', 24 * HOUR - 1, old, 'primary', 'staged'],
    ['at the second activation', 24 * HOUR, next, 'previous', 'primary'],
    ['after the old key retired', 31 * HOUR, next, 'previous', 'primary'],
    ['just before the old key is destroyed', 40 * HOUR - 1, next, 'previous', 'primary'],
    ['when the old key is destroyed', 40 * HOUR, next, 'destroyed', 'primary'],
  ])('gives every key its role from the clock: %s', (...[, atMs, primary, oldRole, nextRole]) => {
    expect(keyset.primaryAt(T0 + atMs)).toBe(primary);
    expect(keyset.roleAt(old, T0 + atMs)).toBe(oldRole);
    expect(keyset.roleAt(next, T0 + atMs)).toBe(nextRole);
  });

  it('falls back to the earlier key when the latest is disabled', () => {
    const disabled = keyOf(3, { activateAtMs: T0 + HOUR, enabled: false });
    const fallback = new Keyset([old, disabled]);
    expect(fallback.primaryAt(T0 + 2 * HOUR)).toBe(old);
    expect(fallback.roleAt(disabled, T0 + 2 * HOUR)).toBe('disabled');
    expect(fallback.roleAt(old, T0 + 2 * HOUR)).toBe('primary');
  });

  it('has no primary once the only key is retired', () => {
    const alone = new Keyset([old]);
    expect(alone.primaryAt(T0 + 30 * HOUR - 1)).toBe(old);
    expect(alone.primaryAt(T0 + 30 * HOUR)).toBeUndefined();
    expect(alone.roleAt(old, T0 + 30 * HOUR)).toBe('previous');
  });

  it('has no primary at a time that is not a number', () => {
    expect(keyset.primaryAt(NaN)).toBeUndefined();
  });

  it('finds a key by its id as bytes and as hex', () => {
    expect(keyset.byKid('0000000000000002')).toBe(next);
    expect(keyset.byKid(Buffer.from('0000000000000002', 'hex'))).toBe(next);
    expect(keyset.byKid('0000000000000003')).toBeUndefined();
    expect(keyset.byKid('__proto__')).toBeUndefined();
  });

  it('agrees on roles whatever the order of the keys', () => {
    const keys = [0, 5, 9, 14].map((hours, n) => keyOf(n, { activateAtMs: T0 + hours * HOUR }));
    fc.assert(
      fc.property(
        fc.shuffledSubarray(keys, { minLength: 4 }),
        fc.integer({ min: -HOUR, max: 20 * HOUR }),
        (shuffled, atMs) => {
          const rolesIn = (order: readonly SealingKey[]) => keys.map((key) => new Keyset(order).roleAt(key, T0 + atMs));
          expect(rolesIn(shuffled)).toEqual(rolesIn(keys));
          expect(rolesIn(shuffled).filter((role) => role === 'primary')).toHaveLength(atMs < 0 ? 0 : 1);
        },
      ),
    );
  });

  it('derives one subkey per purpose, once', () => {
    expect(old.subkey('cursor')).toBe(old.subkey('cursor'));
    expect(old.subkey('cursor')).not.toBe(old.subkey('request-state'));
  });

  it('shows no key material when printed', () => {
    const material = createHash('sha256').update('key 1').digest();
    const printed = inspect(keyset, { depth: 9, showHidden: true }) + JSON.stringify(keyset);
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(printed).not.toContain(material.toString(encoding));
    expect(printed).not.toMatch(/Buffer|Uint8Array|KeyObject/);
  });
});
