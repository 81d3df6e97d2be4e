/**
 * What something adds to the router's time for a call: the same call through routers that differ in nothing else, in
 * turns of a second. Turns so short lie close together, so that what else the machine does meets all of them; there are
 * many of them instead, and each compares its own figures.
 */
import { median } from './statistics.js';
import type { Target } from './target.js';
import type { RoundsOptions } from './rounds.js';

const TURN_S = 1;
/** What a router does in ten seconds where it has a core for itself. */
const SETTLE_CALLS = 100_000;
const SETTLE_S = 2;
const SETTLE_WITHIN_MS = 90_000;

export interface Compared {
  /** Microseconds of the router's processor time for a call, median over the turns. */
  readonly routerCpuUs: number;
  /** Over the first target of the same turn, median over the turns. */
  readonly addedPercent: number;
}

/** One entry for each target, in their order; the first is what the others are compared with. */
export async function compareRouters(
  targets: readonly Target[],
  { rounds, roundS }: RoundsOptions,
): Promise<readonly Compared[]> {
  for (const target of targets) await settle(target);
  const turns: number[][] = [];
  for (let turn = 0; turn < (rounds * roundS) / TURN_S; turn += 1) turns.push(await takeTurn(targets, turn));
  return targets.map((_target, at) => ({
    routerCpuUs: median(turns.map((taken) => taken[at] ?? NaN)),
    addedPercent: median(turns.map((taken) => ((taken[at] ?? NaN) / (taken[0] ?? NaN) - 1) * 100)),
  }));
}

/** Each is first as often as the others: whatever grows or falls over a turn favours none. */
async function takeTurn(targets: readonly Target[], turn: number): Promise<number[]> {
  const taken: number[] = [];
  for (let step = 0; step < targets.length; step += 1) {
    const at = (turn + step) % targets.length;
    taken[at] = (await targets[at]?.measure(TURN_S))?.cpuUs['router'] ?? NaN;
  }
  return taken;
}

/** Code is compiled by how often it runs, which on a busy machine is not a matter of seconds. */
async function settle(target: Target): Promise<void> {
  const endsMs = performance.now() + SETTLE_WITHIN_MS;
  for (let calls = 0; calls < SETTLE_CALLS && performance.now() < endsMs;)
    calls += (await target.measure(SETTLE_S)).perS * SETTLE_S;
}
