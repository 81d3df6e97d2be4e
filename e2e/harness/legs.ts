/** Whether the rounds of a flow really met another router and another worker process each time. */
import assert from 'node:assert/strict';
import type { Cluster } from './cluster.js';
import { awaitRounds } from './rounds-seen.js';

/** Each round ran once, and neither its router nor its worker is the one of the round before. */
export async function assertLegsApart(cluster: Cluster, flowId: unknown, count: number): Promise<void> {
  const rounds = await awaitRounds(cluster, flowId, count);
  assert.deepEqual(
    rounds.map(({ round, runs }) => [round, runs.length]),
    Array.from({ length: count }, (_, at) => [at + 1, 1]),
  );
  const workerPids = rounds.map(({ workerAddress }) => cluster.workerAt(workerAddress)?.process.pid);
  for (let at = 1; at < count; at += 1) {
    assert.notEqual(rounds[at]?.routerPid, rounds[at - 1]?.routerPid, 'another router');
    assert.ok(workerPids[at] !== undefined && workerPids[at] !== workerPids[at - 1], 'another worker');
  }
}
