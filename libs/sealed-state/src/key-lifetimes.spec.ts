import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { CLOCK_SKEW_MS, mayStillOpen, PROPAGATION_MS, STATE_LIFE_MS_DEFAULT } from './key-lifetimes.js';
import { Keyset } from './keyset.js';
import { SealingKey, type SealingKeyFields } from './sealing-key.js';

const T0 = Date.UTC(2026, 8, 1);
const DAY = 86_400_000;
const AFTER_LAST_SEAL = PROPAGATION_MS + STATE_LIFE_MS_DEFAULT + 2 * CLOCK_SKEW_MS;

function keyOf(n: number, fields: Partial<SealingKeyFields>): SealingKey {
  return new SealingKey({
    kid: n.toString(16).padStart(16, '0'),
    material: createHash('sha256').update(`key ${n}`).digest(),
    createdAtMs: T0,
    activateAtMs: T0,
    retireAtMs: Infinity,
    destroyAtMs: Infinity,
    enabled: true,
    ...fields,
  });
}

describe('mayStillOpen', () => {
  const old = keyOf(1, {});
  const next = keyOf(2, { activateAtMs: T0 + DAY });
  const disabledOld = keyOf(1, { enabled: false });
  const shortLived = keyOf(1, { retireAtMs: T0 + DAY, destroyAtMs: T0 + DAY + 1 });

  it.each([
    ['a key alone, for ever', [old], T0 + 999 * DAY, true],
    ['a key whose successor activated just now', [old, next], T0 + DAY, true],
    ['a key until its last state expires on the slowest replica', [old, next], T0 + DAY + AFTER_LAST_SEAL - 1, true],
    ['no key after that', [old, next], T0 + DAY + AFTER_LAST_SEAL, false],
    ['a key by its retirement when that comes first', [keyOf(1, { retireAtMs: T0 + 1 })], T0 + DAY, false],
    ['a key that a disabled one does not succeed', [old, keyOf(2, { enabled: false })], T0 + 999 * DAY, true],
    ['no disabled key', [disabledOld, next], T0 + 1, false],
    ['no destroyed key', [shortLived, next], T0 + DAY + 1, false],
    ['no key that no clock has activated', [old], T0 - CLOCK_SKEW_MS - 1, false],
    ['a key that a fast clock may have activated', [old], T0 - CLOCK_SKEW_MS, true],
  ])('counts %s', (_name, keys, nowMs, expected) => {
    const keyset = new Keyset(keys);
    expect(mayStillOpen(keys[0]!, { keyset, nowMs, stateLifeMs: STATE_LIFE_MS_DEFAULT })).toBe(expected);
  });

  it('counts on the state life of the deployment', () => {
    const at = { keyset: new Keyset([old, next]), nowMs: T0 + DAY + AFTER_LAST_SEAL };
    expect(mayStillOpen(old, { ...at, stateLifeMs: STATE_LIFE_MS_DEFAULT + 1 })).toBe(true);
  });
});
