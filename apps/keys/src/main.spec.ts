/** The tool as a process: what a person at a terminal, a CronJob or a crash makes of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseKeyset } from '@roundhouse/sealed-state';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Dies at the very moment when the draft would become the file. */
const KILLED_AT_RENAME =
  'data:text/javascript,' +
  "import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';" +
  "fs.renameSync = () => process.kill(process.pid, 'SIGKILL'); syncBuiltinESMExports();";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-keys-main-'));
  file = join(folder, 'keyset.json');
  expect(await start(['add', '--create'])).toMatchObject({ code: 0 });
}, 30_000);
afterEach(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(args: readonly string[], imports: readonly string[] = []): Promise<Ended> {
  const hooks = ['./tools/ts-hook.mjs', ...imports].flatMap((url) => ['--import', url]);
  const child = spawn(process.execPath, [...hooks, 'apps/keys/src/main.ts', ...args, '--file', file], { cwd: ROOT });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

const keyCount = (): number => parseKeyset(readFileSync(file, 'utf8')).keys.length;

describe('the process', () => {
  it('tells what it did on stdout and ends with 0', async () => {
    expect(await start(['add'])).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(/^added [0-9a-f]{16}; it seals from \S+ on\n$/),
      stderr: '',
    });
  }, 30_000);

  it('tells what is wrong on stderr and ends with the code of its kind', async () => {
    expect(await start(['promote'])).toEqual({
      code: 3,
      signal: null,
      stdout: '',
      stderr: 'roundhouse-keys: no key is staged: add one first\n',
    });
  }, 30_000);

  it('leaves one winner when several start at once', async () => {
    const ended = await Promise.all([start(['add']), start(['add']), start(['add'])]);
    const codes = ended.map(({ code }) => code);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    expect(codes.every((code) => code === 0 || code === 3 || code === 4)).toBe(true);
    expect(keyCount()).toBe(2);
  }, 30_000);

  it('leaves the old file whole when it is killed before the new one took its place', async () => {
    const before = readFileSync(file, 'utf8');
    expect(await start(['add'], [KILLED_AT_RENAME])).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(readFileSync(file, 'utf8')).toBe(before);

    const next = await start(['add']);
    expect(next).toMatchObject({ code: 4, stderr: expect.stringContaining(`delete ${file}.lock`) });
    rmSync(`${file}.lock`);
    expect(await start(['add'])).toMatchObject({ code: 0 });
    expect(keyCount()).toBe(2);
    expect(existsSync(`${file}.draft`)).toBe(false);
  }, 30_000);
});
