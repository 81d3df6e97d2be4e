/**
 * What authorization costs: the same call through a router that believes everybody, through one that checks a token it
 * has seen before and asks a policy, and through one that also counts against limits and writes audit lines.
 */
import { TestIssuer } from '@roundhouse/testing';
import { bearer } from '../harness/authorized-world.js';
import { compareRouters, type ComparedOptions } from './compared.js';
import { Gateway } from './gateway.js';
import { AUDIENCE, CALL_SCOPE, GuardedGateway, type GuardedOptions } from './guarded-gateway.js';
import { countBuiltLists } from './list-building.js';
import type { Target } from './target.js';
import { callTarget, type BenchTargets } from './targets.js';

const TOOLS = 10;
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
};

const GUARDED = { tools: TOOLS, policy: POLICY, scope: `${CALL_SCOPE} bench:admin` };

export interface AuthorizationCost {
  readonly routerCpuUsOpen: number;
  /** With a token and a policy. */
  readonly routerCpuUsGuarded: number;
  /** With limits and audit as well. */
  readonly routerCpuUsEverything: number;
  readonly addedPercent: number;
  readonly everythingAddedPercent: number;
  /** Lists that a router made for 1,000 principals with 5 sets of scopes. */
  readonly listsBuilt: number;
}

export interface AuthorizationCostOptions extends ComparedOptions {
  readonly cpuProfile: string | undefined;
}

export async function measureAuthorizationCost(
  targets: BenchTargets,
  options: AuthorizationCostOptions,
): Promise<AuthorizationCost> {
  const [none, some, all] = await compareRouters(
    targets,
    [
      (at) => startOpen(targets, at),
      (at) =>
        startGuarded(targets, {
          ...GUARDED,
          name: `bench/guarded-${at}`,
          cpuProfile: at === '0' ? options.cpuProfile : undefined,
        }),
      (at) =>
        startGuarded(targets, {
          ...GUARDED,
          name: `bench/audited-${at}`,
          policy: { ...POLICY, limits: LIMITS },
          audited: true,
        }),
    ],
    options,
  );
  return {
    routerCpuUsOpen: none?.routerCpuUs ?? NaN,
    routerCpuUsGuarded: some?.routerCpuUs ?? NaN,
    routerCpuUsEverything: all?.routerCpuUs ?? NaN,
    addedPercent: some?.addedPercent ?? NaN,
    everythingAddedPercent: all?.addedPercent ?? NaN,
    listsBuilt: await countBuiltLists(targets),
  };
}

/** It is sent the same bytes, and believes nothing of them: what a header of that length costs by itself is not ours. */
async function startOpen(targets: BenchTargets, at: string): Promise<Target> {
  // All have the same parts, so that they differ in nothing but what is asked of the router.
  const gateway = targets.keep(await Gateway.start({ name: `bench/open-${at}`, tools: TOOLS, replay: true }));
  const issuer = await TestIssuer.start({ audience: AUDIENCE });
  try {
    return await callTarget('open', gateway, {
      headers: bearer(await issuer.sign({ claims: { scope: GUARDED.scope } })),
    });
  } finally {
    await issuer.stop();
  }
}

async function startGuarded(targets: BenchTargets, options: GuardedOptions): Promise<Target> {
  const { gateway, headers } = targets.keep(await GuardedGateway.start(options));
  return callTarget(options.name, gateway, { headers });
}
