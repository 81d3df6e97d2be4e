/** One run from start to verdict: the system, the load on it, the faults in it, healing, and what the judge says. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OUT } from '../harness/workspace.js';
import { LEASE_MS } from './fault-plan.js';
import { FaultSystem } from './fault-system.js';
import type { Fault } from './faults.js';
import { History } from './history.js';
import { judge, type Verdict } from './judge.js';
import { Load } from './load.js';
import { Nemesis } from './nemesis.js';
import { resolveAll } from './resolve.js';
import { SeededRandom } from './seeded-random.js';

export interface CampaignOptions {
  /** Folder below out/faults; emptied at the start. */
  readonly name: string;
  readonly seed: number;
  readonly loadMs: number;
  readonly faults: readonly Fault[];
  readonly isFenced: boolean;
  readonly say: (line: string) => void;
}

export interface Campaign {
  readonly verdict: Verdict;
  readonly historyFile: string;
  /** Faults that struck, with how often. */
  readonly struck: ReadonlyMap<string, number>;
  /** What processes logged that must not happen. */
  readonly complaints: readonly string[];
}

export async function playCampaign(options: CampaignOptions): Promise<Campaign> {
  const { name, seed, loadMs, faults, isFenced, say } = options;
  const folder = join(OUT, 'faults', name);
  rmSync(folder, { recursive: true, force: true });
  const random = new SeededRandom(seed);
  const system = await FaultSystem.start({ folder, random: random.fork(1), isFenced });
  const history = new History(join(folder, 'history.jsonl'));
  try {
    say(`the system is up; ${Math.round(loadMs / 1_000)} s of load with faults begin`);
    const load = new Load(system.targets, history, random.fork(2));
    const untilMs = history.nowMs() + loadMs;
    const nemesis = new Nemesis(faults, { system, load, random: random.fork(3) }, history);
    await Promise.all([load.run(untilMs), nemesis.run(untilMs)]);
    say('all is healed; what is open is asked for until it is decided');
    await system.awaitWell();
    await resolveAll({ load, history, random: random.fork(4), withinMs: 2 * LEASE_MS });
    const complaints = system.complaints();
    return {
      verdict: judge({ ...history, runs: readRuns(system.ledgerFile) }),
      historyFile: history.file,
      struck: countBy(history.faults.map(({ fault }) => fault)),
      complaints,
    };
  } finally {
    await Promise.all([system.stop(), history.close()]);
  }
}

/** Labels of what ran. A last line that a kill tore apart had not been told to anybody. */
function readRuns(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => (JSON.parse(line) as { label: string }).label);
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
