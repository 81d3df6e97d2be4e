import { beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { FakeClock } from '@roundhouse/testing';
import type { CryptoKey } from 'jose';
import {
  KEYS_AGE_MAX_MS,
  KEYS_COOL_DOWN_MAX_MS,
  KEYS_COOL_DOWN_MS,
  KEYS_REFRESH_AFTER_MS,
  KEYS_STALE_MAX_MS,
  KeySet,
} from './key-set.js';
import type { VerificationKeys } from './verification-keys.js';

const MINUTE = 60_000;

let clock: FakeClock;
let published: readonly string[];
let isAway: boolean;
let loads: number;
/** Set by a test that wants loads to wait. */
let gate: Promise<void> | undefined;
let keys: KeySet;

beforeEach(() => {
  clock = new FakeClock();
  [published, isAway, loads, gate] = [['a'], false, 0, undefined];
  keys = new KeySet({ load, now: clock.now });
});

async function load(): Promise<VerificationKeys> {
  loads += 1;
  await gate;
  if (isAway) throw new RoundhouseError('authorization_unavailable', { reason: 'issuer_timed_out' });
  const entries = published.map((kid) => ({ kid, byAlgorithm: new Map([['ES256', { kid } as never as CryptoKey]]) }));
  return { keys: entries as VerificationKeys['keys'], fingerprint: published.join() };
}

const find = (kid?: string) => keys.find({ kid, algorithm: 'ES256' });
const outcomeOf = (kid: string): Promise<string> =>
  find(kid).then(
    ({ candidates }) => (candidates[0] as never as { kid: string }).kid,
    (error: RoundhouseError) => error.code,
  );
/** Lets what was started in the background come to its end. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the keys of an issuer', () => {
  it('are fetched once, however many tokens wait for them', async () => {
    const found = await Promise.all(Array.from({ length: 200 }, () => outcomeOf('a')));
    expect([new Set(found), loads]).toEqual([new Set(['a']), 1]);
  });

  it('are not fetched again while they are young', async () => {
    await find('a');
    clock.advance(KEYS_REFRESH_AFTER_MS - 1);
    await find('a');
    expect(loads).toBe(1);
  });

  it('are fetched in the background once they are no longer young', async () => {
    await find('a');
    clock.advance(KEYS_REFRESH_AFTER_MS);
    gate = new Promise(() => undefined);
    expect(await outcomeOf('a')).toBe('a');
    expect(loads).toBe(2);
  });

  it('are waited for once they are old', async () => {
    await find('a');
    clock.advance(KEYS_AGE_MAX_MS);
    published = ['b'];
    expect(await outcomeOf('a')).toBe('token_invalid');
    expect(await outcomeOf('b')).toBe('b');
  });

  it('are fetched again at once for a key that is not among them', async () => {
    await find('a');
    clock.advance(KEYS_COOL_DOWN_MS);
    published = ['a', 'b'];
    expect(await outcomeOf('b')).toBe('b');
  });

  it('have another version only when they are others', async () => {
    const { version } = await find('a');
    clock.advance(KEYS_AGE_MAX_MS);
    expect((await find('a')).version).toBe(version);
    clock.advance(KEYS_AGE_MAX_MS);
    published = ['a', 'b'];
    expect((await find('a')).version).not.toBe(version);
    expect(keys.version).toBe((await find('a')).version);
  });

  it('may serve a token without a key id only where there is one', async () => {
    expect((await find()).candidates).toHaveLength(1);
    published = ['a', 'b'];
    clock.advance(KEYS_AGE_MAX_MS);
    await expect(find()).rejects.toMatchObject({ reason: 'token_unknown_key' });
  });

  it('that share an id are all candidates, up to a few', async () => {
    published = Array.from({ length: 9 }, () => 'a');
    expect((await find('a')).candidates).toHaveLength(4);
  });

  it('can be fetched before the first token comes', async () => {
    await keys.warm();
    await find('a');
    expect(loads).toBe(1);
  });
});

/** B100. */
describe('a flood of tokens with keys that nobody has', () => {
  it('fetches at most once a cool-down', async () => {
    await find('a');
    for (let at = 0; at < 10_000; at += 1) {
      expect(await outcomeOf(`random ${at}`)).toBe('token_invalid');
      clock.advance(9);
    }
    // 90 s at most: the first fetch, and one for each cool-down that began.
    expect(loads).toBeLessThanOrEqual(1 + Math.ceil(90_000 / KEYS_COOL_DOWN_MS));
    expect(loads).toBeGreaterThan(1);
  });

  it('fetches once when it comes all at once', async () => {
    await find('a');
    clock.advance(KEYS_COOL_DOWN_MS);
    await Promise.all(Array.from({ length: 10_000 }, (_, at) => outcomeOf(`random ${at}`)));
    expect(loads).toBe(2);
  });

  it('does not keep out a key that is published meanwhile for longer than a cool-down', async () => {
    await find('a');
    published = ['a', 'b'];
    for (let passedMs = 0; passedMs < KEYS_COOL_DOWN_MS; passedMs += 1_000) {
      await outcomeOf(`random ${passedMs}`);
      clock.advance(1_000);
    }
    expect(await outcomeOf('b')).toBe('b');
  });

  it('fetches no more often while the issuer is away', async () => {
    isAway = true;
    for (let at = 0; at < 1_000; at += 1) await outcomeOf(`random ${at}`);
    expect(loads).toBe(1);
  });
});

describe('while the issuer is away', () => {
  it('known keys go on for hours, and unknown ones do not begin', async () => {
    await find('a');
    isAway = true;
    for (let minute = 0; minute < 60; minute += 1) {
      clock.advance(MINUTE);
      expect(await outcomeOf('a')).toBe('a');
      expect(await outcomeOf('b')).toBe('token_invalid');
    }
    // Backed off: never more than one in half a minute, in the end one in two minutes.
    expect(loads).toBeLessThanOrEqual(5 + 60 / 2);
  });

  it('nobody but the first waits for it', async () => {
    await find('a');
    isAway = true;
    clock.advance(KEYS_AGE_MAX_MS);
    await find('a');
    gate = new Promise(() => undefined);
    clock.advance(KEYS_COOL_DOWN_MAX_MS);
    expect(await outcomeOf('a')).toBe('a');
  });

  it('known keys end after a day, and then it cannot be told', async () => {
    await find('a');
    const before = keys.version;
    isAway = true;
    clock.advance(KEYS_STALE_MAX_MS - 1);
    expect(await outcomeOf('a')).toBe('a');
    await settle();
    clock.advance(KEYS_COOL_DOWN_MAX_MS);
    expect(await outcomeOf('a')).toBe('authorization_unavailable');
    expect(keys.version).not.toBe(before);
  });

  it('a token is neither taken nor called invalid when no key was ever known', async () => {
    isAway = true;
    await expect(find('a')).rejects.toMatchObject({
      code: 'authorization_unavailable',
      reason: 'issuer_timed_out',
      retryAfterS: KEYS_COOL_DOWN_MS / 1_000,
    });
  });

  it('the next try comes after the cool-down, then after twice that, up to a bound', async () => {
    isAway = true;
    const tries: number[] = [];
    for (let second = 0; second < 600; second += 1) {
      const before = loads;
      await outcomeOf('a');
      if (loads > before) tries.push(second);
      clock.advance(1_000);
    }
    const gaps = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) * 1_000);
    expect(gaps.slice(0, 4)).toEqual([
      KEYS_COOL_DOWN_MS,
      2 * KEYS_COOL_DOWN_MS,
      KEYS_COOL_DOWN_MAX_MS,
      KEYS_COOL_DOWN_MAX_MS,
    ]);
  });

  it('its return is noticed within the bound', async () => {
    isAway = true;
    await outcomeOf('a');
    isAway = false;
    clock.advance(KEYS_COOL_DOWN_MS);
    expect(await outcomeOf('a')).toBe('a');
  });
});
