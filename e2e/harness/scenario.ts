/**
 * Runs scenarios: sentences about the system that are true when their steps succeed. Scenarios of one group share a
 * running system and leave it as they found it; groups run one after another.
 */
import type { RequirementId } from '../requirements.js';
import { secretWatch } from './secret-watch.js';
import { within } from './until.js';

/** A scenario that takes longer hangs; the longest sits out two cool-downs of thirty seconds. */
const SCENARIO_WITHIN_MS = 90_000;

/** Thrown by a scenario that cannot be played here, because something it needs and nothing promises is missing. */
export class NotPresent extends Error {}

/** What a group of scenarios runs in. */
export interface World {
  /** Whatever in it must not have happened, in words: a process that ended, an error nobody caught. */
  complaints(): string[];
  stop(): Promise<void>;
}

export interface Turn<W extends World> {
  readonly world: W;
  /** Runs when the scenario is over, last given first, whether it succeeded or not. */
  defer(close: () => unknown): void;
}

export interface Scenario<W extends World> {
  /** By which documents name it; few need one. */
  readonly id?: string;
  readonly sentence: string;
  readonly cites: readonly RequirementId[];
  run(turn: Turn<W>): Promise<void>;
}

export interface ScenarioGroup {
  readonly cites: readonly RequirementId[];
  readonly ids: readonly string[];
  run(filter: string, report: Report): Promise<void>;
}

export interface Report {
  passed(sentence: string, tookMs: number): void;
  failed(sentence: string, error: unknown): void;
  notChosen(count: number): void;
  notPresent(sentence: string, why: string): void;
}

export function scenario<W extends World>(
  sentence: string,
  cites: readonly RequirementId[],
  run: (turn: Turn<W>) => Promise<void>,
): Scenario<W> {
  return { sentence, cites, run };
}

/** The same under a name that stays although its sentence changes; it is chosen by either. */
export function named<W extends World>(id: string, given: Scenario<W>): Scenario<W> {
  return { ...given, id, sentence: `${given.sentence} [${id}]` };
}

export function scenariosIn<W extends World>(
  name: string,
  start: () => Promise<W>,
  scenarios: readonly Scenario<NoInfer<W>>[],
): ScenarioGroup {
  return {
    cites: scenarios.flatMap(({ cites }) => cites),
    ids: scenarios.flatMap(({ id }) => id ?? []),
    run: async (filter, report) => {
      const chosen = scenarios.filter(({ sentence }) => `${name}: ${sentence}`.includes(filter));
      report.notChosen(scenarios.length - chosen.length);
      if (chosen.length > 0) await runGroup({ name, start, scenarios: chosen }, report);
    },
  };
}

interface ChosenGroup<W extends World> {
  readonly name: string;
  readonly start: () => Promise<W>;
  readonly scenarios: readonly Scenario<W>[];
}

async function runGroup<W extends World>({ name, start, scenarios }: ChosenGroup<W>, report: Report): Promise<void> {
  let world: W;
  secretWatch.begin();
  try {
    world = await start();
  } catch (error) {
    for (const { sentence } of scenarios) report.failed(`${name}: ${sentence}`, error);
    return;
  }
  for (const each of scenarios) {
    const sentence = `${name}: ${each.sentence}`;
    const startedMs = performance.now();
    try {
      await runOne(each, world);
      report.passed(sentence, performance.now() - startedMs);
    } catch (error) {
      if (error instanceof NotPresent) report.notPresent(sentence, error.message);
      else report.failed(sentence, error);
    }
  }
  await stopAndJudge(name, world, report);
}

async function runOne<W extends World>({ sentence, run }: Scenario<W>, world: W): Promise<void> {
  const closers: (() => unknown)[] = [];
  try {
    await within(run({ world, defer: (close) => closers.push(close) }), {
      what: sentence,
      withinMs: SCENARIO_WITHIN_MS,
    });
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Counted only when it fails: a system that scenarios broke without noticing. */
async function stopAndJudge(name: string, world: World, report: Report): Promise<void> {
  const sentence = `${name}: the system outlives its scenarios and stops in order`;
  const complaints = world.complaints();
  try {
    await secretWatch.readPages();
    await world.stop();
    complaints.push(...secretWatch.leaks());
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
  } catch (error) {
    report.failed(sentence, error);
  }
}
