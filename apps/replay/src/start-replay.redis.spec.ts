import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PATTERN } from '@roundhouse/contracts';
import { RpcClient, RpcRefusal, type RunningService } from '@roundhouse/service-kit';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis, until } from '@roundhouse/testing';
import { replayConfig } from './config.js';
import { startReplay } from './start-replay.js';

const CLAIM = {
  claimId: 'c'.repeat(43),
  fingerprint: 'f'.repeat(43),
  owner: 'owner-of-the-claim',
  leaseMs: 60_000,
  retainMs: 60_000,
};
const PASSWORD = 'password-marker';

let folder: string;
let urlFile: string;
let redis: RunningRedis;
let services: RunningService[];
let clients: RpcClient[];
let processes: ChildProcess[];

beforeEach(async () => {
  services = [];
  clients = [];
  processes = [];
  folder = mkdtempSync(join(tmpdir(), 'replay-'));
  urlFile = join(folder, 'url');
  redis = await startRedisServer({ args: ['--requirepass', PASSWORD] });
  writeFileSync(urlFile, `redis://:${PASSWORD}@127.0.0.1:${redis.port}\n`);
}, REDIS_START_TIMEOUT_MS);

afterEach(async () => {
  for (const client of clients) client.close();
  for (const child of processes) child.kill('SIGKILL');
  await Promise.all(services.map((service) => service.close()));
  await redis.stop();
  rmSync(folder, { recursive: true });
});

async function start(env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const config = replayConfig.load({
    ROUNDHOUSE_REDIS_URL_FILE: urlFile,
    ROUNDHOUSE_REPLAY_RPC_PORT: '0',
    ROUNDHOUSE_LOG_LEVEL: 'silent',
    ...env,
  });
  // A machine under load must not decide a test.
  const service = await startReplay({ ...config, store: { ...config.store, commandTimeoutMs: 5_000 } });
  services.push(service);
  return service;
}

function clientOf({ address }: Pick<RunningService, 'address'>): RpcClient {
  const client = new RpcClient(address);
  clients.push(client);
  return client;
}

function launch(env: NodeJS.ProcessEnv): { child: ChildProcess; output: () => string } {
  const [hook, main] = ['../../../tools/ts-hook.mjs', './main.ts'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const child = spawn(process.execPath, ['--conditions=@roundhouse/source', '--import', hook ?? '', main ?? ''], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  processes.push(child);
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return { child, output: () => chunks.join('') };
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

async function freePort(): Promise<number> {
  const { address, close } = await startReplay(
    replayConfig.load({
      ROUNDHOUSE_REPLAY_STORE: 'memory',
      ROUNDHOUSE_REPLAY_RPC_PORT: '0',
      ROUNDHOUSE_LOG_LEVEL: 'silent',
    }),
  );
  await close();
  return address.port;
}

describe('the replay service on Redis', () => {
  it('answers a claim once, whichever replica is asked', async () => {
    const replicas = (await Promise.all([start(), start()])).map(clientOf);
    const asked = Array.from({ length: 20 }, async (_, index) =>
      replicas[index % 2]?.ask(PATTERN.claim, { ...CLAIM, owner: `owner-of-attempt-${index}` }, 5_000),
    );
    const answers = (await Promise.all(asked)) as { status: string }[];
    expect(answers.filter(({ status }) => status === 'new')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'inflight')).toHaveLength(19);
  });

  it('lets a twin wait at another replica than the one that settles', async () => {
    const [first, second] = (await Promise.all([start(), start()])).map(clientOf);
    await first?.ask(PATTERN.claim, CLAIM, 5_000);
    const twin = second?.ask(
      PATTERN.outcome,
      { claimId: CLAIM.claimId, fingerprint: CLAIM.fingerprint, waitMs: 10_000 },
      15_000,
    );
    await first?.ask(
      PATTERN.settle,
      { claimId: CLAIM.claimId, owner: CLAIM.owner, result: 'sealed', retainMs: 60_000 },
      5_000,
    );
    expect(await twin).toEqual({ status: 'done', result: 'sealed' });
  });

  it(
    'refuses every call while Redis is away, and answers again when it is back',
    async () => {
      const client = clientOf(await start());
      await client.ready();
      await redis.stop();
      const refusal = await client.ask(PATTERN.claim, CLAIM, 5_000).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(RpcRefusal);
      expect((refusal as RpcRefusal).detail).toEqual({ code: 'replay_unavailable', reason: 'replay_store_failed' });
      redis = await startRedisServer({ port: redis.port, args: ['--requirepass', PASSWORD] });
      await until(() =>
        client.ask(PATTERN.claim, CLAIM, 5_000).then(
          () => true,
          () => false,
        ),
      );
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'is ready only while it reaches Redis',
    async () => {
      const adminPort = await freePort();
      await start({ ROUNDHOUSE_REPLAY_ADMIN_PORT: String(adminPort) });
      const readiness = async (): Promise<number> => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status;
      expect(await readiness()).toBe(200);
      await redis.stop();
      await until(async () => (await readiness()) === 503);
      expect((await fetch(`http://127.0.0.1:${adminPort}/livez`)).status).toBe(200);
      redis = await startRedisServer({ port: redis.port, args: ['--requirepass', PASSWORD] });
      await until(async () => (await readiness()) === 200);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it.each([
    ['a file that is not there', 'absent', undefined],
    ['a file without an address', 'url', 'not a url'],
  ])('does not start with %s', async (_name, file, content) => {
    if (content !== undefined) writeFileSync(urlFile, content);
    await expect(start({ ROUNDHOUSE_REDIS_URL_FILE: join(folder, file) })).rejects.toMatchObject({
      code: 'config_invalid',
    });
  });
});

describe('the replay process', () => {
  it(
    'serves until it is told to stop, ends with code 0, and shows no password',
    async () => {
      const port = await freePort();
      const { child, output } = launch({
        ROUNDHOUSE_REDIS_URL_FILE: urlFile,
        ROUNDHOUSE_REPLAY_RPC_PORT: String(port),
        ROUNDHOUSE_LOG_LEVEL: 'debug',
      });
      await until(() => isListening(port));
      const client = clientOf({ address: { host: '127.0.0.1', port } });
      expect(await client.ask(PATTERN.claim, CLAIM, 5_000)).toEqual({ status: 'new' });
      await redis.stop();
      await until(async () => output().includes('Redis is out of reach'));
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(output()).not.toContain(PASSWORD);
      expect(output()).not.toContain(CLAIM.owner);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'refuses to start on the in-memory store',
    async () => {
      const { child, output } = launch({ ROUNDHOUSE_REPLAY_STORE: 'memory' });
      expect(await once(child, 'exit')).toEqual([1, null]);
      expect(output()).toContain('replay.store.kind: "memory" is for the standalone process only');
    },
    REDIS_START_TIMEOUT_MS,
  );
});
