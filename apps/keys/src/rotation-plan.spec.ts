import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { formatKeyset, parseKeyset, type KeysetEntry } from '@roundhouse/sealed-state';
import { planAdd, planDisable, planFirst, planPromote, planPrune, sealingKids, type Plan } from './rotation-plan.js';

const T0 = Date.UTC(2026, 8, 1);
const MINUTE = 60_000;
const DAY = 86_400_000;

const at = (keys: readonly KeysetEntry[], nowMs: number) => ({ keys, nowMs, stateLifeMs: 10 * MINUTE, randomBytes });
const time = (ms: number): string => new Date(ms).toISOString();
const only = planFirst({ nowMs: T0, randomBytes }).keys;
const first = only[0]!.kid;
/** First key, and a second one staged a day later for ten minutes. */
const staged = planAdd(at(only, T0 + DAY), 10 * MINUTE).keys;
const second = staged[1]!.kid;
const ACTIVATION = T0 + DAY + 10 * MINUTE;
const DESTRUCTION = ACTIVATION + 22 * MINUTE;

const keyIn = ({ keys }: Pick<Plan, 'keys'>, kid: string): KeysetEntry => keys.find((key) => key.kid === kid)!;
const rolesAt = (keys: readonly KeysetEntry[], nowMs: number): Record<string, string> => {
  const keyset = parseKeyset(formatKeyset(keys));
  return Object.fromEntries(keyset.keys.map((key) => [key.kid, keyset.roleAt(key, nowMs)]));
};
const primaryAt = (keys: readonly KeysetEntry[], nowMs: number): string | undefined =>
  parseKeyset(formatKeyset(keys)).primaryAt(nowMs)?.kid;

describe('add', () => {
  it('stages a key and tells the one before when to go', () => {
    expect(keyIn({ keys: staged }, second)).toMatchObject({ createdAt: time(T0 + DAY), activateAt: time(ACTIVATION) });
    expect(keyIn({ keys: staged }, second)).not.toHaveProperty('retireAt');
    expect(keyIn({ keys: staged }, first)).toMatchObject({ retireAt: time(ACTIVATION), destroyAt: time(DESTRUCTION) });
    expect(rolesAt(staged, T0 + DAY)).toEqual({ [first]: 'primary', [second]: 'staged' });
    expect(rolesAt(staged, ACTIVATION)).toEqual({ [first]: 'previous', [second]: 'primary' });
    expect(rolesAt(staged, DESTRUCTION)).toEqual({ [first]: 'destroyed', [second]: 'primary' });
  });

  it('keeps the key before for as long as this deployment lets a state live', () => {
    const { keys } = planAdd({ ...at(only, T0 + DAY), stateLifeMs: 60 * MINUTE }, 10 * MINUTE);
    expect(keyIn({ keys }, first).destroyAt).toBe(time(DESTRUCTION + 50 * MINUTE));
  });

  it('refuses a key that not every router could know in time', () => {
    expect(() => planAdd(at(only, T0), 10 * MINUTE - 1)).toThrow('at least 10m');
  });

  it('refuses a second rotation while a key is staged', () => {
    expect(() => planAdd(at(staged, ACTIVATION - 1), 10 * MINUTE)).toThrow(`${second} is still staged`);
    expect(planAdd(at(staged, ACTIVATION), 10 * MINUTE).keys).toHaveLength(3);
  });

  it('leaves a retirement that has happened as it was', () => {
    const { keys } = planAdd(at(staged, ACTIVATION + 5 * MINUTE), 10 * MINUTE);
    expect(keyIn({ keys }, first)).toEqual(keyIn({ keys: staged }, first));
  });
});

describe('promote', () => {
  const longStaged = planAdd(at(only, T0), DAY).keys;
  const heir = longStaged[1]!.kid;

  it('lets the staged key seal now, without an emergency, once every router can know it', () => {
    const { keys } = planPromote(at(longStaged, T0 + 10 * MINUTE), false);
    expect(keyIn({ keys }, heir)).toMatchObject({ activateAt: time(T0 + 10 * MINUTE) });
    expect(keyIn({ keys }, heir)).not.toHaveProperty('emergency');
    expect(keyIn({ keys }, first)).toMatchObject({
      retireAt: time(T0 + 10 * MINUTE),
      destroyAt: time(T0 + 32 * MINUTE),
    });
  });

  it('refuses before that', () => {
    expect(() => planPromote(at(longStaged, T0 + 10 * MINUTE - 1), false)).toThrow('--force');
  });

  it('does it before that when forced, and says so in the file', () => {
    const { keys } = planPromote(at(longStaged, T0 + MINUTE), true);
    expect(keyIn({ keys }, heir)).toMatchObject({ activateAt: time(T0 + MINUTE), emergency: true });
    expect(primaryAt(keys, T0 + MINUTE)).toBe(heir);
  });

  it('refuses when nothing is staged', () => {
    expect(() => planPromote(at(only, T0), true)).toThrow('no key is staged');
  });

  it('never gives two keys one moment of activation', () => {
    const atOnce = planAdd(at(only, T0), 10 * MINUTE).keys;
    expect(() => parseKeyset(formatKeyset(planPromote(at(atOnce, T0), true).keys))).not.toThrow();
  });
});

describe('disable', () => {
  it('lets the staged key take over from the primary at once, on slow clocks too', () => {
    const { keys, summary } = planDisable(at(staged, ACTIVATION - 8 * MINUTE), first);
    expect(rolesAt(keys, ACTIVATION - 8 * MINUTE)).toEqual({ [first]: 'disabled', [second]: 'primary' });
    expect(primaryAt(keys, ACTIVATION - 9 * MINUTE)).toBe(second);
    expect(keyIn({ keys }, second)).toMatchObject({ emergency: true });
    expect(summary).toContain(`${second} seals from now on`);
  });

  it('makes a key to take over when none is staged', () => {
    const { keys } = planDisable(at(only, T0 + DAY), first);
    expect(keys).toHaveLength(2);
    expect(primaryAt(keys, T0 + DAY - MINUTE)).toBe(keys[1]!.kid);
    expect(keys[1]).toMatchObject({ emergency: true, createdAt: time(T0 + DAY - MINUTE) });
  });

  it.each([0, 1, 59_999, MINUTE])('does so too when the only key is %i ms old', (ageMs) => {
    const { keys } = planDisable(at(only, T0 + ageMs), first);
    expect(rolesAt(keys, T0 + ageMs)).toEqual({ [first]: 'disabled', [keys[1]!.kid]: 'primary' });
  });

  it('does the same for a primary whose predecessor has retired', () => {
    const { keys } = planDisable(at(staged, ACTIVATION + MINUTE), second);
    const heir = keys[2]!.kid;
    expect(rolesAt(keys, ACTIVATION + MINUTE)).toEqual({
      [first]: 'previous',
      [second]: 'disabled',
      [heir]: 'primary',
    });
  });

  it('keeps the primary in office when the staged key is disabled', () => {
    const { keys } = planDisable(at(staged, T0 + DAY), second);
    expect(keyIn({ keys }, first)).toEqual(only[0]);
    expect(primaryAt(keys, ACTIVATION)).toBe(first);
  });

  it('changes no other key when a previous one is disabled', () => {
    const { keys } = planDisable(at(staged, ACTIVATION), first);
    expect(keyIn({ keys }, second)).toEqual(keyIn({ keys: staged }, second));
    expect(rolesAt(keys, ACTIVATION)).toEqual({ [first]: 'disabled', [second]: 'primary' });
  });

  it('changes nothing the second time', () => {
    const { keys } = planDisable(at(staged, ACTIVATION), first);
    expect(planDisable(at(keys, ACTIVATION), first).keys).toBe(keys);
  });

  it('refuses a key it does not know', () => {
    expect(() => planDisable(at(only, T0), 'ffffffffffffffff')).toThrow('there is no key');
  });
});

describe('prune', () => {
  const GONE = DESTRUCTION + MINUTE;

  it('removes a key once it is destroyed by the slowest clock', () => {
    expect(planPrune(at(staged, GONE - 1)).keys).toBe(staged);
    expect(planPrune(at(staged, GONE)).keys.map(({ kid }) => kid)).toEqual([second]);
  });

  it('removes a disabled key', () => {
    const { keys } = planDisable(at(staged, ACTIVATION), first);
    expect(planPrune(at(keys, ACTIVATION)).keys.map(({ kid }) => kid)).toEqual([second]);
  });

  it.each([
    ['primary', T0 + DAY, first],
    ['staged', T0 + DAY, second],
    ['previous', DESTRUCTION - 1, first],
    ['destroyed by its own clock alone', GONE - 1, first],
  ])('refuses a key that is %s', (_name, nowMs, kid) => {
    expect(() => planPrune(at(staged, nowMs), kid)).toThrow('may still open something');
  });

  it('removes the one it is told, and only that', () => {
    const three = planAdd(at(staged, GONE), 10 * MINUTE).keys;
    const { keys } = planDisable(at(three, GONE), three[2]!.kid);
    expect(planPrune(at(keys, GONE), first).keys.map(({ kid }) => kid)).toEqual([second, three[2]!.kid]);
  });

  it('refuses to leave no key', () => {
    const dying = [{ ...only[0]!, retireAt: time(T0 + DAY), destroyAt: time(T0 + DAY + 12 * MINUTE) }];
    expect(() => planPrune(at(dying, T0 + 2 * DAY))).toThrow('no key would be left');
  });
});

describe('the keys every router must know before the next rotation', () => {
  it('are the one that seals and the one that will', () => {
    expect(sealingKids({ keys: staged, nowMs: T0 + DAY })).toEqual([second, first]);
    expect(sealingKids({ keys: staged, nowMs: ACTIVATION })).toEqual([second]);
  });
});
