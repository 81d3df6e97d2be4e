import { createHash, randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { KeysetFile, type KeysetFileOptions, type KeysetReload } from './keyset-file.js';
import { createKeysetEntry, formatKeyset, KEYSET_CHARS_MAX, type KeysetEntry } from './parse-keyset.js';

const T0 = Date.UTC(2026, 8, 1);
const DAY = 86_400_000;
const HOUR = 3_600_000;

const first = createKeysetEntry({ nowMs: T0, activateAtMs: T0, randomBytes });
const second = createKeysetEntry({ nowMs: T0 + DAY - HOUR, activateAtMs: T0 + DAY, randomBytes });
const retiring: KeysetEntry = {
  ...first,
  retireAt: new Date(T0 + DAY).toISOString(),
  destroyAt: new Date(T0 + DAY + HOUR).toISOString(),
};

/** Neither watched nor polled within the life of a test: looks only when told. */
const still: Partial<KeysetFileOptions> = {
  pollMs: 3_600_000,
  watch: (() => {
    throw new Error('no more watches');
  }) as unknown as KeysetFileOptions['watch'],
};

let folder: string;
let path: string;
let nowMs: number;
let reloads: KeysetReload[];
let opened: KeysetFile[];
let onNext: (() => void) | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyset-file-'));
  path = join(folder, 'keyset.json');
  [nowMs, reloads, opened] = [T0, [], []];
});
afterEach(() => {
  for (const file of opened) file.close();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<KeysetFileOptions> = still): KeysetFile {
  const onReload = (reload: KeysetReload): void => {
    reloads.push(reload);
    onNext?.();
  };
  const file = KeysetFile.open({ path, clock: () => nowMs, onReload, ...options });
  opened.push(file);
  return file;
}

const write = (...keys: readonly KeysetEntry[]): void => writeFileSync(path, formatKeyset(keys));
const kidsOf = (file: KeysetFile): string[] => file.current().keys.map((key) => key.kid);
/** Resolves with the reload that follows. */
const nextReload = async (): Promise<KeysetReload> => {
  await new Promise<void>((resolve) => (onNext = resolve));
  return reloads.at(-1)!;
};

function refusalOf(action: () => unknown): RoundhouseError {
  try {
    action();
  } catch (error) {
    if (error instanceof RoundhouseError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('opening a keyset file', () => {
  const weak = (change: object): string => JSON.stringify({ version: 1, keys: [{ ...first, ...change }] });
  const spelt = (bytes: Buffer): string => bytes.toString('base64url');

  it.each([
    ['a missing file', undefined, 'keyset_unreadable'],
    ['an empty file', '', 'keyset_malformed'],
    ['a half-written file', formatKeyset([first]).slice(0, 120), 'keyset_malformed'],
    ['a file that is too large', `${formatKeyset([first])}${' '.repeat(KEYSET_CHARS_MAX)}`, 'keyset_malformed'],
    ['no key', formatKeyset([]), 'keyset_no_primary'],
    ['a short key', weak({ k: spelt(randomBytes(31)) }), 'keyset_weak_key'],
    ['a key of little entropy', weak({ k: spelt(Buffer.alloc(32, 7)) }), 'keyset_weak_key'],
    [
      'a known default',
      weak({ k: spelt(createHash('sha256').update('default-insecure-seed').digest()) }),
      'keyset_weak_key',
    ],
    ['an unknown algorithm', weak({ alg: 'A128GCM' }), 'keyset_malformed'],
    ['a repeated kid', formatKeyset([first, { ...second, kid: first.kid }]), 'keyset_duplicate'],
    ['repeated material', formatKeyset([first, { ...second, k: first.k }]), 'keyset_duplicate'],
  ])('refuses %s', (_name, text, reason) => {
    if (text !== undefined) writeFileSync(path, text);
    expect(refusalOf(() => open())).toMatchObject({ code: 'config_invalid', reason });
  });

  it('refuses a folder, and never waits for one', () => {
    mkdirSync(path);
    expect(refusalOf(() => open()).facts).toEqual({ rule: 'the file cannot be read: it is no file' });
  });

  it('says that a file is too large without reading it', () => {
    // More than Node reads at once, and nothing on the disk.
    writeFileSync(path, '');
    truncateSync(path, 3 * 1024 ** 3);
    expect(refusalOf(() => open())).toMatchObject({
      reason: 'keyset_malformed',
      facts: { rule: 'the file is too large' },
    });
  });

  it('reads a file of the largest size', () => {
    writeFileSync(path, formatKeyset([first]).padEnd(KEYSET_CHARS_MAX));
    expect(kidsOf(open())).toEqual([first.kid]);
  });

  it('holds what the file says, and when it was loaded', () => {
    write(first);
    const file = open();
    expect(kidsOf(file)).toEqual([first.kid]);
    expect(file).toMatchObject({ loadedAtMs: T0, outcome: 'ok' });
    expect(reloads).toEqual([]);
  });
});

describe('reloading a keyset file', () => {
  it.each([
    ['is empty', () => truncateSync(path), 'keyset_malformed'],
    ['is half-written', () => writeFileSync(path, formatKeyset([first, second]).slice(0, -40)), 'keyset_malformed'],
    ['holds another weak key', () => write(first, { ...second, k: 'AAAA' }), 'keyset_weak_key'],
    ['activates a key too soon', () => write(first, { ...second, createdAt: second.activateAt }), 'keyset_malformed'],
    ['has grown too large', () => writeFileSync(path, ' '.repeat(KEYSET_CHARS_MAX + 1)), 'keyset_malformed'],
    ['is gone', () => unlinkSync(path), 'keyset_unreadable'],
  ])('keeps the old keys, and says so once, while the file %s', (_name, spoil, reason) => {
    write(first);
    const file = open();
    nowMs += HOUR;
    spoil();
    file.checkNow();
    file.checkNow();
    expect(reloads).toEqual([
      { outcome: 'error', reason, facts: expect.objectContaining({ rule: expect.any(String) }) },
    ]);
    expect(file).toMatchObject({ outcome: 'error', loadedAtMs: T0 });
    expect(kidsOf(file)).toEqual([first.kid]);
  });

  it('tells each fault of a file that is bad first in one way and then in another', () => {
    write(first);
    const file = open();
    unlinkSync(path);
    file.checkNow();
    writeFileSync(path, ' '.repeat(KEYSET_CHARS_MAX + 1));
    file.checkNow();
    expect(reloads).toMatchObject([
      { reason: 'keyset_unreadable', facts: { rule: 'the file cannot be read: ENOENT' } },
      { reason: 'keyset_malformed', facts: { rule: 'the file is too large' } },
    ]);
  });

  it('tells that a bad file is good again, though the keys are the old ones', () => {
    write(first);
    const file = open();
    truncateSync(path);
    file.checkNow();
    write(first);
    file.checkNow();
    expect(reloads.map(({ outcome }) => outcome)).toEqual(['error', 'ok']);
    expect(file.outcome).toBe('ok');
  });

  it('repeats no material of a file it refuses', () => {
    write(first);
    const file = open();
    writeFileSync(path, formatKeyset([first, second]).replace(second.k, `${second.k}\\`));
    file.checkNow();
    expect(JSON.stringify(reloads)).not.toContain(second.k.slice(0, 8));
  });

  it('does nothing while the content stays the same', () => {
    write(first);
    const file = open();
    const before = file.current();
    write(first);
    file.checkNow();
    expect(file.current()).toBe(before);
    expect(reloads).toEqual([]);
  });

  it('swaps the whole keyset at once', () => {
    write(first);
    const file = open();
    const before = file.current();
    write(retiring, second);
    file.checkNow();
    expect(kidsOf(file)).toEqual([second.kid, first.kid]);
    expect(before.keys).toHaveLength(1);
    expect(reloads).toEqual([{ outcome: 'ok', removedEarly: [] }]);
  });

  it.each([
    ['the primary', [first, second], [second], T0 + HOUR, [first.kid]],
    ['a previous key within the life of its states', [retiring, second], [second], T0 + DAY + 60_000, [first.kid]],
    ['a primary by calling it destroyed', [first, second], [pastLife(), second], T0 + HOUR, [first.kid]],
    ['a previous key after the life of its states', [retiring, second], [second], T0 + DAY + HOUR, []],
    ['a staged key', [first, second], [first], T0 + HOUR, []],
    ['a disabled key', [{ ...first, status: 'disabled' }, second], [second], T0 + DAY, []],
    ['a key by disabling it', [first, second], [{ ...first, status: 'disabled' }, second], T0 + DAY, []],
  ] as const)('tells which keys went too early: %s', (...[, before, after, atMs, removedEarly]) => {
    write(...before);
    const file = open();
    nowMs = atMs;
    write(...after);
    file.checkNow();
    expect(reloads).toEqual([{ outcome: 'ok', removedEarly }]);
  });

  function pastLife(): KeysetEntry {
    const times = [T0 - DAY, T0 - DAY, T0 - 10 * HOUR, T0 - HOUR].map((ms) => new Date(ms).toISOString());
    const [createdAt, activateAt, retireAt, destroyAt] = times as [string, string, string, string];
    return { ...first, createdAt, activateAt, retireAt, destroyAt };
  }
});

describe('noticing a change', () => {
  const unpolled = { pollMs: 3_600_000 };

  it('watches: a file that is replaced takes effect without a poll', async () => {
    write(first);
    const file = open(unpolled);
    writeFileSync(`${path}.new`, formatKeyset([retiring, second]));
    renameSync(`${path}.new`, path);
    expect(await nextReload()).toEqual({ outcome: 'ok', removedEarly: [] });
    expect(kidsOf(file)).toContain(second.kid);
  });

  it('watches: a swapped ..data link takes effect though the path never changes', async () => {
    for (const [version, keys] of [
      ['1', [first]],
      ['2', [retiring, second]],
    ] as const) {
      mkdirSync(join(folder, `..v${version}`));
      writeFileSync(join(folder, `..v${version}`, 'keyset.json'), formatKeyset(keys));
    }
    symlinkSync('..v1', join(folder, '..data'));
    symlinkSync(join('..data', 'keyset.json'), path);
    const file = open(unpolled);
    symlinkSync('..v2', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    expect(await nextReload()).toMatchObject({ outcome: 'ok' });
    expect(kidsOf(file)).toContain(second.kid);
  });

  it('polls where nothing can be watched', async () => {
    write(first);
    const file = open({ ...still, pollMs: 2 });
    write(retiring, second);
    await nextReload();
    expect(kidsOf(file)).toContain(second.kid);
  });

  it('polls after a watch failed', async () => {
    const { watch } = await import('node:fs');
    let watcher: ReturnType<typeof watch> | undefined;
    write(first);
    const file = open({
      pollMs: 2,
      watch: ((...args: Parameters<typeof watch>) => (watcher = watch(...args))) as typeof watch,
    });
    let isClosed = false;
    watcher!.once('close', () => (isClosed = true));
    watcher!.emit('error', new Error('the watch is lost'));
    write(retiring, second);
    await nextReload();
    expect(isClosed).toBe(true);
    expect(kidsOf(file)).toContain(second.kid);
  });

  it('sees nothing once closed', async () => {
    write(first);
    const file = open({ pollMs: 1 });
    file.close();
    write(retiring, second);
    for (let turn = 0; turn < 50; turn++) await nextTick();
    expect(kidsOf(file)).toEqual([first.kid]);
  });
});
