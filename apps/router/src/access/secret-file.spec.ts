import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSecretFile } from './secret-file.js';

let file: string;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-secret-'));
  file = join(folder, 'secret');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a secret in a file', () => {
  it.each([
    ['s3cret', 's3cret'],
    ['s3cret\n', 's3cret'],
    ['s3cret\r\n', 's3cret'],
    [' s3cret \n\n', ' s3cret \n'],
  ])('is read from %j without the last line break', async (text, secret) => {
    writeFileSync(file, text);
    expect(await readSecretFile(file)).toBe(secret);
  });

  it('is read again, because it may have changed', async () => {
    writeFileSync(file, 'one');
    await readSecretFile(file);
    writeFileSync(file, 'two');
    expect(await readSecretFile(file)).toBe('two');
  });

  it.each([
    ['empty', ''],
    ['a line break', '\n'],
    ['too long', 's'.repeat(4_097)],
  ])('is not there when the file is %s', async (_what, text) => {
    writeFileSync(file, text);
    await expect(readSecretFile(file)).rejects.toMatchObject({ code: 'authorization_unavailable' });
  });

  it.each(['missing', '.'])('is not there when the path is %j, and the path is not told', async (name) => {
    const error: unknown = await readSecretFile(join(folder, name)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'authorization_unavailable', reason: 'config_unreadable' });
    expect(JSON.stringify(error)).not.toContain(folder);
  });
});
