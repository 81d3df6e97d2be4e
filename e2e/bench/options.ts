/** What a run measures and for how long. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const PARTS = [
  'bare',
  'sdkServer',
  'standalone',
  'routerWorker',
  'twoRoundFlow',
  'leastFlow',
  'toolsList200',
  'scaling',
  'rss',
  'claims',
  'authorization',
  'fairness',
  'telemetry',
  'legacy',
] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  readonly json: boolean;
  readonly parts: ReadonlySet<Part>;
  readonly rounds: number;
  readonly roundS: number;
  readonly warmUpS: number;
  /** How often routers are compared, each time with new processes. */
  readonly times: number;
  /** Calls over which the router's memory is watched. */
  readonly rssCalls: number;
  /** Where the router under measurement writes its CPU profile when it ends. */
  readonly cpuProfile: string | undefined;
  /** Folder of another checkout that was built: its router is compared with this one's. */
  readonly against: string | undefined;
}

const SHORT_PARTS: readonly Part[] = [
  'bare',
  'sdkServer',
  'routerWorker',
  'twoRoundFlow',
  'toolsList200',
  'rss',
  'claims',
  'authorization',
];
/**
 * After so long the compiled code is what it stays: the router's time for a call falls by half in the first ten seconds
 * under load, and stands still then.
 */
const WARM_UP_S = 12;
const FULL = { rounds: 5, roundS: 3, warmUpS: WARM_UP_S, times: 7, rssCalls: 200_000 };
const SHORT = { rounds: 2, roundS: 1, warmUpS: 8, times: 3, rssCalls: 20_000 };

/** Throws a TypeError that says which argument is wrong. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      'cpu-prof': { type: 'string' },
      against: { type: 'string' },
    },
  });
  const { against, 'cpu-prof': cpuProfile } = values;
  const all = values.short ? SHORT_PARTS : PARTS;
  const chosen = values.only?.map(toPart) ?? (against === undefined ? all : []);
  return {
    json: values.json,
    parts: new Set(chosen),
    ...(values.short ? SHORT : FULL),
    cpuProfile: cpuProfile === undefined ? undefined : resolve(cpuProfile),
    against: against === undefined ? undefined : resolve(against),
  };
}

function toPart(name: string): Part {
  const part = PARTS.find((each) => each === name);
  if (part === undefined) throw new TypeError(`--only takes one of ${PARTS.join(', ')}`);
  return part;
}
