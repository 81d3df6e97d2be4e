/** Everything a run measured, as the object that `--json` prints. A part that was not chosen is absent. */
import { availableParallelism } from 'node:os';
import type { AuthorizationCost } from './authorization-cost.js';
import type { Fairness } from './fairness.js';
import type { Part } from './options.js';
import type { LegacyCost } from './legacy-cost.js';
import type { RouterMemory } from './router-memory.js';
import type { BuildCost } from './build-cost.js';
import type { ClaimCost } from './claim-cost.js';
import type { TelemetryCost } from './telemetry-cost.js';
import { totalCpuUs, type Measured } from './rounds.js';
import type { ScalingCell } from './scaling.js';

export interface Findings {
  readonly parts: ReadonlyMap<string, Measured>;
  readonly scaling: readonly ScalingCell[];
  readonly memory: RouterMemory | undefined;
  readonly claims: ClaimCost | undefined;
  /** Processor time to seal and open 2 KiB. */
  readonly sealUs: number | undefined;
  readonly authorization: AuthorizationCost | undefined;
  readonly fairness: Fairness | undefined;
  readonly telemetry: TelemetryCost | undefined;
  readonly legacy: LegacyCost | undefined;
  readonly builds: BuildCost | undefined;
}

export interface Ratios {
  readonly routerWorkerOverBare?: number;
  readonly routerWorkerOverSdkServer?: number;
  readonly routerCpuOverBareCpu?: number;
  /** All processes of a flow, Redis included, over router and worker of one call. */
  readonly twoRoundCpuOverCallCpu?: number;
  /** The routers' part of a flow over the router's part of one call. */
  readonly twoRoundRouterCpuOverCallRouterCpu?: number;
  /** All processes of a flow, over those of the least one. */
  readonly twoRoundCpuOverLeastCpu?: number;
  /** All processes of the least flow, over router and worker of one call: no flow is below it. */
  readonly leastCpuOverCallCpu?: number;
}

/** Figures that are aimed at as they are. */
export interface Costs {
  readonly redisOpsPerUnclaimed?: number;
  /** What a claim adds to the median time of a second round. */
  readonly claimAddedP50Ms?: number;
  readonly sealAndOpenCpuUs?: number;
  readonly authorizationAddedPercent?: number;
  readonly telemetryAddedPercent?: number;
  readonly listsBuilt?: number;
  /** A quiet caller's 99th percentile beside a flood, over that beside a caller that keeps to its rate. */
  readonly floodFactor?: number;
  /** The router's time for a call of a client of 2025, over that for a modern one. */
  readonly legacyFactor?: number;
  /** The router's time for a call, over that of another build. */
  readonly buildFactor?: number;
}

export function costsOf({ claims, sealUs, authorization, fairness, telemetry, legacy, builds }: Findings): Costs {
  return {
    ...(claims !== undefined && {
      redisOpsPerUnclaimed: claims.redisOpsPerUnclaimed,
      claimAddedP50Ms: claims.claimedP50Ms - claims.unclaimedP50Ms,
    }),
    ...(sealUs !== undefined && { sealAndOpenCpuUs: sealUs }),
    ...(authorization !== undefined && {
      authorizationAddedPercent: authorization.addedPercent,
      listsBuilt: authorization.listsBuilt,
    }),
    ...(telemetry !== undefined && { telemetryAddedPercent: telemetry.addedPercent }),
    ...(fairness !== undefined && { floodFactor: fairness.factor }),
    ...(legacy !== undefined && { legacyFactor: legacy.factor }),
    ...(builds !== undefined && { buildFactor: builds.factor }),
  };
}

export function ratiosOf({ parts }: Findings): Ratios {
  const of = (name: Part, pick: (measured: Measured) => number | undefined): number | undefined => {
    const measured = parts.get(name);
    return measured === undefined ? undefined : pick(measured);
  };
  const perS = (measured: Measured): number => measured.perS;
  const role = (name: string) => (measured: Measured) => measured.cpuUs[name];
  return {
    routerWorkerOverBare: over(of('routerWorker', perS), of('bare', perS)),
    routerWorkerOverSdkServer: over(of('routerWorker', perS), of('sdkServer', perS)),
    routerCpuOverBareCpu: over(of('routerWorker', role('router')), of('bare', totalCpuUs)),
    twoRoundCpuOverCallCpu: over(of('twoRoundFlow', totalCpuUs), of('routerWorker', totalCpuUs)),
    twoRoundRouterCpuOverCallRouterCpu: over(of('twoRoundFlow', role('routers')), of('routerWorker', role('router'))),
    twoRoundCpuOverLeastCpu: over(of('twoRoundFlow', totalCpuUs), of('leastFlow', totalCpuUs)),
    leastCpuOverCallCpu: over(of('leastFlow', totalCpuUs), of('routerWorker', totalCpuUs)),
  };
}

export function toJson(findings: Findings): string {
  const { parts, scaling, memory, claims, authorization, fairness } = findings;
  const shape = (name: Part, toShape: (measured: Measured) => object): object | undefined => {
    const measured = parts.get(name);
    return measured === undefined ? undefined : toShape(measured);
  };
  const throughput = (each: Measured): object => ({ rps: each.perS, cpuUs: totalCpuUs(each) });
  const latency = ({ perS, p50Ms, p99Ms }: Measured): object => ({ rps: perS, p50Ms, p99Ms });
  const flow = (each: Measured): object => ({
    flowsPerS: each.perS,
    routerCpuUs: each.cpuUs['routers'],
    ...cpuByRole(each, ['worker', 'replay', 'redis']),
    cpuUs: totalCpuUs(each),
  });
  return JSON.stringify(
    {
      bare: shape('bare', throughput),
      sdkServer: shape('sdkServer', throughput),
      standalone: shape('standalone', (each) => ({ ...latency(each), cpuUs: totalCpuUs(each) })),
      routerWorker: shape('routerWorker', (each) => ({ ...latency(each), ...cpuByRole(each, ['router', 'worker']) })),
      twoRoundFlow: shape('twoRoundFlow', flow),
      leastFlow: shape('leastFlow', flow),
      toolsList200: shape('toolsList200', (each) => ({ ...latency(each), cpuUs: totalCpuUs(each) })),
      scaling: scaling.map(({ tools, connections, measured }) => ({
        tools,
        connections,
        ...latency(measured),
        ...cpuByRole(measured, ['router', 'worker']),
      })),
      rssSlopeKbPer1000: memory?.slopeKbPer1000,
      claims,
      authorization,
      fairness,
      telemetry: findings.telemetry,
      legacy: findings.legacy,
      builds: findings.builds,
      ratios: ratiosOf(findings),
      costs: costsOf(findings),
      machine: { node: process.version, cores: availableParallelism() },
    },
    (_key, value: unknown) => (typeof value === 'number' ? rounded(value) : value),
  );
}

function over(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function cpuByRole({ cpuUs }: Measured, roles: readonly string[]): object {
  return Object.fromEntries(roles.map((role) => [`${role}CpuUs`, cpuUs[role]]));
}

/** More than four digits would pretend to a precision that no run has. */
function rounded(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(4));
}
