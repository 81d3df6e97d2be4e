import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { FollowedFile, type FileChange, type FollowedFileOptions } from './followed-file.js';

let folder: string;
let path: string;
let changes: FileChange<number>[];
let onNext: (() => void) | undefined;
let file: FollowedFile<number> | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'followed-file-'));
  path = join(folder, 'number');
  [changes, onNext, file] = [[], undefined, undefined];
});
afterEach(() => {
  file?.close();
  rmSync(folder, { recursive: true });
});

const bad = (rule: string): RoundhouseError =>
  new RoundhouseError('config_invalid', { reason: 'config_malformed', facts: { rule } });

function read(from: string): string {
  try {
    return readFileSync(from, 'utf8');
  } catch {
    throw bad('it cannot be read');
  }
}

function parse(text: string): number {
  if (!/^\d+$/.test(text)) throw bad('it is no number');
  return Number(text);
}

/** Neither watched nor polled within the life of a test, unless told: looks only when asked to. */
function open(options: Partial<FollowedFileOptions<number>> = {}): FollowedFile<number> {
  file = FollowedFile.open({
    ...{ path, read, parse, pollMs: 3_600_000 },
    watch: (() => {
      throw new Error('no more watches');
    }) as unknown as NonNullable<FollowedFileOptions<number>['watch']>,
    onChange: (change) => {
      changes.push(change);
      onNext?.();
    },
    ...options,
  });
  return file;
}

function replace(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

describe('a followed file', () => {
  it('takes a new content over, whole', () => {
    replace('1');
    const followed = open();
    replace('2');
    followed.checkNow();
    expect([followed.current(), changes]).toEqual([2, [{ outcome: 'ok', before: 1, now: 2 }]]);
  });

  it.each(['x', '', '1\n2'])('keeps the old value while %j stands in it', (text) => {
    replace('1');
    const followed = open();
    replace(text);
    followed.checkNow();
    expect([followed.current(), followed.outcome]).toEqual([1, 'error']);
  });

  it('keeps the old value while it is gone', () => {
    replace('1');
    const followed = open();
    rmSync(path);
    followed.checkNow();
    expect([followed.current(), followed.outcome]).toEqual([1, 'error']);
  });

  it('tells of a bad content once, and of the good one after it', () => {
    replace('1');
    const followed = open();
    replace('x');
    followed.checkNow();
    followed.checkNow();
    replace('1');
    followed.checkNow();
    expect(changes.map(({ outcome }) => outcome)).toEqual(['error', 'ok']);
    expect(followed.outcome).toBe('ok');
  });

  it('tells nothing when it was only touched', () => {
    replace('1');
    const followed = open();
    replace('1');
    followed.checkNow();
    expect(changes).toEqual([]);
  });

  it('is not opened when it is bad', () => {
    replace('x');
    expect(() => open()).toThrow(RoundhouseError);
  });

  it('is not opened when it is absent', () => {
    expect(() => open()).toThrow(RoundhouseError);
  });

  it('is noticed by the watch', async () => {
    replace('1');
    const { watch } = await import('node:fs');
    const followed = open({ watch });
    const changed = new Promise<void>((resolve) => (onNext = resolve));
    replace('2');
    await changed;
    expect(followed.current()).toBe(2);
  });

  it('is noticed by the poll where nothing can be watched', async () => {
    replace('1');
    const followed = open({ pollMs: 5 });
    const changed = new Promise<void>((resolve) => (onNext = resolve));
    replace('2');
    await changed;
    expect(followed.current()).toBe(2);
  });
});
