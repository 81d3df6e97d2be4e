/**
 * What something adds to the router's time for a call: the same call through routers that differ in nothing else, one of
 * each kind side by side, in turns of a second. Turns so short lie close together, so that what else the machine does meets
 * all of them. Two processes of one program differ by a tenth (measured: what was compiled when and into what, where memory
 * lies), so it is done several times with new processes. Never with all of them at once: a router that waits for its turn
 * as long as a dozen others take does not find its code and its data where it left them.
 */
import { lowerQuartile, median } from './statistics.js';
import type { Target } from './target.js';
import type { BenchOptions } from './options.js';
import type { BenchTargets } from './targets.js';

const TURN_S = 1;
/** Half as many turns as all rounds have seconds, so that seven times take as many minutes; a quartile needs some. */
const TURNS_SHARE = 0.5;
const TURNS_MIN = 3;
/** What a router does in ten seconds where it has a core for itself. */
const SETTLE_CALLS = 100_000;
const SETTLE_S = 2;
const SETTLE_WITHIN_MS = 90_000;

export interface Compared {
  /** Microseconds of the router's processor time for a call, of the middle process. */
  readonly routerCpuUs: number;
  /** Over the first kind, whose process ran beside it; the middle one. */
  readonly addedPercent: number;
  /** Of each process, in the order of the times: how far apart equal ones are. */
  readonly eachCpuUs: readonly number[];
}

export type ComparedOptions = Pick<BenchOptions, 'rounds' | 'roundS' | 'times'>;

/** Starts one more process of a kind; `at` tells it from the others. */
export type StartTarget = (at: string) => Promise<Target>;

interface Contender {
  readonly target: Target;
  readonly cpuUs: number[];
}

/** One entry for each kind, in their order; the first is what the others are compared with. */
export async function compareRouters(
  targets: Pick<BenchTargets, 'during'>,
  kinds: readonly StartTarget[],
  { rounds, roundS, times }: ComparedOptions,
): Promise<readonly Compared[]> {
  const turns = Math.max(TURNS_MIN, Math.ceil(((rounds * roundS) / TURN_S) * TURNS_SHARE));
  const taken: number[][] = [];
  for (let at = 0; at < times; at += 1) taken.push(await targets.during(() => compareOnce(kinds, String(at), turns)));
  return kinds.map((_, kind) => {
    const eachCpuUs = taken.map((each) => each[kind] ?? NaN);
    const factors = taken.map(([first = NaN], at) => (eachCpuUs[at] ?? NaN) / first);
    return { routerCpuUs: median(eachCpuUs), addedPercent: (median(factors) - 1) * 100, eachCpuUs };
  });
}

async function compareOnce(kinds: readonly StartTarget[], at: string, turns: number): Promise<number[]> {
  const contenders: Contender[] = [];
  for (const start of kinds) contenders.push({ target: await start(at), cpuUs: [] });
  for (const { target } of contenders) await settle(target);
  for (let turn = 0; turn < turns; turn += 1) await takeTurn(contenders, turn);
  // Whatever else the machine does can only add to a turn, so the undisturbed ones count.
  return contenders.map(({ cpuUs }) => lowerQuartile(cpuUs));
}

/** Each is first as often as the others: whatever grows or falls over a turn favours none. */
async function takeTurn(contenders: readonly Contender[], turn: number): Promise<void> {
  for (let step = 0; step < contenders.length; step += 1) {
    const contender = contenders[(turn + step) % contenders.length];
    contender?.cpuUs.push((await contender.target.measure(TURN_S)).cpuUs['router'] ?? NaN);
  }
}

/** Code is compiled by how often it runs, which on a busy machine is not a matter of seconds. */
async function settle(target: Target): Promise<void> {
  const endsMs = performance.now() + SETTLE_WITHIN_MS;
  for (let calls = 0; calls < SETTLE_CALLS && performance.now() < endsMs;)
    calls += (await target.measure(SETTLE_S)).perS * SETTLE_S;
}
