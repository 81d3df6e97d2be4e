import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import fc from 'fast-check';
import { Keyset } from './keyset.js';
import { createKeyset, KEYSET_CHARS_MAX, parseKeyset } from './parse-keyset.js';

const digestOf = (seed: string): Buffer => createHash('sha256').update(seed).digest();

const FIRST = {
  kid: '00112233445566aa',
  alg: 'XAES-256-GCM',
  k: digestOf('first test key').toString('base64url'),
  createdAt: '2026-09-01T00:00:00Z',
  activateAt: '2026-09-01T00:10:00.500Z',
  retireAt: '2026-09-02T00:10:00Z',
  destroyAt: '2026-09-02T02:00:00Z',
  status: 'enabled',
};
const SECOND = {
  kid: '00112233445566bb',
  alg: 'XAES-256-GCM',
  k: digestOf('second test key').toString('base64url'),
  createdAt: '2026-09-02T00:00:00Z',
  activateAt: '2026-09-02T00:10:00Z',
  status: 'disabled',
};

/** A millisecond less than a keyset may take to reach every replica. */
const TOO_SOON = '2026-09-02T00:09:59.999Z';

const enabledSecond = (change: object): object => ({ ...SECOND, status: 'enabled', ...change });
const fileOf = (...keys: unknown[]): string => JSON.stringify({ version: 1, keys });
const withFirst = (change: object): string => fileOf({ ...FIRST, ...change });
const withBytes = (bytes: Iterable<number>): string => withFirst({ k: Buffer.from([...bytes]).toString('base64url') });
/** 16 different bytes, 15 different steps and a sixteenth where they start again. */
const TRIANGULAR = Array.from({ length: 16 }, (_, at) => (at * (at + 1)) / 2);
const counting = (step: number): number[] => Array.from({ length: 32 }, (_, at) => (at * step + 7) & 0xff);

function refusalOf(text: string): RoundhouseError {
  const outcome = parseOutcome(text);
  if (outcome instanceof Keyset) throw new Error('the keyset was accepted');
  return outcome;
}

function parseOutcome(text: string): Keyset | RoundhouseError {
  try {
    return parseKeyset(text);
  } catch (error) {
    if (error instanceof RoundhouseError) return error;
    throw error;
  }
}

describe('parseKeyset', () => {
  it('reads ids, times and status', () => {
    const keyset = parseKeyset(fileOf(FIRST, SECOND));
    expect(keyset.byKid(FIRST.kid)).toMatchObject({
      createdAtMs: Date.UTC(2026, 8, 1),
      activateAtMs: Date.UTC(2026, 8, 1, 0, 10, 0, 500),
      retireAtMs: Date.UTC(2026, 8, 2, 0, 10),
      destroyAtMs: Date.UTC(2026, 8, 2, 2),
      enabled: true,
    });
    expect(keyset.byKid(SECOND.kid)).toMatchObject({ retireAtMs: Infinity, destroyAtMs: Infinity, enabled: false });
  });

  it.each([
    ['fail-not-json', '{"version":1,"keys":[', 'keyset_malformed', 'the file is JSON'],
    ['fail-empty-file', '', 'keyset_malformed', 'the file is JSON'],
    ['fail-null', 'null', 'keyset_malformed', 'the file is a JSON object'],
    ['fail-list', `[${JSON.stringify(FIRST)}]`, 'keyset_malformed', 'the file is a JSON object'],
    ['fail-too-large', fileOf(FIRST) + ' '.repeat(KEYSET_CHARS_MAX), 'keyset_malformed', 'the file is too large'],
    ['fail-no-version', JSON.stringify({ keys: [FIRST] }), 'keyset_malformed', 'version is 1'],
    ['fail-other-version', JSON.stringify({ version: 2, keys: [FIRST] }), 'keyset_malformed', 'version is 1'],
    [
      'fail-unknown-file-member',
      JSON.stringify({ version: 1, keys: [FIRST], primary: FIRST.kid }),
      'keyset_malformed',
      'the file has an unknown member',
    ],
    ['fail-keys-no-list', JSON.stringify({ version: 1, keys: { 0: FIRST } }), 'keyset_malformed', 'keys is a list'],
    ['fail-no-key', fileOf(), 'keyset_no_primary', 'there is no key'],
    ['fail-all-disabled', fileOf(SECOND), 'keyset_no_primary', 'no key is enabled'],
    ['fail-key-null', fileOf(null), 'keyset_malformed', 'a key is an object'],
    ['fail-key-text', fileOf(FIRST.k), 'keyset_malformed', 'a key is an object'],
    [
      'fail-misspelt-member',
      withFirst({ retiresAt: FIRST.retireAt }),
      'keyset_malformed',
      'a key has an unknown member',
    ],
    [
      'fail-proto-member',
      `{"version":1,"keys":[{"__proto__":${JSON.stringify(FIRST)}}]}`,
      'keyset_malformed',
      'a key has an unknown member',
    ],
    ['fail-kid-missing', withFirst({ kid: undefined }), 'keyset_malformed', 'kid is 16 lower-case hex characters'],
    ['fail-kid-short', withFirst({ kid: '00112233445566' }), 'keyset_malformed', 'kid is 16 lower-case hex characters'],
    ['fail-kid-long', withFirst({ kid: `${FIRST.kid}00` }), 'keyset_malformed', 'kid is 16 lower-case hex characters'],
    [
      'fail-kid-upper-case',
      withFirst({ kid: '00112233445566AA' }),
      'keyset_malformed',
      'kid is 16 lower-case hex characters',
    ],
    [
      'fail-kid-newline',
      withFirst({ kid: '00112233445566aa\n' }),
      'keyset_malformed',
      'kid is 16 lower-case hex characters',
    ],
    ['fail-alg-missing', withFirst({ alg: undefined }), 'keyset_malformed', 'alg is XAES-256-GCM'],
    ['fail-alg-other', withFirst({ alg: 'A256GCM' }), 'keyset_malformed', 'alg is XAES-256-GCM'],
    ['fail-status-other', withFirst({ status: 'primary' }), 'keyset_malformed', 'status is enabled or disabled'],
    ['fail-status-missing', withFirst({ status: undefined }), 'keyset_malformed', 'status is enabled or disabled'],
    ['fail-k-missing', withFirst({ k: undefined }), 'keyset_malformed', 'k is missing'],
    ['fail-k-number', withFirst({ k: 7 }), 'keyset_malformed', 'k is missing'],
    ['fail-k-padded', withFirst({ k: `${FIRST.k}=` }), 'keyset_malformed', 'k is base64url without padding'],
    [
      'fail-k-loose-bits',
      withFirst({ k: `${FIRST.k.slice(0, -1)}B` }),
      'keyset_malformed',
      'k is base64url without padding',
    ],
    [
      'fail-k-hex',
      withFirst({ k: digestOf('first test key').toString('hex') }),
      'keyset_malformed',
      'k is longer than 32 bytes',
    ],
    [
      'fail-k-long',
      withFirst({ k: Buffer.concat([digestOf('a'), digestOf('b')]).toString('base64url') }),
      'keyset_malformed',
      'k is longer than 32 bytes',
    ],
    ['fail-k-empty', withFirst({ k: '' }), 'keyset_weak_key', 'k is shorter than 32 bytes'],
    ['fail-k-16-bytes', withBytes(digestOf('a').subarray(0, 16)), 'keyset_weak_key', 'k is shorter than 32 bytes'],
    ['fail-k-31-bytes', withBytes(digestOf('a').subarray(0, 31)), 'keyset_weak_key', 'k is shorter than 32 bytes'],
    ['fail-k-zero', withBytes(Buffer.alloc(32)), 'keyset_weak_key', 'k has too few different bytes'],
    ['fail-k-one-byte-repeated', withBytes(Buffer.alloc(32, 0x5a)), 'keyset_weak_key', 'k has too few different bytes'],
    [
      'fail-k-15-values',
      withBytes(Array.from({ length: 32 }, (_, at) => (at * at * 37) % 15)),
      'keyset_weak_key',
      'k has too few different bytes',
    ],
    ['fail-k-counting-up', withBytes(counting(1)), 'keyset_weak_key', 'k is a sequence'],
    ['fail-k-counting-down', withBytes(counting(-1)), 'keyset_weak_key', 'k is a sequence'],
    ['fail-k-counting-by-17', withBytes(counting(17)), 'keyset_weak_key', 'k is a sequence'],
    ['fail-k-halves-alike', withBytes([...TRIANGULAR, ...TRIANGULAR]), 'keyset_weak_key', 'k repeats itself'],
    [
      'fail-k-passphrase',
      withBytes(Buffer.from('correct horse battery staple 42!')),
      'keyset_weak_key',
      'k is text, not random bytes',
    ],
    [
      'fail-k-hex-text',
      withBytes(Buffer.from('3f9a0c17d2be4856a1f07c39e58bd264')),
      'keyset_weak_key',
      'k is text, not random bytes',
    ],
    ['fail-k-sha256-of-secret', withBytes(digestOf('secret')), 'keyset_weak_key', 'k is a published default'],
    ['fail-k-sha256-of-nothing', withBytes(digestOf('')), 'keyset_weak_key', 'k is a published default'],
    [
      'fail-k-nist',
      withBytes(Buffer.from('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4', 'hex')),
      'keyset_weak_key',
      'k is a published default',
    ],
    [
      'fail-time-missing',
      withFirst({ activateAt: undefined }),
      'keyset_malformed',
      'activateAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-number',
      withFirst({ createdAt: 1_788_220_800 }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    ['fail-time-null', withFirst({ retireAt: null }), 'keyset_malformed', 'retireAt is an RFC 3339 time in UTC'],
    [
      'fail-time-date-only',
      withFirst({ createdAt: '2026-09-01' }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-without-zone',
      withFirst({ createdAt: '2026-09-01T00:00:00' }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-with-offset',
      withFirst({ createdAt: '2026-09-01T00:00:00+00:00' }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-after-text',
      withFirst({ createdAt: `at ${FIRST.createdAt}` }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-before-text',
      withFirst({ createdAt: `${FIRST.createdAt}!` }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-february-30',
      withFirst({ createdAt: '2026-02-30T00:00:00Z' }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-time-hour-24',
      withFirst({ createdAt: '2026-08-30T24:00:00Z' }),
      'keyset_malformed',
      'createdAt is an RFC 3339 time in UTC',
    ],
    [
      'fail-active-before-created',
      withFirst({ activateAt: '2026-08-31T23:59:59Z' }),
      'keyset_malformed',
      'activateAt is not before createdAt',
    ],
    [
      'fail-retired-when-activated',
      withFirst({ retireAt: FIRST.activateAt }),
      'keyset_malformed',
      'retireAt is after activateAt',
    ],
    [
      'fail-destroyed-when-retired',
      withFirst({ destroyAt: FIRST.retireAt }),
      'keyset_malformed',
      'destroyAt is after retireAt',
    ],
    [
      'fail-destroyed-but-never-retired',
      withFirst({ retireAt: undefined }),
      'keyset_malformed',
      'destroyAt is after retireAt',
    ],
    [
      'fail-destroyed-within-a-state-life',
      withFirst({ destroyAt: '2026-09-02T00:21:59.999Z' }),
      'keyset_malformed',
      'destroyAt is at least 12 min after retireAt',
    ],
    [
      'fail-second-active-too-soon',
      fileOf(FIRST, enabledSecond({ activateAt: TOO_SOON })),
      'keyset_malformed',
      'activateAt is at least 10 min after createdAt',
    ],
    ['fail-emergency-false', withFirst({ emergency: false }), 'keyset_malformed', 'emergency is true or absent'],
    ['fail-emergency-text', withFirst({ emergency: 'true' }), 'keyset_malformed', 'emergency is true or absent'],
    [
      'fail-duplicate-kid',
      fileOf(FIRST, { ...SECOND, kid: FIRST.kid }),
      'keyset_duplicate',
      'kid is used by another key too',
    ],
    ['fail-duplicate-k', fileOf(FIRST, { ...SECOND, k: FIRST.k }), 'keyset_duplicate', 'k is used by another key too'],
    [
      'fail-duplicate-activation',
      fileOf(FIRST, { ...FIRST, kid: SECOND.kid, k: SECOND.k }),
      'keyset_duplicate',
      'activateAt is that of another key too',
    ],
  ])('refuses %s, and tells the operator which rule it breaks', (...[, text, reason, rule]) => {
    expect(refusalOf(text)).toMatchObject({ code: 'config_invalid', reason, facts: { rule } });
  });

  it.each(['', 'secret', 'password', 'changeme', 'default', 'default-insecure-seed', 'test', 'roundhouse'])(
    'takes the hash of %j for no key',
    (word) => {
      expect(refusalOf(withBytes(digestOf(word))).facts['rule']).toBe('k is a published default');
    },
  );

  it('takes every printable character for text', () => {
    expect(refusalOf(withBytes(Buffer.from(' ~!aQz0{}|^AZ9@#$%&*()_+-=[];:,.'))).facts['rule']).toBe(
      'k is text, not random bytes',
    );
  });

  it.each([
    ['a control character', 0x1f],
    ['a delete character', 0x7f],
    ['a byte beyond ASCII', 0x80],
  ])('takes bytes with %s among them for no text', (_name, byte) => {
    const bytes = Buffer.from(' ~!aQz0{}|^AZ9@#$%&*()_+-=[];:,.');
    bytes[7] = byte;
    expect(parseKeyset(withBytes(bytes)).keys).toHaveLength(1);
  });

  it.each([
    ['the first key seals from its creation on', withFirst({ activateAt: FIRST.createdAt })],
    [
      'a key that waited for nothing is disabled, and so seals nothing',
      fileOf(FIRST, { ...SECOND, activateAt: SECOND.createdAt, status: 'disabled' }),
    ],
    ['a later key waits until every replica can know it', fileOf(FIRST, enabledSecond({}))],
    ['an emergency key does not wait', fileOf(FIRST, enabledSecond({ activateAt: TOO_SOON, emergency: true }))],
    ['a file may have the largest size', fileOf(FIRST).padEnd(KEYSET_CHARS_MAX)],
    ['a key outlives the last state it sealed', withFirst({ destroyAt: '2026-09-02T00:22:00Z' })],
  ])('accepts that %s', (_name, text) => {
    expect(parseKeyset(text).keys.length).toBeGreaterThan(0);
  });

  it('names the key that breaks a rule by place and id', () => {
    const refusal = refusalOf(fileOf(FIRST, { ...SECOND, k: 'AAAA' }));
    expect(refusal.facts).toEqual({ rule: 'k is shorter than 32 bytes', index: 1, kid: SECOND.kid });
  });

  it.each([
    ['broken JSON', fileOf(FIRST).slice(0, -3)],
    ['JSON broken right after the key', fileOf(FIRST).replace(FIRST.k, `${FIRST.k}\\`)],
    ['kid and k swapped', withFirst({ kid: FIRST.k, k: FIRST.kid })],
    ['material as a member name', withFirst({ [FIRST.k]: 1 })],
    ['material as alg', withFirst({ alg: FIRST.k })],
    ['material as a time', withFirst({ createdAt: FIRST.k })],
    ['duplicate material', fileOf(FIRST, { ...SECOND, k: FIRST.k })],
  ])('never repeats key material in the error: %s', (_name, text) => {
    const refusal = refusalOf(text);
    expect(inspect(refusal, { depth: 9, showHidden: true })).not.toContain(FIRST.k.slice(0, 12));
    expect(refusal.cause).toBeUndefined();
  });

  it('throws its own refusal or nothing for any JSON', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.jsonValue().map((key) => fileOf(FIRST, key)),
        ),
        (text) => {
          expect(refusalOf(text).code).toBe('config_invalid');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('reads a damaged file as its own refusal or a usable keyset, and repeats none of it', () => {
    const good = fileOf(FIRST, SECOND);
    const damage = fc.record({ at: fc.nat(good.length - 1), length: fc.nat(40), text: fc.string({ maxLength: 20 }) });
    fc.assert(
      fc.property(damage, ({ at, length, text }) => {
        const outcome = parseOutcome(good.slice(0, at) + text + good.slice(at + length));
        if (outcome instanceof Keyset) expect(outcome.keys.some((key) => key.enabled)).toBe(true);
        else expect(inspect(outcome, { depth: 9 })).not.toContain(FIRST.k.slice(0, 8));
      }),
      { numRuns: 1000 },
    );
  });

  it('judges any members of a key by its rules alone', () => {
    const members = ['kid', 'alg', 'k', 'createdAt', 'activateAt', 'retireAt', 'destroyAt', 'status', 'emergency'];
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(FIRST), ...Object.values(SECOND), true));
    const key = fc.dictionary(fc.constantFrom(...members), value).map((change) => ({ ...FIRST, ...change }));
    fc.assert(
      fc.property(fc.array(key, { maxLength: 4 }), (keys) => {
        const outcome = parseOutcome(fileOf(...keys));
        if (outcome instanceof Keyset) for (const { kid } of outcome.keys) expect(kid).toMatch(/^[0-9a-f]{16}$/);
        else expect(outcome.code).toBe('config_invalid');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('createKeyset', () => {
  const nowMs = Date.UTC(2026, 8, 1);

  it('makes one key that seals at once and never retires', () => {
    const keyset = parseKeyset(createKeyset({ nowMs, randomBytes }));
    expect(keyset.keys).toHaveLength(1);
    expect(keyset.primaryAt(nowMs)).toBe(keyset.keys[0]);
    expect(keyset.primaryAt(nowMs + 10 * 365 * 86_400_000)).toBe(keyset.keys[0]);
    expect(keyset.primaryAt(nowMs - 1)).toBeUndefined();
  });

  it('never makes material that parseKeyset takes for weak', () => {
    for (let run = 0; run < 500; run++) expect(() => parseKeyset(createKeyset({ nowMs, randomBytes }))).not.toThrow();
  });

  it('makes another key each time', () => {
    expect(createKeyset({ nowMs, randomBytes })).not.toBe(createKeyset({ nowMs, randomBytes }));
  });
});
