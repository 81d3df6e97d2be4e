import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { askRedis } from './ask-redis.js';
import { REDIS_START_TIMEOUT_MS, startRedisServer, type RunningRedis } from './redis-server.js';
import { SENTINEL_PRIMARY_NAME, startRedisCluster, startRedisReplica, startRedisSentinel } from './redis-topology.js';

const running: RunningRedis[] = [];

async function keep<T extends RunningRedis>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  running.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

describe('a replica', () => {
  it(
    'gets what its primary was told',
    async () => {
      const primary = await keep(startRedisServer());
      const replica = await keep(startRedisReplica(primary.port));
      expect(await askRedis(primary.port, 'SET fruit plum')).toBe('+OK\r\n');
      while (!(await askRedis(replica.port, 'GET fruit')).includes('plum')) await sleep(10);
    },
    REDIS_START_TIMEOUT_MS,
  );
});

describe('a Sentinel', () => {
  it(
    'names the primary, and its replica once the primary is gone',
    async () => {
      const primary = await keep(startRedisServer());
      const replica = await keep(startRedisReplica(primary.port));
      const sentinel = await keep(startRedisSentinel(primary.port));
      const named = (): Promise<string> =>
        askRedis(sentinel.port, `SENTINEL get-master-addr-by-name ${SENTINEL_PRIMARY_NAME}`);
      expect(await named()).toContain(String(primary.port));
      process.kill(primary.pid, 'SIGKILL');
      while (!(await named()).includes(String(replica.port))) await sleep(50);
    },
    REDIS_START_TIMEOUT_MS,
  );
});

describe('a cluster', () => {
  it(
    'has three nodes that point to each other',
    async () => {
      const nodes = await startRedisCluster();
      running.push(...nodes);
      const replies = await Promise.all(nodes.map(({ port }) => askRedis(port, 'GET {b0}')));
      expect(replies.filter((reply) => reply.startsWith('-MOVED'))).toHaveLength(2);
      expect(replies.filter((reply) => reply === '$-1\r\n')).toHaveLength(1);
    },
    REDIS_START_TIMEOUT_MS,
  );

  it(
    'has a replica for each node that takes over when the node is gone',
    async () => {
      const nodes = await startRedisCluster({ withReplicas: true });
      running.push(...nodes);
      expect(nodes).toHaveLength(6);
      const [primary, , , replica] = nodes;
      const roleOf = (port = 0): Promise<string> => askRedis(port, 'INFO replication');
      expect(await roleOf(replica?.port)).toContain(`master_port:${primary?.port}`);
      process.kill(primary?.pid ?? 0, 'SIGKILL');
      while (!(await roleOf(replica?.port)).includes('role:master')) await sleep(50);
    },
    REDIS_START_TIMEOUT_MS,
  );
});
