import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from '@roundhouse/testing';
import { Redis } from 'ioredis';
import { itKeepsTheBudgetRules } from './budget-store.contract.js';
import { RedisBudgetStore } from './redis-budget-store.js';

let server: RunningRedis;
let admin: Redis;

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
});

/** Moves what was written back in time, which is what time passing looks like from inside the store. */
async function advance(ms: number): Promise<void> {
  for (const key of await admin.keys('rp:*')) {
    const leftMs = await admin.pttl(key);
    if (key.includes(':t:')) await admin.hincrby(key, 't', -ms);
    else if (key.includes(':f:')) await endSooner(key, ms);
    else await moveBack(key, ms);
    await admin.pexpire(key, leftMs - ms);
  }
}

async function moveBack(key: string, ms: number): Promise<void> {
  for (const [router, value] of Object.entries(await admin.hgetall(key))) {
    const [count, ends] = value.split(' ');
    await admin.hset(key, router, `${count} ${Number(ends) - ms}`);
  }
}

async function endSooner(key: string, ms: number): Promise<void> {
  for (const [router, value] of Object.entries(await admin.hgetall(key)))
    await admin.hset(
      key,
      router,
      value.replace(/(\d+):/g, (_whole, until: string) => `${Number(until) - ms}:`),
    );
}

/** A machine under load must not decide a test. */
const open = (): RedisBudgetStore => new RedisBudgetStore({ readUrl: () => server.url, commandTimeoutMs: 5_000 });
async function ready(): Promise<RedisBudgetStore> {
  const store = open();
  for (;;) {
    const asked = { router: 'r'.repeat(22), budgets: [{ key: 'probe'.padEnd(43, '-'), running: 0 }] };
    if (await store.share(asked).then(Boolean, () => false)) return store;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('RedisBudgetStore', () => {
  itKeepsTheBudgetRules(async () => ({ store: await ready(), advance, now: Date.now }));

  it('leaves nothing behind that has no expiry', async () => {
    const store = await ready();
    const rate = { perSecond: 0.5, burst: 4, owed: 1, want: 2 };
    const open = [{ untilMs: Date.now() + 60_000, net: 1 }];
    await store.share({ router: 'r'.repeat(22), budgets: [{ key: 'k'.repeat(43), rate, running: 1, open }] });
    const keys = (await admin.keys('rp:*')).sort();
    expect(keys).toHaveLength(3);
    for (const key of keys) expect(await admin.pttl(key)).toBeGreaterThan(0);
    await store.close();
  });

  it('fails, and says so, when Redis is not there', async () => {
    const store = new RedisBudgetStore({ readUrl: () => 'redis://127.0.0.1:1' });
    const asked = { router: 'r'.repeat(22), budgets: [{ key: 'k'.repeat(43), running: 1 }] };
    await expect(store.share(asked)).rejects.toMatchObject({ code: 'replay_unavailable' });
    await store.close();
  });
});
