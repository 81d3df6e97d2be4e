/**
 * What something adds to the router's time for a call: the same call through routers that differ in nothing else, in
 * turns of a second. Turns so short lie close together, so that what else the machine does meets all of them. Two
 * processes of one program differ by a tenth (measured: what was compiled when, where memory lies), so there are several
 * of each kind.
 */
import { lowerQuartile, median } from './statistics.js';
import type { Target } from './target.js';
import type { RoundsOptions } from './rounds.js';

/** Of each kind: an odd number has a middle one. */
const PROCESSES = 3;
const TURN_S = 1;
/** What a router does in ten seconds where it has a core for itself. */
const SETTLE_CALLS = 100_000;
const SETTLE_S = 2;
const SETTLE_WITHIN_MS = 90_000;

export interface Compared {
  /** Microseconds of the router's processor time for a call, of the middle process. */
  readonly routerCpuUs: number;
  /** Over the first kind. */
  readonly addedPercent: number;
  /** Of each process, in rising order: how far apart equal ones are. */
  readonly eachCpuUs: readonly number[];
}

/** Starts one more process of a kind; `at` tells it from the others. */
export type StartTarget = (at: string) => Promise<Target>;

interface Contender {
  readonly kind: number;
  readonly target: Target;
  readonly cpuUs: number[];
}

/** One entry for each kind, in their order; the first is what the others are compared with. */
export async function compareRouters(
  kinds: readonly StartTarget[],
  { rounds, roundS }: RoundsOptions,
): Promise<readonly Compared[]> {
  const contenders: Contender[] = [];
  for (let at = 0; at < PROCESSES; at += 1) {
    for (const [kind, start] of kinds.entries()) contenders.push({ kind, target: await start(String(at)), cpuUs: [] });
  }
  for (const { target } of contenders) await settle(target);
  for (let turn = 0; turn < (rounds * roundS) / TURN_S; turn += 1) await takeTurn(contenders, turn);
  const each = kinds.map((_, kind) => eachOf(contenders.filter((contender) => contender.kind === kind)));
  const first = median(each[0] ?? []);
  return each.map((eachCpuUs) => ({
    routerCpuUs: median(eachCpuUs),
    addedPercent: (median(eachCpuUs) / first - 1) * 100,
    eachCpuUs,
  }));
}

/** Each is first as often as the others: whatever grows or falls over a turn favours none. */
async function takeTurn(contenders: readonly Contender[], turn: number): Promise<void> {
  for (let step = 0; step < contenders.length; step += 1) {
    const contender = contenders[(turn + step) % contenders.length];
    contender?.cpuUs.push((await contender.target.measure(TURN_S)).cpuUs['router'] ?? NaN);
  }
}

/** Whatever else the machine does can only add to a turn, so the undisturbed ones count. */
function eachOf(contenders: readonly Contender[]): readonly number[] {
  return contenders.map(({ cpuUs }) => lowerQuartile(cpuUs)).sort((a, b) => a - b);
}

/** Code is compiled by how often it runs, which on a busy machine is not a matter of seconds. */
async function settle(target: Target): Promise<void> {
  const endsMs = performance.now() + SETTLE_WITHIN_MS;
  for (let calls = 0; calls < SETTLE_CALLS && performance.now() < endsMs;)
    calls += (await target.measure(SETTLE_S)).perS * SETTLE_S;
}
