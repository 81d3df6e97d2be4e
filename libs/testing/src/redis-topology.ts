/** Real Redis with replicas, with a Sentinel, and as a cluster, on loopback: what production has, in small. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askRedis } from './ask-redis.js';
import { findFreePort, startRedisServer, type RunningRedis } from './redis-server.js';

/** Links, elections and gossip take up to some seconds on a busy machine. */
const READY_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 20;
const SLOTS = 16_384;
const CLUSTER_NODES = 3;
/** Short, so that a test of failover takes seconds. */
const SENTINEL_DOWN_AFTER_MS = 500;
const SENTINEL_FAILOVER_TIMEOUT_MS = 2_000;

/** What a replica's primary is called at the Sentinel. */
export const SENTINEL_PRIMARY_NAME = 'roundhouse';

/** A replica of the server on `primaryPort` that has caught up with it. */
export async function startRedisReplica(primaryPort: number, args: readonly string[] = []): Promise<RunningRedis> {
  const replica = await startRedisServer({ args: ['--replicaof', '127.0.0.1', String(primaryPort), ...args] });
  await untilReply(replica.port, 'INFO replication', /master_link_status:up/);
  // The primary counts it only when it has been heard.
  await untilReply(primaryPort, 'INFO replication', new RegExp(`port=${replica.port},state=online`));
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

/** Three primaries that share the slots; resolves when each of them serves. */
export async function startRedisCluster(): Promise<readonly RunningRedis[]> {
  const busPorts = await Promise.all(Array.from({ length: CLUSTER_NODES }, findFreePort));
  const nodes = await Promise.all(
    busPorts.map((port) => startRedisServer({ args: ['--cluster-enabled', 'yes', '--cluster-port', String(port)] })),
  );
  const [first] = nodes;
  for (const [at, { port }] of nodes.entries()) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((SLOTS * part) / CLUSTER_NODES));
    await askRedis(port, `CLUSTER ADDSLOTSRANGE ${from} ${(to ?? SLOTS) - 1}`);
    // Equal epochs of configuration would have to be sorted out first.
    await askRedis(port, `CLUSTER SET-CONFIG-EPOCH ${at + 1}`);
    await askRedis(port, `CLUSTER MEET 127.0.0.1 ${first?.port} ${busPorts[0]}`);
  }
  const serves = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${CLUSTER_NODES}`);
  await Promise.all(nodes.map(({ port }) => untilReply(port, 'CLUSTER INFO', serves)));
  return nodes;
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
