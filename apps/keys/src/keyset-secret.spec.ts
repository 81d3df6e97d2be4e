import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseKeyset } from '@roundhouse/sealed-state';
import { readClusterAccess, type ClusterAccess } from './cluster-access.js';
import { run, type RunResult } from './run.js';
import { FakeApiServer } from './testing/fake-api-server.js';

const T0 = Date.UTC(2026, 8, 1);
const MINUTE = 60_000;
const TOKEN = 'token-marker';

let server: FakeApiServer;
let access: ClusterAccess;
let nowMs: number;

beforeEach(async () => {
  server = await FakeApiServer.start({ token: TOKEN, namespace: 'mcp' });
  access = { url: `http://127.0.0.1:${server.port}`, namespace: 'mcp', token: TOKEN, ca: undefined };
  nowMs = T0;
});
afterEach(() => server.stop());

const cluster = (): ClusterAccess => access;
const lookup = async (): Promise<readonly string[]> => [];
function keys(...args: readonly string[]): Promise<RunResult> {
  return run(['--secret', 'keyset', ...args], { clock: () => nowMs, randomBytes, lookup, cluster });
}

const textOf = (key = 'keyset.json'): string =>
  Buffer.from(server.secrets.get('keyset')?.data?.[key] ?? '', 'base64').toString();
const kidsOf = (text: string): string[] => parseKeyset(text).keys.map(({ kid }) => kid);

describe('a keyset in a Secret', () => {
  it('is made with one key that seals at once', async () => {
    expect(await keys('add', '--create')).toMatchObject({ exitCode: 0, problem: '' });
    expect(parseKeyset(textOf()).primaryAt(T0)).toBeDefined();
    expect(server.secrets.get('keyset')).toMatchObject({ type: 'Opaque', metadata: { name: 'keyset' } });
  });

  it('is never made over another, and the next run says so without failing where that is expected', async () => {
    await keys('add', '--create');
    const before = textOf();
    expect(await keys('add', '--create')).toMatchObject({
      exitCode: 3,
      problem: expect.stringContaining('there is a keyset already'),
    });
    expect(await keys('add', '--create', '--if-absent')).toEqual({
      exitCode: 0,
      output: 'there is a keyset already: it stays as it is\n',
      problem: '',
    });
    expect(textOf()).toBe(before);
  });

  it('is made without reading anything', async () => {
    await keys('add', '--create', '--if-absent');
    expect(server.requests).toEqual(['POST /api/v1/namespaces/mcp/secrets']);
  });

  it('is rotated in place, and what else the Secret holds stays', async () => {
    await keys('add', '--create');
    const secret = server.secrets.get('keyset')!;
    const labels = { team: 'platform' };
    server.store({ ...secret, metadata: { name: 'keyset', labels }, data: { ...secret.data, other: 'eA==' } });
    nowMs += 60 * MINUTE;
    expect(await keys('add')).toMatchObject({ exitCode: 0 });
    expect(kidsOf(textOf())).toHaveLength(2);
    expect(server.secrets.get('keyset')).toMatchObject({ metadata: { labels }, data: { other: 'eA==' } });
  });

  it('goes through a day of promote, prune and disable', async () => {
    await keys('add', '--create');
    nowMs += 60 * MINUTE;
    await keys('add', '--activate-in', '1d');
    nowMs += 11 * MINUTE;
    expect(await keys('promote')).toMatchObject({ exitCode: 0 });
    nowMs += 24 * 60 * MINUTE;
    expect(await keys('prune')).toMatchObject({ exitCode: 0, output: expect.stringContaining('pruned') });
    expect(kidsOf(textOf())).toHaveLength(1);
    const [kid = ''] = kidsOf(textOf());
    expect(await keys('disable', kid)).toMatchObject({ exitCode: 0 });
    expect(await keys('status')).toMatchObject({ output: expect.stringContaining('disabled') });
  });

  it('is written only when something changes', async () => {
    await keys('add', '--create');
    await keys('prune');
    expect(server.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
  });

  it('can stand under a key of the operator’s choice', async () => {
    await keys('add', '--create', '--secret-key', 'keys');
    expect(kidsOf(textOf('keys'))).toHaveLength(1);
    expect(await keys('status')).toMatchObject({
      exitCode: 1,
      problem: expect.stringContaining('has no key keyset.json'),
    });
  });
});

describe('nothing is changed', () => {
  beforeEach(async () => {
    await keys('add', '--create');
    nowMs += 60 * MINUTE;
  });

  it('by two runs at once', async () => {
    const results = await Promise.all([keys('add'), keys('add')]);
    expect(results.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 4]);
    expect(kidsOf(textOf())).toHaveLength(2);
  });

  it('by a run that read before another one wrote', async () => {
    let puts = 0;
    const before = textOf();
    server.beforeReply = (method) => {
      if (method === 'PUT' && (puts += 1) === 1) server.store(server.secrets.get('keyset')!);
    };
    expect(await keys('add')).toMatchObject({ exitCode: 4, problem: expect.stringContaining('run again') });
    expect(textOf()).toBe(before);
  });

  it.each([
    [401, 'this service account may not read the Secret: status 401'],
    [403, 'this service account may not read the Secret: status 403'],
    [500, 'the API server did not read the Secret: status 500'],
  ])('when the API server answers %d, whose body is not told', async (status, words) => {
    server.failure = { status, body: '{"message":"body-marker"}' };
    const { exitCode, problem } = await keys('add');
    expect({ exitCode, problem }).toEqual({ exitCode: 1, problem: `roundhouse-keys: ${words}\n` });
  });

  it('when the API server answers without end', async () => {
    server.failure = { status: 200, body: 'x'.repeat(3 * 1024 * 1024) };
    expect(await keys('add')).toMatchObject({ exitCode: 1, problem: expect.stringContaining('too large') });
  });

  it('when the API server is away', async () => {
    access = { ...access, url: 'http://127.0.0.1:1' };
    expect(await keys('add')).toMatchObject({ exitCode: 1, problem: expect.stringContaining('cannot be reached') });
  });

  it('when the Secret is not there', async () => {
    server.secrets.clear();
    expect(await keys('add')).toMatchObject({ exitCode: 1, problem: expect.stringContaining('add --create makes it') });
  });

  it.each([
    ['no keyset', 'hunter2'],
    ['a weak key', textWithKey('A'.repeat(43))],
  ])('when the Secret holds %s, and its content is not told', async (_name, text) => {
    const data = { 'keyset.json': Buffer.from(text).toString('base64') };
    server.store({ metadata: { name: 'keyset' }, data });
    const { exitCode, output, problem } = await keys('add');
    expect(exitCode).toBe(1);
    expect(output + problem).not.toMatch(/hunter2|AAAA/);
    expect(server.secrets.get('keyset')?.data).toEqual(data);
  });

  it('and neither token nor key material is told, whatever happens', async () => {
    const { k } = (JSON.parse(textOf()) as { keys: { k: string }[] }).keys[0]!;
    const results = [await keys('status'), await keys('status', '--json'), await keys('add'), await keys('add')];
    for (const { output, problem } of results) {
      expect(output + problem).not.toContain(k);
      expect(output + problem).not.toContain(TOKEN);
    }
  });
});

describe('the command line', () => {
  it.each([
    ['a file as well', ['status', '--file', 'a']],
    ['a name that is none', ['status', '--secret', 'A B']],
    ['a key that is none', ['status', '--secret-key', 'a/b']],
    ['--if-absent without --create', ['add', '--if-absent']],
    ['--if-absent elsewhere', ['prune', '--if-absent']],
  ])('ends with 2 on %s', async (_name, args) => {
    expect(await keys(...args)).toMatchObject({ exitCode: 2 });
    expect(server.requests).toEqual([]);
  });

  it('ends with 2 on a key of a Secret without one', async () => {
    const result = await run(['status', '--file', 'a', '--secret-key', 'b'], {
      clock: Date.now,
      randomBytes,
      lookup,
      cluster,
    });
    expect(result).toMatchObject({ exitCode: 2, problem: expect.stringContaining('--secret-key belongs to --secret') });
  });
});

describe('a pod', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const env = (host: string): NodeJS.ProcessEnv => ({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '6443' });
  function fill(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${text}\n`);
  }

  it('reaches the API server by what Kubernetes gave it', () => {
    fill({ namespace: 'mcp', token: TOKEN, 'ca.crt': 'CERTIFICATE' });
    const rest = { namespace: 'mcp', token: TOKEN, ca: 'CERTIFICATE' };
    expect(readClusterAccess(env('10.0.0.1'), folder)).toEqual({ url: 'https://10.0.0.1:6443', ...rest });
    expect(readClusterAccess(env('fd00::1'), folder)).toEqual({ url: 'https://[fd00::1]:6443', ...rest });
  });

  it('without a token is told so', () => {
    expect(() => readClusterAccess(env('10.0.0.1'), folder)).toThrow('the pod has no token for the API server');
  });

  it('is the only place where a Secret can be named', () => {
    expect(() => readClusterAccess({}, folder)).toThrow('--secret works in a pod only');
  });

  it('believes only an API server whose certificate its authority signed', async () => {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
    const subject = ['-subj', '/CN=api', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', '-x509', ...how, ...subject], { stdio: 'ignore' });
    const ca = readFileSync(cert, 'utf8');
    const secured = await FakeApiServer.start({
      token: TOKEN,
      namespace: 'mcp',
      tls: { key: readFileSync(key, 'utf8'), cert: ca },
    });
    try {
      access = { url: `https://127.0.0.1:${secured.port}`, namespace: 'mcp', token: TOKEN, ca: undefined };
      expect(await keys('add', '--create')).toMatchObject({
        exitCode: 1,
        problem: expect.stringContaining('cannot be reached'),
      });
      expect(secured.requests).toEqual([]);
      access = { ...access, ca };
      expect(await keys('add', '--create')).toMatchObject({ exitCode: 0 });
    } finally {
      await secured.stop();
    }
  });
});

function textWithKey(k: string): string {
  const [createdAt, activateAt] = [new Date(T0).toISOString(), new Date(T0).toISOString()];
  const entry = { kid: '9f86d081884c7d65', alg: 'XAES-256-GCM', k, createdAt, activateAt, status: 'enabled' };
  return JSON.stringify({ version: 1, keys: [entry] });
}
