/** Measures several targets in turns, so that whatever else the machine does meets all of them alike. */
import type { CpuByRole } from './processor-time.js';
import { median } from './statistics.js';
import type { Sample, Target } from './target.js';

export interface RoundsOptions {
  readonly rounds: number;
  readonly roundS: number;
  readonly warmUpS: number;
}

export interface Measured {
  readonly name: string;
  /** Medians over the rounds. */
  readonly perS: number;
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly cpuUs: CpuByRole;
  /** The best of the rounds. */
  readonly bestPerS: number;
}

export async function measureInTurns(targets: readonly Target[], options: RoundsOptions): Promise<Measured[]> {
  for (const target of targets) await target.warmUp(options.warmUpS);
  const samples = new Map(targets.map((target) => [target, [] as Sample[]]));
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [target, taken] of samples) taken.push(await target.measure(options.roundS));
  }
  return [...samples].map(([{ name }, taken]) => summarize(name, taken));
}

function summarize(name: string, samples: readonly Sample[]): Measured {
  const middle = (pick: (sample: Sample) => number): number => median(samples.map(pick));
  const hasLatency = samples.every(({ p50Ms }) => p50Ms !== undefined);
  const roles = Object.keys(samples[0]?.cpuUs ?? {});
  return {
    name,
    perS: middle(({ perS }) => perS),
    p50Ms: hasLatency ? middle(({ p50Ms = 0 }) => p50Ms) : undefined,
    p99Ms: hasLatency ? middle(({ p99Ms = 0 }) => p99Ms) : undefined,
    cpuUs: Object.fromEntries(roles.map((role) => [role, middle(({ cpuUs }) => cpuUs[role] ?? 0)])),
    bestPerS: Math.max(...samples.map(({ perS }) => perS)),
  };
}

export function totalCpuUs({ cpuUs }: Measured): number {
  return Object.values(cpuUs).reduce((sum, each) => sum + each, 0);
}
