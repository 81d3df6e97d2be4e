import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createKeysetEntry, formatKeyset, parseKeyset, type KeysetEntry } from '@roundhouse/sealed-state';
import { routerConfig } from '../config.js';
import { KeysetKeeper } from './keyset-keeper.js';

const T0 = Date.UTC(2026, 8, 1);
const HOUR = 3_600_000;
const first = createKeysetEntry({ nowMs: T0, activateAtMs: T0, randomBytes });
const second = createKeysetEntry({ nowMs: T0, activateAtMs: T0 + HOUR, randomBytes });

let folder: string;
let file: string;
let nowMs: number;
let lines: string[];
let onLine: (() => void) | undefined;
let keeper: KeysetKeeper | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyset-keeper-'));
  file = join(folder, 'keyset.json');
  [nowMs, lines, onLine] = [T0, [], undefined];
});
afterEach(() => {
  keeper?.stop();
  rmSync(folder, { recursive: true });
});

const config = () => ({ ...routerConfig.load({}), keyset: { file, pollMs: 5 } });
const write = (...keys: readonly KeysetEntry[]): void => writeFileSync(file, formatKeyset(keys));
const options = {
  clock: () => nowMs,
  log: { log: said('info'), warn: said('warn'), error: said('error') },
};

function said(level: string): (message: unknown) => void {
  return (message) => {
    lines.push(`${level}: ${String(message)}`);
    onLine?.();
  };
}

function follow(): KeysetKeeper {
  keeper = KeysetKeeper.follow(config(), options);
  keeper.start();
  return keeper;
}

const line = (): Promise<void> => new Promise((resolve) => (onLine = resolve));

describe('the keyset of a router', () => {
  it('is refused at start when no file is named', () => {
    const unnamed = { ...config(), keyset: { pollMs: 5 } };
    expect(() => KeysetKeeper.follow(unnamed, options)).toThrow(
      expect.objectContaining({ reason: 'keyset_unreadable' }),
    );
  });

  it.each([
    ['is missing', undefined, 'keyset_unreadable'],
    ['is empty', '', 'keyset_malformed'],
    ['holds no key', formatKeyset([]), 'keyset_no_primary'],
  ])('is refused at start when the file %s', (_name, text, reason) => {
    if (text !== undefined) writeFileSync(file, text);
    expect(() => KeysetKeeper.follow(config(), options)).toThrow(expect.objectContaining({ reason }));
  });

  it('says once which key seals', () => {
    write(first, second);
    follow().noticePrimary();
    expect(lines).toEqual([`info: key ${first.kid} seals from now on`]);
  });

  it('says when another key takes over, though no file changed', () => {
    write(first, second);
    const keyset = follow();
    nowMs += HOUR;
    keyset.noticePrimary();
    expect(lines.slice(1)).toEqual([`info: key ${second.kid} seals from now on; before it ${first.kid} did`]);
  });

  it('says that it was reloaded, and which keys went too early', async () => {
    write(first, second);
    follow();
    write(second, { ...first, kid: 'ffffffffffffffff', k: randomBytes(32).toString('base64url') });
    await line();
    expect(lines[1]).toBe(
      `warn: keyset reloaded: ${second.kid}, ffffffffffffffff; gone although unexpired states need them: ${first.kid}`,
    );
    expect(lines[2]).toBe(`info: key ffffffffffffffff seals from now on; before it ${first.kid} did`);
  });

  it('keeps its keys when the file turns bad, says which rule it broke, and shows it', async () => {
    write(first);
    const keyset = follow();
    writeFileSync(`${file}`, formatKeyset([{ ...first, k: 'AAAA' }]));
    while (keyset.report().outcome === 'ok') await line();
    expect(lines.at(-1)).toBe(
      `error: keyset not reloaded, the keys before stay: keyset_weak_key: k is shorter than 32 bytes (key ${first.kid})`,
    );
    expect(keyset.report().keys.map(({ kid }) => kid)).toEqual([first.kid]);
    expect(keyset.whyNotReady()).toBeUndefined();
  });

  it('is not ready while no key may seal, and says so', () => {
    write({ ...first, retireAt: new Date(T0 + HOUR).toISOString() });
    const keyset = follow();
    expect(keyset.whyNotReady()).toBeUndefined();
    nowMs += HOUR;
    keyset.noticePrimary();
    expect(keyset.whyNotReady()).toBe('no key may seal now');
    expect(lines.at(-1)).toBe(`error: no key may seal now; before it ${first.kid} did`);
  });

  it('warns of a key that is destroyed before its last state expires by the settings of this router', () => {
    const times = {
      retireAt: new Date(T0 + HOUR).toISOString(),
      destroyAt: new Date(T0 + HOUR + 22 * 60_000).toISOString(),
    };
    write({ ...first, ...times }, second);
    keeper = KeysetKeeper.follow({ ...config(), flow: { ...config().flow, urlTtlMs: HOUR } }, options);
    keeper.start();
    expect(lines[0]).toBe(`warn: destroyed before their last states expire, 62 min after they retired: ${first.kid}`);
    keeper.stop();
    lines = [];
    follow();
    expect(lines).toEqual([`info: key ${first.kid} seals from now on`]);
  });

  it('never shows or logs material', async () => {
    write(first, second);
    const keyset = follow();
    write(second, first);
    await line();
    const shown = JSON.stringify(keyset.report()) + lines.join('\n');
    for (const { k } of [first, second]) expect(shown).not.toContain(k.slice(0, 8));
  });

  it('may be held by the process instead of a file', () => {
    keeper = KeysetKeeper.hold(parseKeyset(formatKeyset([first])), options);
    keeper.start();
    expect(keeper.report()).toEqual({
      keys: [{ kid: first.kid, role: 'primary', activateAt: first.activateAt }],
      loadedAt: first.createdAt,
      outcome: 'ok',
    });
    expect(keeper.whyNotReady()).toBeUndefined();
  });
});
