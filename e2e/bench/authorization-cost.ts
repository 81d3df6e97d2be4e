/**
 * What authorization costs: the same call through a router that believes everybody, and through one that checks a token
 * it has seen before, asks a policy, counts against limits and writes an audit line; in turns.
 */
import { Gateway } from './gateway.js';
import { CALL_SCOPE, GuardedGateway } from './guarded-gateway.js';
import { countBuiltLists } from './list-building.js';
import type { RoundsOptions } from './rounds.js';
import { median } from './statistics.js';
import type { Target } from './target.js';
import { callTarget, type BenchTargets } from './targets.js';

const TOOLS = 10;
const TURN_S = 1;
/** What a router does in ten seconds where it has a core for itself. */
const SETTLE_CALLS = 100_000;
const SETTLE_S = 2;
const SETTLE_WITHIN_MS = 90_000;
/** Nobody is held up by them: what they cost is measured, not what they refuse. */
const LIMITS = [
  { name: 'each', perSecond: 1_000_000, burst: 1_000_000, concurrent: 10_000 },
  { name: 'echoes', tools: ['echo*'], by: 'principalAndTool', perSecond: 1_000_000, burst: 1_000_000 },
];
/** One of each kind: scopes, one of them implied, patterns, a condition on caller and arguments. */
const POLICY = {
  implies: [{ scope: 'bench:admin', includes: ['bench:*'] }],
  rules: [
    { name: 'all', tools: ['*'], scopes: [CALL_SCOPE], grantsDestructive: true },
    { name: 'echoes', tools: ['echo', 'echo_*'], scopes: ['bench:echo'] },
    { name: 'short', tools: ['ech*'], when: 'principal.clientId == "client-1" && size(args.message) <= 64' },
  ],
  limits: LIMITS,
};

export interface AuthorizationCost {
  /** Microseconds of the router's processor time for a call, medians over the turns. */
  readonly routerCpuUsOpen: number;
  readonly routerCpuUsGuarded: number;
  /** Median over the turns, each of which compares its own two figures. */
  readonly addedPercent: number;
  /** Lists that a router made for 1,000 principals with 5 sets of scopes. */
  readonly listsBuilt: number;
}

export interface AuthorizationCostOptions extends RoundsOptions {
  readonly cpuProfile: string | undefined;
}

export async function measureAuthorizationCost(
  targets: BenchTargets,
  options: AuthorizationCostOptions,
): Promise<AuthorizationCost> {
  const { cpuProfile } = options;
  // Both have the same parts, so that they differ in nothing but what is asked of the router.
  const open = targets.keep(await Gateway.start({ name: 'bench/open', tools: TOOLS, replay: true }));
  const guarded = targets.keep(
    await GuardedGateway.start({
      name: 'bench/guarded',
      tools: TOOLS,
      policy: POLICY,
      scope: `${CALL_SCOPE} bench:admin`,
      cpuProfile,
    }),
  );
  const cost = await compare(
    await callTarget('open', open),
    await callTarget('guarded', guarded.gateway, { headers: guarded.headers }),
    options,
  );
  return { ...cost, listsBuilt: await countBuiltLists(targets) };
}

type Compared = Omit<AuthorizationCost, 'listsBuilt'>;

/** Turns of a second lie so close together that what else the machine does meets both; there are many of them instead. */
async function compare(open: Target, guarded: Target, { rounds, roundS }: RoundsOptions): Promise<Compared> {
  for (const target of [open, guarded]) await settle(target);
  const taken: { open: number; guarded: number }[] = [];
  const cpuUsOf = async (target: Target): Promise<number> => (await target.measure(TURN_S)).cpuUs['router'] ?? NaN;
  for (let turn = 0; turn < (rounds * roundS) / TURN_S; turn += 1) {
    // Each is first as often as the other: whatever grows or falls over two turns favours neither.
    if (turn % 2 === 0) taken.push({ open: await cpuUsOf(open), guarded: await cpuUsOf(guarded) });
    else taken.push({ guarded: await cpuUsOf(guarded), open: await cpuUsOf(open) });
  }
  return {
    routerCpuUsOpen: median(taken.map((turn) => turn.open)),
    routerCpuUsGuarded: median(taken.map((turn) => turn.guarded)),
    addedPercent: median(taken.map((turn) => (turn.guarded / turn.open - 1) * 100)),
  };
}

/** Code is compiled by how often it runs, which on a busy machine is not a matter of seconds. */
async function settle(target: Target): Promise<void> {
  const endsMs = performance.now() + SETTLE_WITHIN_MS;
  for (let calls = 0; calls < SETTLE_CALLS && performance.now() < endsMs;)
    calls += (await target.measure(SETTLE_S)).perS * SETTLE_S;
}
