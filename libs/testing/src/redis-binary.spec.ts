import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureRedisBinary, findRedisBinary } from './redis-binary.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redis-binary-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function writeFile(name: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
  return path;
}

describe('findRedisBinary', () => {
  it('finds the server on PATH', () => {
    const path = writeFile('redis-server', 0o755);
    expect(findRedisBinary({ PATH: `/nowhere:${folder}` })).toBe(path);
  });

  it('takes the one that REDIS_SERVER names before PATH', () => {
    writeFile('redis-server', 0o755);
    const chosen = writeFile('valkey-server', 0o755);
    expect(findRedisBinary({ PATH: folder, REDIS_SERVER: chosen })).toBe(chosen);
  });

  it('refuses a REDIS_SERVER that cannot be run instead of taking another', () => {
    writeFile('redis-server', 0o755);
    const chosen = writeFile('valkey-server', 0o644);
    expect(() => findRedisBinary({ PATH: folder, REDIS_SERVER: chosen })).toThrow(/cannot be run/);
  });

  it('passes over a file that is not executable', () => {
    writeFile('redis-server', 0o644);
    expect(findRedisBinary({ PATH: folder })).toBeUndefined();
  });
});

describe('ensureRedisBinary', () => {
  it.each([
    ['root without apt-get', true],
    ['a person without root', false],
  ])('tells %s the exact command when there is no server', async (_who, isRoot) => {
    await expect(ensureRedisBinary({ env: { PATH: folder }, isRoot })).rejects.toThrow(
      /apt-get update && apt-get install -y --no-install-recommends redis-server/,
    );
  });
});
