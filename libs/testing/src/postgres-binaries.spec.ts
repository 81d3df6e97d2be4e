import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensurePostgresBinaries, findPostgresBinaries } from './postgres-binaries.js';

let versions: string;

beforeEach(() => {
  versions = mkdtempSync(join(tmpdir(), 'postgres-versions-'));
});

afterEach(() => {
  rmSync(versions, { recursive: true });
});

function makeVersion(version: string, programs = ['initdb', 'postgres'], mode = 0o755): string {
  const folder = join(versions, version, 'bin');
  mkdirSync(folder, { recursive: true });
  for (const program of programs) {
    writeFileSync(join(folder, program), '#!/bin/sh\n');
    chmodSync(join(folder, program), mode);
  }
  return folder;
}

const search = (env: NodeJS.ProcessEnv = { PATH: '/nowhere' }) => ({ env, isRoot: false, versions });

describe('findPostgresBinaries', () => {
  it('takes the newest version, by number', () => {
    makeVersion('9');
    const newest = makeVersion('17');
    expect(findPostgresBinaries(search())).toBe(newest);
  });

  it('finds programs on PATH where no package put any', () => {
    const folder = makeVersion('local');
    expect(findPostgresBinaries(search({ PATH: `/nowhere:${folder}` }))).toBe(folder);
  });

  it('takes the folder that POSTGRES_BIN names before any other', () => {
    makeVersion('17');
    const chosen = makeVersion('15');
    expect(findPostgresBinaries(search({ PATH: '', POSTGRES_BIN: chosen }))).toBe(chosen);
  });

  it('refuses a POSTGRES_BIN without the programs instead of taking another', () => {
    makeVersion('17');
    const chosen = makeVersion('15', ['postgres']);
    expect(() => findPostgresBinaries(search({ POSTGRES_BIN: chosen }))).toThrow(/no initdb and postgres to run/);
  });

  it.each([
    ['without a server', ['initdb'], 0o755],
    ['that cannot be run', ['initdb', 'postgres'], 0o644],
  ])('passes over a version %s', (_, programs, mode) => {
    makeVersion('17', programs, mode);
    expect(findPostgresBinaries(search())).toBeUndefined();
  });
});

describe('ensurePostgresBinaries', () => {
  it.each([
    ['root without apt-get', true],
    ['a person without root', false],
  ])('tells %s the exact command when there is no server', async (_who, isRoot) => {
    await expect(ensurePostgresBinaries({ ...search(), isRoot })).rejects.toThrow(
      /apt-get update && apt-get install -y --no-install-recommends postgresql/,
    );
  });
});
