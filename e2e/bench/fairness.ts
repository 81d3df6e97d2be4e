/**
 * Whether one principal at 100 times its rate is felt by others: the 99th percentile of callers at their own rate, beside
 * one that keeps to its rate and beside the same one flooding, in turns. Either way the same processes hold the same
 * connections, so that nothing but the rate differs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, fromSource } from '../harness/workspace.js';
import type { FloodDone } from './flood.js';
import { Gateway, OWN_TOOLS } from './gateway.js';
import { QuietCallers } from './quiet-callers.js';
import type { RoundsOptions } from './rounds.js';
import { runToEnd } from './run-to-end.js';
import { median } from './statistics.js';
import type { BenchTargets } from './targets.js';

const PER_SECOND = 50;
const FLOOD_TIMES = 100;
const POLICY = {
  rules: [{ name: 'all', tools: ['*'], grantsDestructive: true }],
  limits: [{ name: 'each', perSecond: PER_SECOND, burst: 2 * PER_SECOND, concurrent: 16 }],
};
/** The 99th percentile of fewer than some hundred calls is one call's bad luck. */
const ROUND_S_MIN = 6;
/** From the start of its process until the flood is at its rate. */
const FLOOD_START_S = 3;
/** A flood below this share of its rate proves nothing. */
const FLOOD_SHARE_MIN = 0.5;

export interface Fairness {
  /** Milliseconds, medians over the rounds. */
  readonly p99QuietMs: number;
  readonly p99FloodedMs: number;
  readonly factor: number;
  /** What the flood really was, and how much of it was refused. */
  readonly floodPerS: number;
  readonly refusedShare: number;
}

interface Beside {
  readonly p99Ms: number;
  readonly flood: FloodDone;
}

export async function measureFairness(targets: BenchTargets, options: RoundsOptions): Promise<Fairness> {
  const gateway = targets.keep(
    await Gateway.start({ name: 'bench/fairness', tools: OWN_TOOLS, replay: true, extras: { policy: POLICY } }),
  );
  const { port } = gateway.router(0);
  const callers = await QuietCallers.connect(port, 0.8 * PER_SECOND);
  const roundS = Math.max(ROUND_S_MIN, options.roundS);
  const beside = async (times: number): Promise<Beside> => {
    const order = { port, perSecond: times * PER_SECOND, seconds: FLOOD_START_S + roundS };
    const flood = runToEnd(process.execPath, fromSource(`${ROOT}/e2e/bench/flood.ts`, JSON.stringify(order)));
    await sleep(FLOOD_START_S * 1_000);
    const p99Ms = await callers.p99Ms(roundS);
    return { p99Ms, flood: JSON.parse(await flood) as FloodDone };
  };
  // Once for both, until compiled code and connections have settled.
  for (const times of [1, FLOOD_TIMES]) await beside(times);
  const quiet: Beside[] = [];
  const flooded: Beside[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    quiet.push(await beside(1));
    flooded.push(await beside(FLOOD_TIMES));
  }
  callers.end();
  return judge(quiet, flooded);
}

function judge(quiet: readonly Beside[], flooded: readonly Beside[]): Fairness {
  const p99QuietMs = median(quiet.map(({ p99Ms }) => p99Ms));
  const p99FloodedMs = median(flooded.map(({ p99Ms }) => p99Ms));
  const floodPerS = median(flooded.map(({ flood }) => flood.perS));
  if (floodPerS < FLOOD_SHARE_MIN * FLOOD_TIMES * PER_SECOND)
    throw new Error(`the flood was only ${floodPerS.toFixed(0)} requests/s: this machine cannot tell`);
  const refusedShare = median(flooded.map(({ flood }) => flood.refusedShare));
  return { p99QuietMs, p99FloodedMs, factor: p99FloodedMs / p99QuietMs, floodPerS, refusedShare };
}
