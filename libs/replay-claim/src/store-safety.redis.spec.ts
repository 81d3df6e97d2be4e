import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { Redis } from 'ioredis';
import { openRedisConnection, type RedisConnection } from './redis-connection.js';
import { StoreSafety } from './store-safety.js';

const UNSAFE = { code: 'replay_unavailable', reason: 'replay_store_unsafe' };
const EVICTS = 'maxmemory-policy is allkeys-lru, and must be noeviction';

let server: RunningRedis;
let admin: Redis;
let connection: RedisConnection;
let told: string[];
let onTold: (() => void) | undefined;
let safety: StoreSafety;

beforeEach(async () => {
  server = await startRedisServer();
  admin = new Redis(server.url);
  connection = openRedisConnection({ readUrl: () => server.url, commandTimeoutMs: 5_000 });
  await new Promise<void>((resolve) => connection.once('ready', () => resolve()));
  [told, onTold] = [[], undefined];
  safety = watch(0);
}, REDIS_START_TIMEOUT_MS);

afterEach(async () => {
  safety.stop();
  connection.disconnect();
  admin.disconnect();
  await server.stop();
});

function watch(replicasMin: number): StoreSafety {
  const onChange = (problems: readonly string[]): void => {
    told.push(problems.join('; '));
    onTold?.();
  };
  return new StoreSafety(connection, { replicasMin, onChange });
}

const evict = (policy: string) => admin.config('SET', 'maxmemory-policy', policy);

function refusal(): unknown {
  try {
    safety.assertSafe();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('StoreSafety', () => {
  it('takes a Redis for unsafe that it has not looked at', () => {
    expect(refusal()).toMatchObject({ ...UNSAFE, facts: { store: 'redis', problems: 'not checked yet' } });
  });

  it('has nothing to tell of a Redis that was safe from the beginning', async () => {
    await safety.check();
    expect(refusal()).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('names what is wrong to the operator and in the refusal', async () => {
    await evict('allkeys-lru');
    await admin.config('SET', 'appendonly', 'no');
    await safety.check();
    const problems = `${EVICTS}; appendonly is no, and must be yes`;
    expect(told).toEqual([problems]);
    expect(refusal()).toMatchObject({ ...UNSAFE, facts: { store: 'redis', problems } });
  });

  it('tells each change once, and also that all is well again', async () => {
    for (const policy of ['allkeys-lru', 'allkeys-lru', 'noeviction', 'noeviction', 'volatile-ttl']) {
      await evict(policy);
      await safety.check();
    }
    expect(told).toEqual([EVICTS, '', 'maxmemory-policy is volatile-ttl, and must be noeviction']);
  });

  it('needs nobody to tell', async () => {
    safety.stop();
    safety = new StoreSafety(connection, { replicasMin: 0 });
    await evict('allkeys-lru');
    await safety.check();
    expect(refusal()).toMatchObject({ ...UNSAFE, facts: { problems: EVICTS } });
  });

  it('keeps its last answer while Redis is out of reach', async () => {
    await safety.check();
    await server.stop();
    await safety.check();
    expect(refusal()).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('looks again at every new connection', async () => {
    await safety.check();
    await evict('allkeys-lru');
    const looked = new Promise<void>((resolve) => (onTold = resolve));
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await looked;
    expect(told).toEqual([EVICTS]);
    expect(refusal()).toMatchObject({ ...UNSAFE, facts: { problems: EVICTS } });
  });

  it('asks for a primary that stops without its replicas where they are waited for', async () => {
    safety.stop();
    safety = watch(1);
    await safety.check();
    expect(told).toEqual(['min-replicas-to-write is 0, and must be 1 or more']);
    await admin.config('SET', 'min-replicas-to-write', '1');
    await admin.config('SET', 'min-replicas-max-lag', '11');
    await safety.check();
    expect(told.at(-1)).toBe('min-replicas-max-lag is 11, and must be 1 to 10');
  });

  it('finds out the same from INFO where CONFIG is forbidden', async () => {
    await evict('allkeys-lru');
    await admin.config('SET', 'appendonly', 'no');
    await admin.call('ACL', 'SETUSER', 'default', '-config');
    await safety.check();
    expect(told).toEqual([`${EVICTS}; appendonly is no, and must be yes`]);
  });

  it('takes a Redis for unsafe that tells nothing', async () => {
    await admin.call('ACL', 'SETUSER', 'default', '-config', '-info');
    await safety.check();
    expect(told).toEqual([
      'maxmemory-policy cannot be read, and must be noeviction; appendonly cannot be read, and must be yes',
    ]);
  });
});
