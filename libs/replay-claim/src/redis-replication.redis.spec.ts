import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  REDIS_START_TIMEOUT_MS,
  SENTINEL_PRIMARY_NAME,
  startRedisCluster,
  startRedisReplica,
  startRedisSentinel,
  startRedisServer,
  type RunningRedis,
  until,
} from '@roundhouse/testing';
import { Redis } from 'ioredis';
import { bucketOf } from '@roundhouse/contracts';
import { attempt, digest } from './claim-store.contract.js';
import { RedisClaimStore, type RedisClaimStoreOptions } from './redis-claim-store.js';

const NOT_REPLICATED = { code: 'replay_unavailable', reason: 'replay_not_replicated' };
const UNSAFE = { code: 'replay_unavailable', reason: 'replay_store_unsafe' };
const SAFE_REPLICAS = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '10'];
/** A failover takes a second or two; a busy machine more. */
const HEALED_WITHIN_MS = 30_000;
/** Of a cluster of three: the slots of its first node are those below. */
const SLOTS_OF_FIRST = Math.floor(16_384 / 3);
/** Where the time limit is not the subject: a machine under load must not decide a test. */
const PATIENT = { commandTimeoutMs: 5_000, waitMs: 1_000 };

let servers: RunningRedis[];
let stores: RedisClaimStore[];
let clients: Redis[];

beforeEach(() => {
  servers = [];
  stores = [];
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.disconnect();
  await Promise.all(stores.map((store) => store.close()));
  await Promise.all(servers.map((server) => server.stop()));
});

async function keep(starting: Promise<RunningRedis>): Promise<RunningRedis> {
  const server = await starting;
  servers.push(server);
  return server;
}

async function open(options: RedisClaimStoreOptions): Promise<RedisClaimStore> {
  const store = await RedisClaimStore.open({ ...PATIENT, ...options });
  stores.push(store);
  return store;
}

function clientOf({ url }: RunningRedis): Redis {
  const client = new Redis(url);
  clients.push(client);
  return client;
}

const untilHealed = (holds: () => Promise<boolean> | boolean): Promise<void> => until(holds, HEALED_WITHIN_MS);

/** The answer, once there is one: around a failover connections break more than once. */
async function persist<T>(ask: () => Promise<T>): Promise<T> {
  let answer: T | undefined;
  await untilHealed(() =>
    ask().then(
      (given) => {
        answer = given;
        return true;
      },
      () => false,
    ),
  );
  return answer as T;
}

const nonce = (name: string, owner = 'owner') => attempt(owner, { claimId: digest(name) });

describe('a claim that waits for a replica', () => {
  it(
    'is on the replica before it is answered',
    async () => {
      const primary = await keep(startRedisServer());
      const replica = await keep(startRedisReplica(primary.port));
      const store = await open({ readUrl: () => primary.url, replicasMin: 1 });
      const copy = clientOf(replica);
      for (let index = 0; index < 200; index += 1) {
        expect(await store.claim(nonce(`${index}`))).toEqual({ status: 'new' });
        expect(await copy.dbsize()).toBe(index + 1);
      }
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'shares one WAIT with those that came while the one before was under way',
    async () => {
      const primary = await keep(startRedisServer());
      await keep(startRedisReplica(primary.port));
      const store = await open({ readUrl: () => primary.url, replicasMin: 1 });
      await store.claim(nonce('warm up'));
      const admin = clientOf(primary);
      await admin.config('RESETSTAT');
      const claims = Array.from({ length: 100 }, (_, index) => store.claim(nonce(`${index}`)));
      for (const answer of await Promise.all(claims)) expect(answer).toEqual({ status: 'new' });
      const waits = Number(/cmdstat_wait:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1]);
      expect(waits).toBe(2);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'is refused and given back when no replica confirms it',
    async () => {
      const primary = await keep(startRedisServer());
      const replica = await keep(startRedisReplica(primary.port));
      const store = await open({ readUrl: () => primary.url, replicasMin: 1 });
      expect(await store.claim(nonce('before'))).toEqual({ status: 'new' });
      process.kill(replica.pid, 'SIGSTOP');
      await expect(store.claim(nonce('alone'))).rejects.toMatchObject(NOT_REPLICATED);
      expect(await clientOf(primary).dbsize()).toBe(1);
      process.kill(replica.pid, 'SIGCONT');
      await untilHealed(() =>
        store.claim(nonce('alone')).then(
          ({ status }) => status === 'new',
          () => false,
        ),
      );
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'of an owner that asks again is written again, so that it is confirmed again',
    async () => {
      const primary = await keep(startRedisServer());
      const replica = await keep(startRedisReplica(primary.port));
      const careless = await open({ readUrl: () => primary.url });
      const store = await open({ readUrl: () => primary.url, replicasMin: 1 });
      await store.claim(nonce('warm up'));
      process.kill(replica.pid, 'SIGSTOP');
      // Another process claimed it without waiting; its owner asks this one.
      expect(await careless.claim(nonce('lost answer'))).toEqual({ status: 'new' });
      await expect(store.claim(nonce('lost answer'))).rejects.toMatchObject(NOT_REPLICATED);
      process.kill(replica.pid, 'SIGCONT');
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'tells twins, conflicts and outcomes although no replica confirms anything',
    async () => {
      const primary = await keep(startRedisServer());
      const replica = await keep(startRedisReplica(primary.port));
      const store = await open({ readUrl: () => primary.url, replicasMin: 1 });
      await store.claim(nonce('known'));
      process.kill(replica.pid, 'SIGSTOP');
      expect((await store.claim(nonce('known', 'twin'))).status).toBe('inflight');
      const other = { ...nonce('known', 'twin'), fingerprint: digest('other') };
      expect(await store.claim(other)).toEqual({ status: 'conflict' });
      expect(await store.settle({ ...nonce('known'), result: 'told' })).toBe(true);
      expect(await store.claim(nonce('known', 'twin'))).toEqual({ status: 'done', result: 'told' });
      process.kill(replica.pid, 'SIGCONT');
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'survives that Redis forgets the script',
    async () => {
      const primary = await keep(startRedisServer());
      await keep(startRedisReplica(primary.port));
      const store = await open({ readUrl: () => primary.url, replicasMin: 1 });
      await store.claim(nonce('before'));
      await clientOf(primary).script('FLUSH');
      expect(await store.claim(nonce('after'))).toEqual({ status: 'new' });
      expect((await store.claim(nonce('before', 'twin'))).status).toBe('inflight');
    },
    REDIS_START_TIMEOUT_MS,
  );
});

describe('a Redis whose settings lose what it is told', () => {
  const watched = (refuses = true) => {
    const told: string[] = [];
    return { told, safety: { refuses, onChange: (problems: readonly string[]) => told.push(problems.join('; ')) } };
  };

  it(
    'gets no claims until they are set right, and each change is told once',
    async () => {
      const server = await keep(startRedisServer());
      const admin = clientOf(server);
      await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const { told, safety } = watched();
      const store = await open({ readUrl: () => server.url, safety });
      await expect(store.claim(nonce('refused'))).rejects.toMatchObject(UNSAFE);
      expect(await store.epochs()).toHaveLength(64);
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
      // A new connection is looked at again.
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await untilHealed(() => told.length === 2);
      expect(await store.claim(nonce('accepted'))).toEqual({ status: 'new' });
      expect(told).toEqual(['maxmemory-policy is allkeys-lru, and must be noeviction', '']);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'gets them all the same where that is allowed, and is told of',
    async () => {
      const server = await keep(startRedisServer({ args: ['--appendonly', 'no'] }));
      const { told, safety } = watched(false);
      const store = await open({ readUrl: () => server.url, safety });
      expect(await store.claim(nonce('accepted'))).toEqual({ status: 'new' });
      expect(told).toEqual(['appendonly is no, and must be yes']);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'needs a primary that stops without its replica, where replicas are waited for',
    async () => {
      const primary = await keep(startRedisServer());
      await keep(startRedisReplica(primary.port));
      const store = await open({ readUrl: () => primary.url, replicasMin: 1, safety: watched().safety });
      await expect(store.claim(nonce('refused'))).rejects.toMatchObject(UNSAFE);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it.each([
    ['CONFIG is forbidden', ['-config'], undefined],
    ['CONFIG and INFO are forbidden', ['-config', '-info'], UNSAFE],
  ])(
    'is found out when %s',
    async (_what, rules, refusal) => {
      const primary = await keep(startRedisServer({ args: SAFE_REPLICAS }));
      await keep(startRedisReplica(primary.port));
      await clientOf(primary).call('ACL', 'SETUSER', 'default', ...rules);
      const store = await open({ readUrl: () => primary.url, replicasMin: 1, safety: watched().safety });
      const claimed = store.claim(nonce('one'));
      if (refusal === undefined) expect(await claimed).toEqual({ status: 'new' });
      else await expect(claimed).rejects.toMatchObject(refusal);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'is refused before it could be asked',
    async () => {
      const server = await keep(startRedisServer());
      process.kill(server.pid, 'SIGSTOP');
      const store = await open({ readUrl: () => server.url, safety: watched().safety });
      await expect(store.claim(nonce('early'))).rejects.toMatchObject(UNSAFE);
      process.kill(server.pid, 'SIGCONT');
      await untilHealed(() =>
        store.claim(nonce('later')).then(
          ({ status }) => status === 'new',
          () => false,
        ),
      );
    },
    REDIS_START_TIMEOUT_MS,
  );
});

describe('a store behind a Sentinel', () => {
  it(
    'goes on with the promoted replica, which knows every claim that was answered',
    async () => {
      const primary = await keep(startRedisServer());
      await keep(startRedisReplica(primary.port));
      const sentinel = await keep(startRedisSentinel(primary.port));
      const hosts = [{ host: '127.0.0.1', port: sentinel.port }];
      // Only the first claims can be confirmed: after the failover there is no second replica.
      const sentinelOptions = { sentinel: { hosts, name: SENTINEL_PRIMARY_NAME } };
      const store = await open({ ...sentinelOptions, replicasMin: 1 });
      const after = await open(sentinelOptions);
      const epochs = await store.epochs();
      const spent = Array.from({ length: 50 }, (_, index) => `${index}`);
      for (const name of spent) {
        const claimId = digest(name);
        const epoch = epochs[bucketOf(claimId)];
        expect(await persist(() => store.claim({ ...nonce(name), epoch }))).toEqual({ status: 'new' });
      }
      process.kill(primary.pid, 'SIGKILL');
      expect(await persist(() => after.claim(nonce('after the failover')))).toEqual({ status: 'new' });
      expect(await persist(() => after.epochs())).toEqual(epochs);
      for (const name of spent) {
        const answer = await persist(() => after.claim(nonce(name, 'twin')));
        expect(answer.status).toBe('inflight');
      }
      await untilHealed(() =>
        store.claim(nonce('alone')).then(
          () => true,
          ({ reason }: { reason: string }) => reason === NOT_REPLICATED.reason,
        ),
      );
      const free = await persist(() => after.peek(digest('alone'), digest('arguments')));
      expect(free).toEqual({ status: 'inflight', leaseLeftMs: 0 });
    },
    REDIS_START_TIMEOUT_MS,
  );
});

describe('a primary that was replaced and does not know it', () => {
  const NONCES = Array.from({ length: 100 }, (_, index) => `contested ${index}`);
  const tried = (store: RedisClaimStore, name: string, owner: string): Promise<string> =>
    store.claim(nonce(name, owner)).then(
      ({ status }) => status,
      () => 'refused',
    );

  /** On a busy machine a replica may answer too late; then the claim was given back, and is made at the next try. */
  const made = async (store: RedisClaimStore, name: string, owner = 'one'): Promise<string> =>
    (await persist(() => store.claim(nonce(name, owner)))).status;

  it.each([
    ['refuses writes without a replica', SAFE_REPLICAS],
    ['takes writes all the same', []],
  ])(
    'lets no claim of its clients run where another one runs it, when it %s',
    async (_what, settings) => {
      const old = await keep(startRedisServer({ args: settings }));
      const successor = await keep(startRedisReplica(old.port, settings));
      const [stranded, moved] = [old, successor].map(({ url }) => open({ readUrl: () => url, replicasMin: 1 }));
      const [before, after] = [await stranded!, await moved!];
      for (const name of NONCES) expect(await made(before, `spent ${name}`)).toBe('new');

      // The split: whoever promotes has lost sight of the old primary, and its clients have not.
      await clientOf(successor).replicaof('NO', 'ONE');
      await keep(startRedisReplica(successor.port, settings));

      const contested = NONCES.map((name) => Promise.all([tried(before, name, 'one'), made(after, name, 'two')]));
      expect(await Promise.all(contested)).toEqual(NONCES.map(() => ['refused', 'new']));
      const again = NONCES.map(async (name) => [
        await tried(before, name, 'three'),
        await made(after, name, 'three'),
        await made(after, `spent ${name}`, 'two'),
      ]);
      expect(await Promise.all(again)).toEqual(NONCES.map(() => ['refused', 'inflight', 'inflight']));
      // What could not be confirmed was taken back, so nothing of it is left to be "unknown".
      expect(await clientOf(old).dbsize()).toBe(NONCES.length);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'would let it run twice if nobody waited for a replica',
    async () => {
      const old = await keep(startRedisServer());
      const successor = await keep(startRedisReplica(old.port));
      const [before, after] = [old, successor].map(({ url }) => open({ readUrl: () => url }));
      await clientOf(successor).replicaof('NO', 'ONE');
      expect(await tried(await before!, 'contested', 'one')).toBe('new');
      expect(await tried(await after!, 'contested', 'two')).toBe('new');
    },
    REDIS_START_TIMEOUT_MS,
  );
});

describe('a store on a cluster', () => {
  it(
    'keeps each claim with its epoch and its count on one node, and all nodes have their part',
    async () => {
      const nodes = await startRedisCluster();
      servers.push(...nodes);
      const cluster = nodes.slice(0, 1).map(({ port }) => ({ host: '127.0.0.1', port }));
      const store = await open({ cluster, safety: { refuses: true } });
      const epochs = await store.epochs();
      expect(new Set(epochs).size).toBe(64);
      const requests = Array.from({ length: 200 }, (_, index) => {
        const claimId = digest(`${index}`);
        return attempt('owner', { claimId, epoch: epochs[bucketOf(claimId)], principal: digest('alice') });
      });
      for (const answer of await Promise.all(requests.map((request) => store.claim(request))))
        expect(answer).toEqual({ status: 'new' });
      for (const request of requests) expect(await store.settle({ ...request, result: 'r' })).toBe(true);
      for (const request of requests)
        expect(await store.claim({ ...request, owner: digest('twin') })).toEqual({ status: 'done', result: 'r' });
      await store.hold({ handle: 'AQIDBAUGBwgJCgsMDQ4PEA', text: 'held', retainMs: 60_000 });
      expect(await store.recall('AQIDBAUGBwgJCgsMDQ4PEA')).toBe('held');
      for (const node of nodes) expect(await clientOf(node).dbsize()).toBeGreaterThan(20);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'waits for replicas on the node that has the claim',
    async () => {
      const nodes = await startRedisCluster();
      servers.push(...nodes);
      const cluster = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
      // None of the three has a replica, so none can confirm.
      const store = await open({ cluster, replicasMin: 1, waitMs: 50 });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => store.claim(nonce(`${index}`))),
      );
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: NOT_REPLICATED });
      for (const node of nodes) expect(await clientOf(node).dbsize()).toBe(0);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'goes on after a node failed over to its replica, which knows every claim that was answered',
    async () => {
      const nodes = await startRedisCluster({ withReplicas: true });
      servers.push(...nodes);
      const cluster = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
      const store = await open({ cluster, replicasMin: 1 });
      const epochs = await store.epochs();
      const requests = Array.from({ length: 100 }, (_, index) => {
        const claimId = digest(`${index}`);
        return attempt('owner', { claimId, epoch: epochs[bucketOf(claimId)], principal: digest('alice') });
      });
      for (const request of requests) expect(await store.claim(request)).toEqual({ status: 'new' });
      const [lost] = nodes;
      expect(await clientOf(lost!).dbsize()).toBeGreaterThan(20);
      process.kill(lost!.pid, 'SIGKILL');
      const after = await open({ cluster: cluster.slice(1) });
      expect(await persist(() => after.epochs())).toEqual(epochs);
      const twins = requests.map((request) => ({ ...request, owner: digest('twin') }));
      for (const twin of twins) expect((await persist(() => after.claim(twin))).status).toBe('inflight');
      for (const request of requests) expect(await persist(() => store.settle({ ...request, result: 'r' }))).toBe(true);
      // Of the node that failed over no replica is left, so nothing new counts there; elsewhere it does.
      const admin = clientOf(nodes[1]!);
      const slotOf = (name: string): Promise<number> => admin.cluster('KEYSLOT', `rp:{b${bucketOf(digest(name))}}`);
      const names = Array.from({ length: 40 }, (_, index) => `new ${index}`);
      const slots = await Promise.all(names.map(slotOf));
      const nameIn = (isThere: (slot: number) => boolean): string => names[slots.findIndex(isThere)] ?? '';
      const [there, elsewhere] = [nameIn((slot) => slot < SLOTS_OF_FIRST), nameIn((slot) => slot >= SLOTS_OF_FIRST)];
      await expect(store.claim(nonce(there))).rejects.toMatchObject(NOT_REPLICATED);
      expect(await store.claim(nonce(elsewhere))).toEqual({ status: 'new' });
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'finds a slot that moved to another node',
    async () => {
      const nodes = await startRedisCluster();
      servers.push(...nodes);
      const cluster = nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
      const store = await open({ cluster });
      const request = nonce('moved');
      await store.claim(request);
      const admins = nodes.map(clientOf);
      const tag = `rp:{b${bucketOf(request.claimId)}}`;
      const slot = Number(await admins[0]?.cluster('KEYSLOT', `${tag}:epoch`));
      const ids = await Promise.all(admins.map((admin) => admin.cluster('MYID')));
      const from = await Promise.all(admins.map((admin) => admin.dbsize())).then((sizes) => sizes.indexOf(1));
      const to = (from + 1) % nodes.length;
      await admins[to]?.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(ids[from]));
      await admins[from]?.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(ids[to]));
      const [key = ''] = (await admins[from]?.keys('*')) ?? [];
      await admins[from]?.call('MIGRATE', '127.0.0.1', String(nodes[to]?.port), key, '0', '5000');
      for (const admin of admins) await admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(ids[to]));
      expect((await store.claim(nonce('moved', 'twin'))).status).toBe('inflight');
    },
    REDIS_START_TIMEOUT_MS,
  );
});
