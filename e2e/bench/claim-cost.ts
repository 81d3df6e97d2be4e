/**
 * What "at most once" costs: the same two-round flow claimed and not, one flow at a time, in turns, with a store that
 * waits for its replica before it says that a claim is made.
 */
import { askRedis } from '@roundhouse/testing';
import type { FlowsDone } from './flow-client.js';
import { Gateway } from './gateway.js';
import { FLOWS, type FlowKind } from './requests.js';
import { runFlows } from './run-flows.js';
import { median } from './statistics.js';
import { OWN_TOOLS } from './gateway.js';
import type { BenchTargets } from './targets.js';

/** What the replay service, its connections and replication ask for by themselves, with no claim in sight. */
const HOUSEKEEPING = new Set([
  'client',
  'config',
  'hello',
  'info',
  'ping',
  'psync',
  'replconf',
  'role',
  'script',
  'time',
]);
const COMMAND_LINE = /^cmdstat_([^:|]+)[^:]*:calls=(\d+)/gm;
const WARM_UP_S = 4;

export interface ClaimCost {
  readonly unclaimedP50Ms: number;
  readonly claimedP50Ms: number;
  /** Commands that the store was asked for by one flow. */
  readonly redisOpsPerUnclaimed: number;
  readonly redisOpsPerClaimed: number;
}

export interface ClaimCostOptions {
  readonly rounds: number;
  readonly roundS: number;
}

export async function measureClaimCost(targets: BenchTargets, options: ClaimCostOptions): Promise<ClaimCost> {
  const gateway = targets.keep(
    await Gateway.start({ name: 'bench/claims', tools: OWN_TOOLS, routers: 2, replay: true, replica: true }),
  );
  const flows = (kind: FlowKind, seconds: number, mayRefuse = false): Promise<FlowsDone> =>
    runFlows({ kind, ports: [gateway.router(0).port, gateway.router(1).port], clients: 1, seconds, mayRefuse });
  const taken = { unclaimed: [] as Taken[], claimed: [] as Taken[] };
  for (const kind of KINDS) await flows(kind, WARM_UP_S, true);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const kind of KINDS) taken[kind].push(await take(gateway, () => flows(kind, options.roundS)));
  }
  const of = (kind: FlowKind, pick: (each: Taken) => number): number => median(taken[kind].map(pick));
  return {
    unclaimedP50Ms: of('unclaimed', ({ p50Ms }) => p50Ms),
    claimedP50Ms: of('claimed', ({ p50Ms }) => p50Ms),
    redisOpsPerUnclaimed: of('unclaimed', ({ opsPerFlow }) => opsPerFlow),
    redisOpsPerClaimed: of('claimed', ({ opsPerFlow }) => opsPerFlow),
  };
}

const KINDS = Object.keys(FLOWS) as FlowKind[];

interface Taken {
  readonly p50Ms: number;
  readonly opsPerFlow: number;
}

async function take(gateway: Gateway, work: () => Promise<FlowsDone>): Promise<Taken> {
  const before = await countOperations(gateway.redisPort);
  const { count, answerP50Ms } = await work();
  const operations = (await countOperations(gateway.redisPort)) - before;
  return { p50Ms: answerP50Ms, opsPerFlow: operations / count };
}

async function countOperations(port: number): Promise<number> {
  const statistics = await askRedis(port, 'INFO commandstats');
  return [...statistics.matchAll(COMMAND_LINE)].reduce(
    (sum, [, name = '', calls]) => (HOUSEKEEPING.has(name) ? sum : sum + Number(calls)),
    0,
  );
}
