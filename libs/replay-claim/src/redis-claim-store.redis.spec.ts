import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { REDIS_START_TIMEOUT_MS, FakeClock, startRedisServer, type RunningRedis, until } from '@roundhouse/testing';
import { bucketOf, type ClaimRequest } from '@roundhouse/contracts';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import {
  OPEN_CLAIMS_MAX,
  RETAIN_MS,
  attempt,
  digest,
  itKeepsTheClaimRules,
  type StoreUnderTest,
} from './claim-store.contract.js';
import type { ClaimStore } from './claim-store.js';
import { MemoryClaimStore } from './memory-claim-store.js';
import { RedisClaimStore, type RedisClaimStoreOptions } from './redis-claim-store.js';

const FAILED = { code: 'replay_unavailable', reason: 'replay_store_failed' };
const UNSAFE = { code: 'replay_unavailable', reason: 'replay_store_unsafe' };
const NOT_REPLICATED = {
  code: 'replay_unavailable',
  reason: 'replay_not_replicated',
  facts: { store: 'redis' },
};
const TIMED_OUT = { code: 'replay_unavailable', reason: 'replay_timed_out' };
/** Bound of a wait for something that comes within milliseconds on a quiet machine. */
const SOON_MS = 10_000;
/** Where the time limit is not the subject: a machine under load must not decide a test. */
const PATIENT = { commandTimeoutMs: 5_000 };

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

/** Moves each record's moments back, which is what time passing looks like from inside the record. */
async function advance(ms: number): Promise<void> {
  for (const key of await admin.keys('rp:*')) {
    const [leftMs, type] = await Promise.all([admin.pttl(key), admin.type(key)]);
    if (type === 'hash') await admin.hincrby(key, 'l', -ms);
    if (type === 'zset') for (const open of await admin.zrange(key, '0', '-1')) await admin.zincrby(key, -ms, open);
    if (leftMs >= 0) await admin.pexpire(key, leftMs - ms);
  }
}

async function open(options: RedisClaimStoreOptions = PATIENT): Promise<StoreUnderTest> {
  const limits = { openClaimsPerPrincipalMax: OPEN_CLAIMS_MAX };
  return { store: await RedisClaimStore.open({ readUrl: () => server.url, ...limits, ...options }), advance };
}

/** How many EVALSHA calls Redis has finished since its statistics were reset. */
async function scriptCalls(): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
}

async function isNew(store: RedisClaimStore, nonce: string): Promise<boolean> {
  return store.claim(attempt('probe', { claimId: digest(nonce) })).then(
    ({ status }) => status === 'new',
    () => false,
  );
}

describe('RedisClaimStore', () => {
  itKeepsTheClaimRules(() => open());
});

describe('RedisClaimStore and the specification', () => {
  const operation = fc.record({
    act: fc.constantFrom('claim', 'claim', 'settle', 'release', 'peek', 'wait'),
    owner: fc.constantFrom('one', 'two'),
    nonce: fc.constantFrom('x', 'y'),
    words: fc.constantFrom('a', 'b'),
    retainMs: fc.constantFrom(10_000, RETAIN_MS),
    rerunAllowed: fc.boolean(),
    principal: fc.constantFrom(undefined, digest('alice')),
    epoch: fc.constantFrom('none' as const, 'true' as const, 'false' as const),
  });

  it('answers any sequence of operations as the rules do', async () => {
    const { store } = await open();
    let round = 0;
    const check = fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
      round += 1;
      const clock = new FakeClock();
      const rules = new MemoryClaimStore({ now: clock.now });
      for (const { act, owner, nonce, words, epoch, ...rest } of operations) {
        const claimId = `AA${digest(`${round} ${nonce}`).slice(2)}`;
        const ask = async (asked: RedisClaimStore | MemoryClaimStore): Promise<unknown> => {
          const named = { none: undefined, true: (await asked.epochs())[0], false: 'e'.repeat(22) }[epoch];
          const request = attempt(owner, { claimId, fingerprint: digest(words), epoch: named, ...rest });
          if (act === 'settle') return asked.settle({ ...request, result: words });
          if (act === 'release') return asked.release(request);
          return act === 'peek' ? asked.peek(request.claimId, request.fingerprint) : asked.claim(request);
        };
        if (act === 'wait') {
          // Leases and retentions are no multiples of this, so no moment falls where the real clock could decide.
          clock.advance(30_000);
          await advance(30_000);
        } else expect(roundLease(await ask(store as RedisClaimStore))).toEqual(roundLease(await ask(rules)));
      }
      await admin.flushall();
    });
    await fc.assert(check, { numRuns: 150 });
    await store.close();
  }, 60_000);

  it('answers as the rules do whatever its arguments are made of', async () => {
    const { store } = await open();
    const text = (minLength: number) =>
      fc.oneof(
        { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength, maxLength: 64 }) },
        fc
          .constantFrom('}', '{b0}', 'a\r\n$1\r\n', '\0', '1e309', 'nil', "'] end --")
          .map((odd) => odd.padEnd(minLength)),
      );
    const words = fc.record({
      claimId: text(1),
      fingerprint: text(0),
      other: text(0),
      owner: text(16),
      principal: fc.option(text(1), { nil: undefined }),
      result: text(0),
      // Far from a multiple of what is rounded to.
      leaseMs: fc.constantFrom(65_000, 1_005_000, 3_595_000),
      retainMs: fc.integer({ min: 60_000, max: 86_400_000 }),
    });
    const check = fc.asyncProperty(words, async ({ other, result, ...request }) => {
      const rules = new MemoryClaimStore({ now: new FakeClock().now });
      const story = async (asked: RedisClaimStore | MemoryClaimStore): Promise<unknown[]> => [
        await asked.claim(request),
        roundLease(await asked.claim({ ...request, owner: digest('another owner') })),
        roundLease(await asked.claim({ ...request, fingerprint: other })),
        await asked.settle({ ...request, owner: digest('another owner'), result }),
        await asked.settle({ ...request, result }),
        await asked.peek(request.claimId, request.fingerprint),
        await asked.release(request),
      ];
      await admin.flushall();
      expect(await story(store as RedisClaimStore)).toEqual(await story(rules));
    });
    await fc.assert(check, { numRuns: 300 });
    await store.close();
  }, 60_000);

  /** Real time passes in Redis between two operations, but never five seconds. */
  function roundLease(answer: unknown): unknown {
    const { leaseLeftMs } = (answer ?? {}) as { leaseLeftMs?: number };
    return leaseLeftMs === undefined ? answer : { status: 'inflight', leaseLeftMs: Math.ceil(leaseLeftMs / 10_000) };
  }
});

describe('RedisClaimStore records', () => {
  let store: RedisClaimStore;

  beforeEach(async () => {
    store = (await open()).store as RedisClaimStore;
  });

  afterEach(async () => {
    await store.close();
  });

  it('are one hash with an expiry under a key with its bucket as hash tag', async () => {
    await store.claim(attempt('first'));
    const [key = '', ...others] = await admin.keys('*');
    expect(others).toEqual([]);
    expect(key).toMatch(new RegExp(`^rp:\\{b\\d{1,2}\\}:c:${digest('nonce')}$`));
    expect(Object.keys(await admin.hgetall(key)).sort()).toEqual(['f', 'l', 'o']);
    expect(await admin.pttl(key)).toBeGreaterThan(RETAIN_MS - SOON_MS);
  });

  it('keep a later end when they are settled for less time, and get one when it is for more', async () => {
    await store.claim(attempt('first'));
    const [key = ''] = await admin.keys('*');
    const { claimId, owner } = attempt('first');
    await store.settle({ claimId, owner, result: 'r', retainMs: 1_000 });
    expect(await admin.pttl(key)).toBeGreaterThan(RETAIN_MS - SOON_MS);
    await admin.hdel(key, 'r');
    await store.settle({ claimId, owner, result: 'r', retainMs: 2 * RETAIN_MS });
    expect(await admin.pttl(key)).toBeGreaterThan(2 * RETAIN_MS - SOON_MS);
  });

  it('keep a later end when they are taken over for less time', async () => {
    await store.claim(attempt('first', { leaseMs: 1 }));
    const [key = ''] = await admin.keys('*');
    await until(async () => (await store.peek(digest('nonce'), digest('arguments'))).status === 'unknown');
    const second = await store.claim(attempt('second', { retainMs: 1_000, rerunAllowed: true }));
    expect(second).toEqual({ status: 'new' });
    expect(await admin.pttl(key)).toBeGreaterThan(RETAIN_MS - SOON_MS);
  });

  it('count for a principal in a set that ends with the last lease, and is made anew when it was empty', async () => {
    const principal = digest('alice');
    const idOf = (name: string): string => `AA${digest(name).slice(2)}`;
    const openFor = (name: string, leaseMs: number): Promise<unknown> =>
      store.claim(attempt('first', { claimId: idOf(name), principal, leaseMs }));
    const leftMs = async (): Promise<number> => admin.pttl((await admin.keys('rp:*:p:*'))[0] ?? '');
    const { owner } = attempt('first');
    await openFor('long', 60_000);
    await openFor('short', 1_000);
    expect(await leftMs()).toBeGreaterThan(60_000 - SOON_MS);
    await openFor('longer', 120_000);
    expect(await leftMs()).toBeGreaterThan(120_000 - SOON_MS);
    for (const name of ['long', 'short', 'longer'])
      await store.settle({ claimId: idOf(name), owner, result: 'r', retainMs: RETAIN_MS, principal });
    expect(await admin.keys('rp:*:p:*')).toEqual([]);
    await openFor('next', 30_000);
    expect(await leftMs()).toBeGreaterThan(30_000 - SOON_MS);
    expect(await leftMs()).toBeLessThanOrEqual(30_000);
  });

  it('are beside marks, each a string with an expiry in the bucket of its id', async () => {
    await store.once({ id: digest('proof'), owner: digest('first'), retainMs: RETAIN_MS });
    const [key = '', ...others] = await admin.keys('*');
    expect(others).toEqual([]);
    expect(key).toBe(`rp:{b${bucketOf(digest('proof'))}}:o:${digest('proof')}`);
    expect(await admin.get(key)).toBe(digest('first'));
    expect(await admin.pttl(key)).toBeGreaterThan(RETAIN_MS - SOON_MS);
  });

  it('go by the clock of Redis: the lease ends and the record expires without us', async () => {
    await store.claim(attempt('first', { leaseMs: 20, retainMs: 300 }));
    await until(async () => (await store.peek(digest('nonce'), digest('arguments'))).status === 'unknown');
    await until(async () => (await admin.dbsize()) === 0);
    expect(await store.claim(attempt('second'))).toEqual({ status: 'new' });
  });

  it('are answered to a second store as to the one that made them', async () => {
    const { store: other } = await open();
    await store.claim(attempt('first'));
    expect((await other.claim(attempt('second'))).status).toBe('inflight');
    await store.settle({ ...attempt('first'), result: 'seen by both' });
    expect(await other.claim(attempt('second'))).toEqual({ status: 'done', result: 'seen by both' });
    await other.close();
  });

  it('are new to exactly one of many attempts through several stores', async () => {
    const opened = await Promise.all([open(), open(), open()]);
    const attempts = Array.from({ length: 99 }, async (_, index) =>
      opened[index % 3]?.store.claim(attempt(`owner ${index}`)),
    );
    const answers = await Promise.all(attempts);
    expect(answers.filter((answer) => answer?.status === 'new')).toHaveLength(1);
    await Promise.all(opened.map((one) => one.store.close()));
  });

  it('survive that Redis forgets the scripts', async () => {
    await store.claim(attempt('first'));
    await admin.script('FLUSH');
    expect((await store.claim(attempt('second'))).status).toBe('inflight');
    expect(await store.settle({ ...attempt('first'), result: 'kept' })).toBe(true);
  });

  it('that something else wrote under their key are a failure, not an answer', async () => {
    await store.claim(attempt('first'));
    const [key = ''] = await admin.keys('*');
    await admin.set(key, 'a string');
    const expected = { ...FAILED, facts: { store: 'redis', failure: 'WRONGTYPE' } };
    await expect(store.claim(attempt('second'))).rejects.toMatchObject(expected);
    await expect(store.peek(digest('nonce'), digest('arguments'))).rejects.toMatchObject(FAILED);
    await expect(store.settle({ ...attempt('first'), result: 'r' })).rejects.toMatchObject(FAILED);
    await expect(store.release(attempt('first'))).rejects.toMatchObject(FAILED);
  });

  it('are refused, never made at the cost of others, when Redis is full', async () => {
    await store.claim(attempt('first'));
    await admin.config('SET', 'maxmemory', '1');
    try {
      const expected = { ...FAILED, facts: { store: 'redis', failure: 'OOM' } };
      await expect(store.claim(attempt('first', { claimId: digest('other nonce') }))).rejects.toMatchObject(expected);
      expect((await store.claim(attempt('second'))).status).toBe('inflight');
    } finally {
      await admin.config('SET', 'maxmemory', '0');
    }
  });
});

describe('RedisClaimStore that waits for a replica which is not there', () => {
  let store: ClaimStore;

  beforeEach(async () => {
    ({ store } = await open({ ...PATIENT, replicasMin: 1, waitMs: 20 }));
  });

  afterEach(async () => {
    await store.close();
  });

  it('refuses a claim and gives it back, also to its principal', async () => {
    await expect(store.claim(attempt('first', { principal: digest('alice') }))).rejects.toMatchObject(NOT_REPLICATED);
    expect(await admin.keys('rp:*')).toEqual([]);
  });

  it('refuses the owner that asks again: the first answer vouched for nothing', async () => {
    const { store: careless } = await open();
    await careless.claim(attempt('first'));
    await expect(store.claim(attempt('first'))).rejects.toMatchObject(NOT_REPLICATED);
    await careless.close();
  });

  it('tells a twin what it knows', async () => {
    const { store: careless } = await open();
    await careless.claim(attempt('first'));
    expect((await store.claim(attempt('second'))).status).toBe('inflight');
    await careless.close();
  });

  it('ends both of its connections when it is closed', async () => {
    const connected = async (): Promise<number> => String(await admin.client('LIST')).match(/^id=/gm)?.length ?? 0;
    const before = await connected();
    const { store: other } = await open({ ...PATIENT, replicasMin: 1 });
    expect(await connected()).toBe(before + 2);
    expect(other.isReachable).toBe(true);
    await other.close();
    await until(async () => (await connected()) === before && !other.isReachable);
  });
});

describe('RedisClaimStore and the settings of Redis', () => {
  beforeEach(async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  });

  afterEach(async () => {
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
  });

  it.each([
    ['refuses claims', true],
    ['takes claims all the same', false],
  ])('has looked at them when it is opened, and %s where it should', async (_what, refuses) => {
    const told: string[] = [];
    const safety = { refuses, onChange: (problems: readonly string[]) => told.push(...problems) };
    const { store } = await open({ ...PATIENT, safety });
    expect(told).toEqual(['maxmemory-policy is allkeys-lru, and must be noeviction']);
    if (refuses) await expect(store.claim(attempt('first'))).rejects.toMatchObject(UNSAFE);
    else expect(await store.claim(attempt('first'))).toEqual({ status: 'new' });
    await store.close();
  });

  it('does not look at them where nobody asked it to', async () => {
    const { store } = await open();
    expect(await store.claim(attempt('first'))).toEqual({ status: 'new' });
    await store.close();
  });
});

describe('RedisClaimStore after Redis lost its data', () => {
  const claimId = digest('nonce');
  const fenced = async (store: ClaimStore): Promise<ClaimRequest> =>
    attempt('first', { claimId, epoch: (await store.epochs())[bucketOf(claimId)] });

  it.each(['before it was spent', 'while it ran', 'after it was spent'])(
    'lets no state from before run when FLUSHALL came %s',
    async (moment) => {
      const { store } = await open();
      const request = await fenced(store);
      if (moment !== 'before it was spent') await store.claim(request);
      if (moment === 'after it was spent') await store.settle({ ...request, result: 'r' });
      await admin.flushall();
      for (const owner of ['first', 'second', 'third'])
        expect(await store.claim({ ...request, owner: digest(owner) })).toEqual({ status: 'stale_epoch' });
      await store.epochs();
      expect(await store.claim(request)).toEqual({ status: 'stale_epoch' });
      expect(await store.claim(await fenced(store))).toEqual({ status: 'new' });
      await store.close();
    },
  );

  it('has new epochs, the same for all who ask', async () => {
    const opened = await Promise.all([open(), open()]);
    const [one, two] = opened.map(({ store }) => store);
    const before = await one?.epochs();
    await admin.flushall();
    const [after, again] = await Promise.all([one?.epochs(), two?.epochs()]);
    expect(after).toEqual(again);
    for (const [bucket, epoch] of (after ?? []).entries()) expect(epoch).not.toBe(before?.[bucket]);
    await Promise.all(opened.map(({ store }) => store.close()));
  });

  it('runs a state twice once the fence is taken down: the fence is what holds it', async () => {
    const { store } = await open({ ...PATIENT, epochFence: false });
    const request = await fenced(store);
    expect(await store.claim(request)).toEqual({ status: 'new' });
    await admin.flushall();
    expect(await store.claim({ ...request, owner: digest('second') })).toEqual({ status: 'new' });
    await store.close();
  });
});

describe('RedisClaimStore while Redis stands still', () => {
  const TIMEOUT_MS = 400;
  let store: RedisClaimStore;

  beforeEach(async () => {
    store = (await open({ commandTimeoutMs: TIMEOUT_MS })).store as RedisClaimStore;
    await isNew(store, 'warm up');
    await admin.config('RESETSTAT');
    process.kill(server.pid, 'SIGSTOP');
  });

  afterEach(async () => {
    process.kill(server.pid, 'SIGCONT');
    await store.close();
  });

  it('ends each call within its time', async () => {
    const startMs = performance.now();
    // Half of them find a batch under way and wait unsent behind it; that must not double their time.
    const calls = Array.from({ length: 50 }, async (_, index) => {
      if (index % 2 === 1) await nextTurn();
      return store.claim(attempt('owner', { claimId: digest(`nonce ${index}`) }));
    });
    const outcomes = await Promise.allSettled(calls);
    expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS * 1.8);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: TIMED_OUT });
  });

  it('spends no nonce through a timed-out claim that Redis runs later, and the next try executes once', async () => {
    const sent = store.claim(attempt('first'));
    await nextTurn();
    await nextTurn();
    // The first fills the batch that is stuck; this one is sent only when that one gave up.
    const queued = store.claim(attempt('first', { claimId: digest('queued nonce') }));
    await expect(sent).rejects.toMatchObject(TIMED_OUT);
    await expect(queued).rejects.toMatchObject(TIMED_OUT);
    process.kill(server.pid, 'SIGCONT');
    await until(async () => (await scriptCalls()) === 2);
    // Both late claims have run; the only record is that of the warm-up.
    expect(await admin.dbsize()).toBe(1);
    expect(await store.claim(attempt('second'))).toEqual({ status: 'new' });
    expect((await store.claim(attempt('third'))).status).toBe('inflight');
    expect(await store.claim(attempt('second', { claimId: digest('queued nonce') }))).toEqual({ status: 'new' });
  });
});

describe('RedisClaimStore while Redis is away', () => {
  let own: RunningRedis;
  let store: RedisClaimStore;
  let outages: string[];

  beforeEach(async () => {
    own = await startRedisServer();
    outages = [];
    store = await RedisClaimStore.open({
      ...PATIENT,
      readUrl: () => own.url,
      onOutage: (failure) => outages.push(failure),
    });
  }, REDIS_START_TIMEOUT_MS);

  afterEach(async () => {
    await store.close();
    await own.stop();
  });

  it('refuses at once and says that it is out of reach', async () => {
    await own.stop();
    await until(() => !store.isReachable);
    const startMs = performance.now();
    await expect(store.claim(attempt('first'))).rejects.toMatchObject({
      ...FAILED,
      facts: { failure: 'not_connected' },
    });
    expect(performance.now() - startMs).toBeLessThan(PATIENT.commandTimeoutMs / 5);
  });

  it(
    'ends every call in flight when the connection breaks, and sends none of them again',
    async () => {
      const patient = await RedisClaimStore.open({ readUrl: () => own.url, commandTimeoutMs: 60_000 });
      await isNew(patient, 'warm up');
      process.kill(own.pid, 'SIGSTOP');
      const calls = Array.from({ length: 100 }, (_, index) =>
        patient.claim(attempt('owner', { claimId: digest(`nonce ${index}`) })),
      );
      await nextTurn();
      const outcomes = Promise.allSettled(calls);
      process.kill(own.pid, 'SIGKILL');
      own = await startRedisServer({ port: own.port });
      for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: FAILED });
      await until(() => isNew(patient, 'after the outage'));
      const fresh = new Redis(own.url);
      expect(await fresh.dbsize()).toBe(1);
      fresh.disconnect();
      await patient.close();
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'works again by itself when Redis comes back, and tells each outage once',
    async () => {
      for (const round of [1, 2]) {
        await own.stop();
        await until(() => outages.length === round);
        await expect(store.claim(attempt('first'))).rejects.toMatchObject(FAILED);
        own = await startRedisServer({ port: own.port });
        await until(() => isNew(store, `round ${round}`));
      }
      expect(outages).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'opens without Redis, refuses, and works when Redis appears',
    async () => {
      await own.stop();
      const { port } = own;
      const early = await RedisClaimStore.open({ ...PATIENT, readUrl: () => `redis://127.0.0.1:${port}` });
      expect(early.isReachable).toBe(false);
      await expect(early.claim(attempt('first'))).rejects.toMatchObject(FAILED);
      own = await startRedisServer({ port });
      await until(() => isNew(early, 'appeared'));
      await early.close();
    },
    REDIS_START_TIMEOUT_MS,
  );

  it('closes while it is out of reach', async () => {
    await own.stop();
    await until(() => !store.isReachable);
    await store.close();
    await expect(store.claim(attempt('first'))).rejects.toMatchObject(FAILED);
  });
});

describe('RedisClaimStore and secrets', () => {
  const OLD = 'old-password-marker';
  const NEW = 'new-password-marker';
  let locked: RunningRedis;
  let password: string;
  const readUrl = (): string => `redis://:${password}@127.0.0.1:${locked.port}`;

  beforeEach(async () => {
    password = OLD;
    locked = await startRedisServer({ args: ['--requirepass', OLD] });
  }, REDIS_START_TIMEOUT_MS);

  afterEach(async () => {
    await locked.stop();
  });

  it('takes a rotated password with the next connection, without a restart', async () => {
    const outages: string[] = [];
    const store = await RedisClaimStore.open({ ...PATIENT, readUrl, onOutage: (failure) => outages.push(failure) });
    expect(await isNew(store, 'before')).toBe(true);
    const operator = new Redis(readUrl());
    await operator.config('SET', 'requirepass', NEW);
    await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until(() => outages.includes('WRONGPASS'));
    await expect(store.claim(attempt('first'))).rejects.toMatchObject(FAILED);
    password = NEW;
    await until(() => isNew(store, 'after'));
    operator.disconnect();
    await store.close();
  });

  it('shows no password, id, token or result in any error', async () => {
    const errors: unknown[] = [];
    const store = await RedisClaimStore.open({ ...PATIENT, readUrl, onOutage: (failure) => errors.push(failure) });
    const operator = new Redis(readUrl());
    const request = attempt('first', { owner: 'owner-token-marker' });
    const collect = (): Promise<unknown> =>
      store.settle({ ...request, result: 'result-marker' }).catch((error: unknown) => errors.push(error));
    await operator.call('ACL', 'SETUSER', 'default', '-evalsha');
    await collect();
    await operator.call('ACL', 'SETUSER', 'default', '+evalsha');
    await operator.config('SET', 'requirepass', NEW);
    await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    operator.disconnect();
    await until(() => !store.isReachable && errors.includes('WRONGPASS'));
    await collect();
    await locked.stop();
    await collect();
    await RedisClaimStore.open({ readUrl: () => `http://${password}` }).catch((error: unknown) => errors.push(error));
    expect(errors).toHaveLength(5);
    const shown = inspect(errors, { depth: 10, showHidden: true });
    for (const secret of [OLD, NEW, request.owner, request.claimId, 'result-marker'])
      expect(shown).not.toContain(secret);
    await store.close();
  });
});
