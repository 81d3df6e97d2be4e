import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { Redis } from 'ioredis';
import type { ClaimScript } from './claim-scripts.js';
import { findPrimaryAgain, openRedisConnection, primariesOf, type RedisConnection } from './redis-connection.js';
import { ReplicatedClaims } from './replicated-claims.js';

/** What the number under a key becomes: stands for a claim, and tells how often it ran. */
const SOURCE = "return redis.call('INCRBY', KEYS[1], ARGV[1])";
const COUNT: ClaimScript = { source: SOURCE, sha: createHash('sha1').update(SOURCE).digest('hex') };
const BATCH_MAX = 256;

let server: RunningRedis;
let admin: Redis;
let connection: RedisConnection;

beforeAll(async () => {
  server = await startRedisServer();
  admin = new Redis(server.url);
}, REDIS_START_TIMEOUT_MS);

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

beforeEach(async () => {
  await admin.flushall();
  connection = openRedisConnection({ readUrl: () => server.url, commandTimeoutMs: 5_000 });
  await new Promise<void>((resolve) => connection.once('ready', () => resolve()));
  await admin.config('RESETSTAT');
});

afterEach(() => {
  connection.disconnect();
});

/** This Redis has no replica: none confirms anything, and where none is needed that is enough. */
const needing = (replicasMin: number): ReplicatedClaims =>
  new ReplicatedClaims(connection, COUNT, { replicasMin, waitMs: 20 });

const add = (key: string, by: number | string = 1) => ({ keys: [key], args: [by] });

async function calls(command: string): Promise<number> {
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await admin.info('commandstats'))?.[1] ?? 0);
}

describe('findPrimaryAgain', () => {
  it('leaves a connection that stands for a new one', async () => {
    const [redis] = primariesOf(connection);
    const ready = new Promise<void>((resolve) => redis?.once('ready', resolve));
    const idBefore = await redis?.client('ID');
    findPrimaryAgain(connection);
    await ready;
    expect(await redis?.client('ID')).not.toBe(idBefore);
  });
});

describe('ReplicatedClaims', () => {
  it('says that enough replicas confirmed a script where none is needed', async () => {
    expect(await needing(0).run(add('a'))).toEqual({ reply: 1, isReplicated: true });
  });

  it('says that a script ran and that too few replicas confirmed it', async () => {
    expect(await needing(1).run(add('a'))).toEqual({ reply: 1, isReplicated: false });
  });

  it('hands the keys and the arguments of each script to that script', async () => {
    const claims = needing(0);
    const replies = await Promise.all([claims.run(add('a', 2)), claims.run(add('b', 30)), claims.run(add('a', 400))]);
    expect(replies.map(({ reply }) => reply)).toEqual([2, 30, 402]);
  });

  it('runs a script that Redis does not know once, and by its name from then on', async () => {
    const claims = needing(0);
    await admin.script('FLUSH');
    expect(await claims.run(add('a'))).toEqual({ reply: 1, isReplicated: true });
    expect(await claims.run(add('a'))).toEqual({ reply: 2, isReplicated: true });
    expect(await calls('eval')).toBe(1);
  });

  it('tells also of a script that Redis did not know whether it was confirmed', async () => {
    await admin.script('FLUSH');
    expect(await needing(1).run(add('a'))).toEqual({ reply: 1, isReplicated: false });
  });

  it('sends what came meanwhile together and asks for confirmation once for all of it', async () => {
    const claims = needing(1);
    await claims.run(add('warm up'));
    await admin.config('RESETSTAT');
    const replies = await Promise.all(Array.from({ length: 50 }, () => claims.run(add('a'))));
    expect(replies.map(({ reply }) => reply)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(await calls('wait')).toBe(2);
  });

  it('never sends more than a batch together', async () => {
    const claims = needing(0);
    await claims.run(add('warm up'));
    await admin.config('RESETSTAT');
    await Promise.all(Array.from({ length: BATCH_MAX + 2 }, () => claims.run(add('a'))));
    // The first goes out alone, a whole batch follows, and the last one has to wait for it.
    expect(await calls('wait')).toBe(3);
  });

  it('goes on with what comes after it had nothing to do', async () => {
    const claims = needing(0);
    for (const reply of [1, 2, 3]) expect((await claims.run(add('a'))).reply).toBe(reply);
  });

  it('rejects only the script that failed, with what Redis said of it', async () => {
    const claims = needing(0);
    await claims.run(add('warm up'));
    await admin.config('RESETSTAT');
    const outcomes = await Promise.allSettled([
      claims.run(add('a')),
      claims.run(add('a', 'no number')),
      claims.run(add('a')),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { reply: 1, isReplicated: true } },
      { status: 'rejected', reason: { name: 'ReplyError', message: expect.stringContaining('not an integer') } },
      { status: 'fulfilled', value: { reply: 2, isReplicated: true } },
    ]);
    expect(await calls('eval')).toBe(0);
  });

  it('rejects everything that is under way or waits when the connection ends', async () => {
    const claims = needing(0);
    await claims.run(add('warm up'));
    const waiting = Promise.allSettled([claims.run(add('a')), claims.run(add('a')), claims.run(add('a'))]);
    connection.disconnect();
    for (const { status } of await waiting) expect(status).toBe('rejected');
    expect(await admin.get('a')).toBeNull();
  });

  it('says that nothing was confirmed when Redis refuses to tell', async () => {
    await admin.call('ACL', 'SETUSER', 'default', '-wait');
    try {
      expect(await needing(0).run(add('a'))).toEqual({ reply: 1, isReplicated: false });
    } finally {
      await admin.call('ACL', 'SETUSER', 'default', '+wait');
    }
  });
});
