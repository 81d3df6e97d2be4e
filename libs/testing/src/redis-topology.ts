/** Real Redis with replicas, with a Sentinel, and as a cluster, on loopback: what production has, in small. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askRedis } from './ask-redis.js';
import { findFreePorts } from './free-ports.js';
import { startRedisServer, type RunningRedis } from './redis-server.js';

/** Links, elections and gossip take up to some seconds on a busy machine. */
const READY_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 20;
const SLOTS = 16_384;
const CLUSTER_PRIMARIES = 3;
/** Short, so that a test of failover takes seconds. */
const SENTINEL_DOWN_AFTER_MS = 500;
const SENTINEL_FAILOVER_TIMEOUT_MS = 2_000;
const CLUSTER_NODE_TIMEOUT_MS = 1_000;

/** What a replica's primary is called at the Sentinel. */
export const SENTINEL_PRIMARY_NAME = 'roundhouse';

/** Writes, and leaves nothing. */
const TOUCH = `EVAL "redis.call('SET', 'touch', '1') return redis.call('DEL', 'touch')" 0`;

/** A replica of the server on `primaryPort` that has caught up with it. */
export async function startRedisReplica(primaryPort: number, args: readonly string[] = []): Promise<RunningRedis> {
  const replica = await startRedisServer({ args: ['--replicaof', '127.0.0.1', String(primaryPort), ...args] });
  await untilReply(replica.port, 'INFO replication', /master_link_status:up/);
  // The primary counts it only when it has been heard.
  await untilReply(primaryPort, 'INFO replication', new RegExp(`port=${replica.port},state=online`));
  // An online replica may be sent nothing until it acknowledged for the first time, once a second (replconf-ack): something
  // it has to acknowledge, and the wait for that, spare tests a first claim that seems not to be replicated.
  await untilReply(primaryPort, TOUCH, /^:1/);
  await untilReply(primaryPort, 'INFO replication', new RegExp(`port=${replica.port},state=online,offset=[1-9]`));
  return replica;
}

/** A Sentinel that alone decides, and knows the primary on `primaryPort` and its first replica. */
export async function startRedisSentinel(primaryPort: number): Promise<RunningRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-'));
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `sentinel monitor ${SENTINEL_PRIMARY_NAME} 127.0.0.1 ${primaryPort} 1`,
      `sentinel down-after-milliseconds ${SENTINEL_PRIMARY_NAME} ${SENTINEL_DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${SENTINEL_PRIMARY_NAME} ${SENTINEL_FAILOVER_TIMEOUT_MS}`,
    ].join('\n'),
  );
  const sentinel = await startRedisServer({ sentinelFile: file });
  await untilReply(sentinel.port, `SENTINEL replicas ${SENTINEL_PRIMARY_NAME}`, /^\*1/);
  const stop = async (): Promise<void> => {
    await sentinel.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...sentinel, stop };
}

export interface RedisClusterOptions {
  /** Each primary has one, which takes over when it is gone. */
  readonly withReplicas?: boolean;
}

/** Three primaries that share the slots, then their replicas in the same order; resolves when all of them serve. */
export async function startRedisCluster({ withReplicas = false }: RedisClusterOptions = {}): Promise<
  readonly RunningRedis[]
> {
  const count = withReplicas ? 2 * CLUSTER_PRIMARIES : CLUSTER_PRIMARIES;
  const busPorts = await findFreePorts(count);
  const timeout = ['--cluster-node-timeout', String(CLUSTER_NODE_TIMEOUT_MS)];
  const nodes = await Promise.all(
    busPorts.map((port) =>
      startRedisServer({ args: ['--cluster-enabled', 'yes', '--cluster-port', String(port), ...timeout] }),
    ),
  );
  const [first] = nodes;
  for (const [at, { port }] of nodes.entries()) {
    if (at < CLUSTER_PRIMARIES) await takeSlots(port, at);
    await askRedis(port, `CLUSTER MEET 127.0.0.1 ${first?.port} ${busPorts[0]}`);
  }
  const serves = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${count}`);
  await Promise.all(nodes.map(({ port }) => untilReply(port, 'CLUSTER INFO', serves)));
  await Promise.all(nodes.slice(CLUSTER_PRIMARIES).map(({ port }, at) => follow(port, nodes[at]?.port ?? 0)));
  return nodes;
}

async function takeSlots(port: number, part: number): Promise<void> {
  const [from, to] = [part, part + 1].map((share) => Math.floor((SLOTS * share) / CLUSTER_PRIMARIES));
  await askRedis(port, `CLUSTER ADDSLOTSRANGE ${from} ${(to ?? SLOTS) - 1}`);
  // Equal epochs of configuration would have to be sorted out first.
  await askRedis(port, `CLUSTER SET-CONFIG-EPOCH ${part + 1}`);
}

async function follow(port: number, primaryPort: number): Promise<void> {
  const id = /[0-9a-f]{40}/.exec(await askRedis(primaryPort, 'CLUSTER MYID'))?.[0];
  await untilReply(port, `CLUSTER REPLICATE ${id}`, /^\+OK/);
  await untilReply(port, 'INFO replication', /master_link_status:up/);
  await untilReply(primaryPort, 'INFO replication', new RegExp(`port=${port},state=online`));
}

async function untilReply(port: number, line: string, wanted: RegExp): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  let reply = '';
  while (performance.now() < deadline) {
    reply = await askRedis(port, line).catch(String);
    if (wanted.test(reply)) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`${line} on 127.0.0.1:${port} did not become ${wanted} within ${READY_WITHIN_MS} ms: ${reply}`);
}
