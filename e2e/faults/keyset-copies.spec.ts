import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysetCopies, hastened } from './keyset-copies.js';

const SOON = Date.UTC(2026, 8, 1, 12, 0, 2);
const ACTIVE = { kid: 'a', activateAt: '2026-09-01T11:00:00.000Z', createdAt: '2026-09-01T10:50:00.000Z' };
const STAGED = { kid: 'b', activateAt: '2026-09-01T12:10:00.000Z', createdAt: '2026-09-01T12:00:00.000Z' };
const retiring = { ...ACTIVE, retireAt: STAGED.activateAt, destroyAt: '2026-09-01T12:40:00.000Z' };

describe('a keyset that is hastened', () => {
  it('has its newest key seal soon, and the one before retire at the same moment', () => {
    const { keys } = JSON.parse(hastened(JSON.stringify({ version: 1, keys: [retiring, STAGED] }), SOON));
    const activateAt = '2026-09-01T12:00:02.000Z';
    expect(keys).toEqual([
      { ...retiring, retireAt: activateAt },
      { ...STAGED, activateAt, emergency: true },
    ]);
  });

  it('keeps retirements that were over before', () => {
    const older = { ...ACTIVE, kid: '0', activateAt: '2026-09-01T10:00:00.000Z', retireAt: ACTIVE.activateAt };
    const { keys } = JSON.parse(hastened(JSON.stringify({ version: 1, keys: [older, retiring, STAGED] }), SOON));
    expect(keys[0]).toEqual(older);
  });
});

describe('copies of a keyset', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'copies-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are whole at every path, and leave no draft behind', async () => {
    const files = ['router-1', 'router-2'].map((name) => join(folder, name, 'keyset.json'));
    await new KeysetCopies(files).deliver('first', []);
    await new KeysetCopies(files).deliver('second', [0, 1]);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['second', 'second']);
    expect(readdirSync(join(folder, 'router-1'))).toEqual(['keyset.json']);
  });
});
