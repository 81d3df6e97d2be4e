import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import type { Redis } from 'ioredis';
import { ONCE_SCRIPT } from './claim-scripts.js';
import { openRedisConnection } from './redis-connection.js';
import { runScript } from './redis-script.js';

let server: RunningRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startRedisServer();
  redis = openRedisConnection({ readUrl: () => server.url }) as Redis;
  await new Promise((ready) => redis.once('ready', ready));
}, REDIS_START_TIMEOUT_MS);

afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const once = (id: string): Promise<unknown> => runScript(redis, ONCE_SCRIPT, { keys: [id], args: ['owner', 1_000] });

describe('runScript', () => {
  it('sends the scripts of one turn in one write', async () => {
    // The first one loads the script.
    expect(await once('a')).toBe(1);
    const written = jest.spyOn(redis.stream as unknown as { _writev: () => void }, '_writev');
    const answers = ['b', 'c', 'd'].map(once);
    expect(await Promise.all(answers)).toEqual([1, 1, 1]);
    expect(written).toHaveBeenCalledTimes(1);
    written.mockRestore();
  });

  it('holds nothing back once the turn is over', async () => {
    await once('e');
    await nextTurn();
    expect(redis.stream.writableCorked).toBe(0);
  });

  it('fails what was held back when the connection breaks', async () => {
    const asked = once('f');
    redis.stream.destroy();
    await expect(asked).rejects.toThrow();
    await new Promise((ready) => redis.once('ready', ready));
    expect(await once('g')).toBe(1);
  });
});
