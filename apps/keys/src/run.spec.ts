import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { formatKeyset, parseKeyset, reportKeyset, type KeysetEntry } from '@roundhouse/sealed-state';
import { readClusterAccess } from './cluster-access.js';
import { run, type RunResult } from './run.js';

const T0 = Date.UTC(2026, 8, 1);
const MINUTE = 60_000;
const cluster = () => readClusterAccess({});

let folder: string;
let file: string;
let nowMs: number;
let addresses: readonly string[];
let routers: Server[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-keys-'));
  file = join(folder, 'keyset.json');
  [nowMs, addresses, routers] = [T0, [], []];
  await keys('add', '--create');
  nowMs += 60 * MINUTE;
});
afterEach(() => {
  for (const router of routers) router.close();
  rmSync(folder, { recursive: true });
});

function keys(...args: readonly string[]): Promise<RunResult> {
  const lookup = async (name: string): Promise<readonly string[]> => {
    if (name !== 'routers') throw new Error('ENOTFOUND');
    return addresses;
  };
  return run([...args, '--file', file], { clock: () => nowMs, randomBytes, lookup, cluster });
}

const entries = (): KeysetEntry[] => (JSON.parse(readFileSync(file, 'utf8')) as { keys: KeysetEntry[] }).keys;
const kidAt = (index: number): string => entries()[index]!.kid;

/** The admin port of a router that holds these keys; resolves with its port. */
async function startRouter(page: () => { status: number; text: string }): Promise<number> {
  const server = createServer((_request, response) => {
    const { status, text } = page();
    response.writeHead(status).end(text);
  });
  routers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function holding(...held: readonly KeysetEntry[]): () => { status: number; text: string } {
  const keyset = parseKeyset(formatKeyset(held));
  const text = JSON.stringify(reportKeyset(keyset, { nowMs, loadedAtMs: nowMs, outcome: 'ok' }));
  return () => ({ status: 200, text });
}

describe('roundhouse-keys', () => {
  it('adds, waits for its time, retires and prunes', async () => {
    const [first] = entries();
    expect(await keys('add')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^added \w{16}; it seals from /),
    });
    nowMs += 60 * MINUTE;
    expect(await keys('prune')).toEqual({ exitCode: 0, output: `pruned ${first!.kid}\n`, problem: '' });
    expect(entries()).toHaveLength(1);
  });

  it.each([
    ['add', ['add', '--activate-in', '2h'], 'added'],
    ['promote', ['promote', '--force'], 'promoted'],
    ['prune', ['prune'], 'nothing to prune'],
    ['status', ['status'], 'KEY'],
    ['status for machines', ['status', '--json'], '{"keys":'],
    ['help', ['--help'], 'Usage: roundhouse-keys'],
  ])('%s ends with 0 and shows no material', async (_name, args, words) => {
    if (args[0] !== 'add') await keys('add');
    const { exitCode, output, problem } = await keys(...args);
    expect({ exitCode, problem }).toEqual({ exitCode: 0, problem: '' });
    expect(output).toContain(words);
    for (const { k } of entries()) expect(output).not.toContain(k.slice(0, 8));
  });

  it('disables the key that seals, and another takes over', async () => {
    const kid = kidAt(0);
    expect(await keys('disable', kid)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('seals from now on'),
    });
    const keyset = parseKeyset(readFileSync(file, 'utf8'));
    expect(keyset.byKid(kid)?.enabled).toBe(false);
    expect(keyset.primaryAt(nowMs)).toBeDefined();
  });

  it('writes for the owner alone and leaves nothing beside the file', async () => {
    await keys('add');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['keyset.json']);
  });

  it('writes through a link, not over it', async () => {
    const real = file;
    file = join(folder, 'link.json');
    symlinkSync(real, file);
    await keys('add');
    expect(JSON.parse(readFileSync(real, 'utf8'))).toMatchObject({ keys: [{}, {}] });
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(real, 'utf8'));
  });

  it.each([
    ['no command', []],
    ['an unknown command', ['rotate']],
    ['an unknown option', ['add', '--now']],
    ['an option of another command', ['prune', '--force']],
    ['a second word', ['disable', 'a', 'b']],
    ['a word too many', ['add', 'key']],
    ['disable without a key', ['disable']],
    ['a time without unit', ['add', '--activate-in', '600']],
    ['a router without port', ['add', '--router', 'router-0']],
    ['a router that is a URL', ['add', '--router', 'http://router-0:9090']],
    ['a name without port', ['promote', '--routers-dns', 'routers']],
  ])('explains itself and ends with 2 on %s', async (_name, args) => {
    const { exitCode, output, problem } = await keys(...args);
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(problem).toContain('Usage: roundhouse-keys');
  });

  it('ends with 2 without a file', async () => {
    expect(await run(['add'], { clock: () => nowMs, randomBytes, lookup: async () => [], cluster })).toMatchObject({
      exitCode: 2,
    });
  });

  it.each([
    ['a second rotation', ['add'], 'one rotation at a time'],
    ['a rotation too fast', ['add', '--activate-in', '5m'], 'at least 10m'],
    ['a promotion too early', ['promote'], '--force'],
    ['pruning what still opens', ['prune', 'FIRST'], 'may still open something'],
    ['disabling what is not there', ['disable', '0123456789abcdef'], 'there is no key'],
    ['creating over a file', ['add', '--create'], 'there is a keyset already'],
  ])('ends with 3 and changes nothing on %s', async (_name, args, problem) => {
    await keys('add');
    const before = readFileSync(file, 'utf8');
    const result = await keys(...args.map((arg) => (arg === 'FIRST' ? kidAt(0) : arg)));
    expect(result).toEqual({ exitCode: 3, output: '', problem: expect.stringContaining(problem) });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['keyset.json']);
  });

  it.each([
    ['that is missing', undefined, 'keyset_unreadable'],
    ['that is empty', '', 'keyset_malformed'],
    ['with a member from the future', '{"version":1,"keys":[],"kms":{}}', 'unknown member'],
    ['that no router would load', formatKeyset([]), 'keyset_no_primary'],
  ])('ends with 1 and leaves a file alone %s', async (_name, text, problem) => {
    rmSync(file);
    if (text !== undefined) writeFileSync(file, text);
    expect(await keys('add')).toEqual({ exitCode: 1, output: '', problem: expect.stringContaining(problem) });
    if (text !== undefined) expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('never repeats a broken file', async () => {
    const { k } = entries()[0]!;
    writeFileSync(file, readFileSync(file, 'utf8').replace(k, `${k}"`));
    expect((await keys('status')).problem).not.toContain(k.slice(0, 8));
  });

  it('ends with 4 while another run changes the file', async () => {
    writeFileSync(`${file}.lock`, '');
    expect(await keys('add')).toEqual({ exitCode: 4, output: '', problem: expect.stringContaining(`${file}.lock`) });
    expect(entries()).toHaveLength(1);
    expect((await keys('status')).exitCode).toBe(0);
  });

  it('ends with 4 when another run changed the file while the routers were asked', async () => {
    const port = await startRouter(() => {
      writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
      return holding(...entries())();
    });
    expect(await keys('add', '--router', `127.0.0.1:${port}`)).toMatchObject({ exitCode: 4 });
    expect(entries()).toHaveLength(1);
  });
});

describe('asking the routers', () => {
  it.each(['add', 'promote'])('lets %s go on when every router knows the keys', async (command) => {
    if (command === 'promote') await keys('add');
    nowMs += 9 * MINUTE;
    const ports = await Promise.all([startRouter(holding(...entries())), startRouter(holding(...entries()))]);
    const asked = ports.flatMap((port) => ['--router', `127.0.0.1:${port}`]);
    expect(await keys(command, ...asked, ...(command === 'promote' ? ['--force'] : []))).toMatchObject({ exitCode: 0 });
  });

  it('refuses to promote while one router lacks the staged key, even when forced', async () => {
    const old = entries();
    await keys('add');
    const [good, late] = await Promise.all([startRouter(holding(...entries())), startRouter(holding(...old))]);
    const asked = ['--router', `127.0.0.1:${good}`, '--router', `127.0.0.1:${late}`];
    expect(await keys('promote', '--force', '--allow-unreachable', ...asked)).toMatchObject({
      exitCode: 3,
      problem: expect.stringContaining(`127.0.0.1:${late} lacks ${kidAt(1)}`),
    });
  });

  it('refuses to add while one router lacks the key that seals now', async () => {
    const old = entries();
    await keys('add');
    nowMs += 11 * MINUTE;
    const late = await startRouter(holding(...old));
    expect(await keys('add', '--router', `127.0.0.1:${late}`)).toMatchObject({
      exitCode: 3,
      problem: expect.stringContaining(`lacks ${kidAt(1)}`),
    });
  });

  it.each([
    ['does not listen', async () => 1],
    ['has no report', () => startRouter(() => ({ status: 404, text: 'not found' }))],
    ['reports nonsense', () => startRouter(() => ({ status: 200, text: '<html>' }))],
    ['reports without end', () => startRouter(() => ({ status: 200, text: ' '.repeat(64 * 1024) }))],
    ['sends elsewhere', () => startRouter(() => ({ status: 302, text: '' }))],
  ])('counts a router as unreachable that %s', async (_name, start) => {
    const address = `127.0.0.1:${await start()}`;
    expect(await keys('add', '--router', address)).toMatchObject({
      exitCode: 3,
      problem: expect.stringContaining(`${address} cannot be reached`),
    });
    expect(await keys('add', '--router', address, '--allow-unreachable')).toMatchObject({ exitCode: 0 });
  });

  it('finds them all by one name', async () => {
    addresses = ['127.0.0.1', '127.0.0.1'];
    const port = await startRouter(holding(...entries()));
    const { output } = await keys('status', '--json', '--routers-dns', `routers:${port}`);
    const [first] = entries();
    expect(JSON.parse(output)).toEqual({
      keys: [
        {
          kid: first!.kid,
          role: 'primary',
          createdAt: first!.createdAt,
          activateAt: first!.activateAt,
          emergency: false,
        },
      ],
      replicas: Array.from({ length: 2 }, () => ({
        address: `127.0.0.1:${port}`,
        reachable: true,
        primary: first!.kid,
        missing: [],
        outcome: 'ok',
      })),
    });
  });

  it.each([
    ['does not exist', 'nowhere:9090'],
    ['has no address', 'routers:9090'],
  ])('refuses when the name %s', async (_name, name) => {
    expect(await keys('add', '--routers-dns', name)).toMatchObject({
      exitCode: 3,
      problem: expect.stringContaining(`${name} cannot be reached`),
    });
  });

  it('shows in the table who lacks what', async () => {
    const old = entries();
    await keys('add');
    const late = await startRouter(holding(...old));
    const { output } = await keys('status', '--router', `127.0.0.1:${late}`, '--router', '127.0.0.1:1');
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^KEY +ROLE +CREATED +SEALS FROM +RETIRES +DESTROYED$/),
      expect.stringMatching(new RegExp(`^${kidAt(1)} +staged .* never +never$`)),
      expect.stringMatching(new RegExp(`^${kidAt(0)} +primary `)),
      '',
      expect.stringMatching(/^ROUTER +SEALS WITH +LACKS +ITS FILE IS$/),
      expect.stringMatching(new RegExp(`^127.0.0.1:${late} +${kidAt(0)} +${kidAt(1)} +good$`)),
      expect.stringMatching(/^127.0.0.1:1 +unreachable$/),
      '',
    ]);
  });
});
