import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { POSTGRES_START_TIMEOUT_MS, startPostgresServer, type RunningPostgres } from './postgres-server.js';

const running: RunningPostgres[] = [];

async function start(args: readonly string[] = []): Promise<RunningPostgres> {
  const server = await startPostgresServer({ args });
  running.push(server);
  return server;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

describe('startPostgresServer', () => {
  it(
    'resolves when the server answers on loopback, not as root, and leaves nothing when it has stopped',
    async () => {
      const { port, pid, url, password, stop } = await start();
      expect(url).toBe(`postgres://postgres@127.0.0.1:${port}/postgres`);
      expect(url).not.toContain(password);
      expect(await isListening(port)).toBe(true);
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).not.toMatch(/^Uid:\s+0\s/m);
      const folder = readlinkSync(`/proc/${pid}/cwd`);
      await stop();
      expect([await isListening(port), existsSync(folder), existsSync(`/proc/${pid}`)]).toEqual([false, false, false]);
    },
    POSTGRES_START_TIMEOUT_MS,
  );

  it(
    'fails with the words of the server when it refuses its settings',
    async () => {
      await expect(start(['-c', 'no_such_setting=1'])).rejects.toThrow(
        /did not start on 127\.0\.0\.1:\d+: it exited with 1[\s\S]*no_such_setting/,
      );
    },
    POSTGRES_START_TIMEOUT_MS,
  );
});
