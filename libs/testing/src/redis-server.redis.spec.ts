import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { askRedis } from './ask-redis.js';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from './redis-server.js';

const running: RunningRedis[] = [];

async function start(args: readonly string[] = []): Promise<RunningRedis> {
  const server = await startRedisServer({ args });
  running.push(server);
  return server;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

describe('startRedisServer', () => {
  it(
    'resolves when the server answers on loopback',
    async () => {
      const { port, url } = await start();
      expect(await askRedis(port, 'PING')).toBe('+PONG\r\n');
      expect(url).toBe(`redis://127.0.0.1:${port}`);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'is set up as production has to be: a log, and no eviction',
    async () => {
      const { port } = await start();
      expect(await askRedis(port, 'CONFIG GET appendonly')).toContain('yes');
      expect(await askRedis(port, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'leaves nothing on disk',
    async () => {
      const { port, stop } = await start();
      const folder = (await askRedis(port, 'CONFIG GET dir')).split('\r\n')[4] ?? '';
      expect(existsSync(folder)).toBe(true);
      await stop();
      expect(existsSync(folder)).toBe(false);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'gives each server its own port',
    async () => {
      const [first, second] = await Promise.all([start(), start()]);
      expect(first.port).not.toBe(second.port);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'counts a server that wants a password as started',
    async () => {
      const { port } = await start(['--requirepass', 'only-for-this-test']);
      expect(await askRedis(port, 'PING')).toMatch(/^-NOAUTH/);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'leaves no process behind, even one that was halted',
    async () => {
      const { pid, stop } = await start();
      process.kill(pid, 'SIGSTOP');
      await stop();
      expect(isRunning(pid)).toBe(false);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'fails when the server refuses its arguments',
    async () => {
      await expect(start(['--no-such-setting', '1'])).rejects.toThrow(
        /did not start on 127\.0\.0\.1:\d+: it exited with 1/,
      );
    },
    REDIS_START_TIMEOUT_MS,
  );
});
