/** What a person reads: one table of what was measured, and every aim with the figure that met or missed it. */
import { costsOf, ratiosOf, type Costs, type Findings, type Ratios } from './results.js';
import { totalCpuUs, type Measured } from './rounds.js';

interface Aim {
  readonly figure: keyof (Ratios & Costs);
  readonly says: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const AIMS: readonly Aim[] = [
  { figure: 'routerWorkerOverBare', says: 'calls/s of router and worker, over the bare server', atLeast: 0.4 },
  { figure: 'routerWorkerOverSdkServer', says: 'calls/s of router and worker, over the SDK server', atLeast: 8 },
  { figure: 'routerCpuOverBareCpu', says: 'processor time of the router for a call, over the bare server', atMost: 3 },
  {
    figure: 'twoRoundCpuOverCallCpu',
    says: 'processor time of a two-round flow, over a call, all processes',
    atMost: 4,
  },
  { figure: 'twoRoundRouterCpuOverCallRouterCpu', says: 'the same, routers alone', atMost: 4 },
  { figure: 'redisOpsPerUnclaimed', says: 'commands that a flow without a claim asks of Redis', atMost: 0 },
  { figure: 'claimAddedP50Ms', says: 'ms that a claim adds at p50, with a replica that is waited for', atMost: 1.5 },
  { figure: 'sealAndOpenCpuUs', says: 'µs of processor time to seal and open 2 KiB', atMost: 60 },
  { figure: 'authorizationAddedPercent', says: '% that a token and a policy add to the router for a call', atMost: 10 },
  {
    figure: 'telemetryAddedPercent',
    says: '% that metrics and traces of 1 % add to the router for a call',
    atMost: 10,
  },
  { figure: 'listsBuilt', says: 'lists made for 1,000 principals with 5 sets of scopes', atMost: 5, atLeast: 5 },
  {
    figure: 'floodFactor',
    says: 'p99 of a caller beside one at 100 times its rate, over that beside one at its rate',
    atMost: 2,
  },
  {
    figure: 'legacyFactor',
    says: 'processor time of the router for a call of 2025-11-25, over a modern one',
    atMost: 1.5,
  },
  // Equal routers differ by as much.
  {
    figure: 'buildFactor',
    says: 'processor time of the router for a call, over that of the other build',
    atMost: 1.05,
  },
];

export function report(findings: Findings): string {
  const { parts, scaling, memory, claims, authorization, fairness, telemetry, legacy, builds } = findings;
  const { twoRoundCpuOverLeastCpu, leastCpuOverCallCpu } = ratiosOf(findings);
  const sections = [
    table([...parts.values()]),
    twoRoundCpuOverLeastCpu === undefined || leastCpuOverCallCpu === undefined
      ? ''
      : `two-round flow: ${twoRoundCpuOverLeastCpu.toFixed(2)} times the least one, which is itself ` +
        `${leastCpuOverCallCpu.toFixed(2)} times a call`,
    table(scaling.map(({ measured }) => measured)),
    memory === undefined
      ? ''
      : `router memory: ${memory.slopeKbPer1000.toFixed(2)} KB per 1,000 calls over ${memory.calls} calls ` +
        `(${memory.readings} readings, ${memory.firstKb} KB at first, ${memory.lastKb} KB at last)`,
    claims === undefined
      ? ''
      : `second round, one flow at a time: ${claims.unclaimedP50Ms.toFixed(2)} ms without a claim, ` +
        `${claims.claimedP50Ms.toFixed(2)} ms with one; commands of Redis: ` +
        `${claims.redisOpsPerUnclaimed.toFixed(3)} and ${claims.redisOpsPerClaimed.toFixed(3)}`,
    authorization === undefined
      ? ''
      : `router, for a call: ${authorization.routerCpuUsOpen.toFixed(1)} µs open, ` +
        `${authorization.routerCpuUsGuarded.toFixed(1)} µs with a token and a policy, ` +
        `${authorization.routerCpuUsEverything.toFixed(1)} µs with limits and audit too (${authorization.everythingAddedPercent.toFixed(1)} %)`,
    fairness === undefined
      ? ''
      : `p99 of a quiet caller: ${fairness.p99QuietMs.toFixed(2)} ms, ${fairness.p99FloodedMs.toFixed(2)} ms beside ` +
        `${fairness.floodPerS.toFixed(0)} requests/s of another, of which ${(100 * fairness.refusedShare).toFixed(0)} % were refused`,
    telemetry === undefined
      ? ''
      : `router for a call: ${telemetry.routerCpuUsOff.toFixed(1)} µs without metrics, ` +
        `${telemetry.routerCpuUsMetrics.toFixed(1)} µs with them (${telemetry.metricsAddedPercent.toFixed(1)} %), ` +
        `${telemetry.routerCpuUsSampled.toFixed(1)} µs with traces of 1 %, ` +
        `${telemetry.routerCpuUsEveryCall.toFixed(1)} µs with traces of all (${telemetry.everyCallAddedPercent.toFixed(1)} %)`,
    legacy === undefined
      ? ''
      : `router, for a call: ${legacy.routerCpuUsModern.toFixed(1)} µs of a modern client, ` +
        `${legacy.routerCpuUsLegacy.toFixed(1)} µs in a session of 2025-11-25`,
    builds === undefined
      ? ''
      : `router, for a call: ${builds.routerCpuUsOther.toFixed(1)} µs of the other build, ` +
        `${builds.routerCpuUsThis.toFixed(1)} µs of this one`,
    aimLines({ ...ratiosOf(findings), ...costsOf(findings) }).join('\n'),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function table(rows: readonly Measured[]): string {
  if (rows.length === 0) return '';
  const heads = ['', 'median/s', 'best/s', 'p50 ms', 'p99 ms', 'CPU µs', 'of which'];
  const cells = [heads, ...rows.map(toCells)];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number): string =>
    column === 0 || column === heads.length - 1 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return cells.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

function toCells(measured: Measured): string[] {
  const { name, perS, bestPerS, p50Ms, p99Ms, cpuUs } = measured;
  const roles = Object.entries(cpuUs).map(([role, each]) => `${role} ${each.toFixed(1)}`);
  return [
    name,
    perS.toFixed(0),
    bestPerS.toFixed(0),
    p50Ms?.toFixed(2) ?? '',
    p99Ms?.toFixed(2) ?? '',
    totalCpuUs(measured).toFixed(1),
    roles.length > 1 ? roles.join(', ') : '',
  ];
}

function aimLines(figures: Ratios & Costs): string[] {
  return AIMS.flatMap(({ figure, says, atLeast, atMost }) => {
    const value = figures[figure];
    if (value === undefined) return [];
    const isMet = value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
    const wanted =
      atLeast === undefined ? `at most ${atMost}` : atLeast === atMost ? `${atMost}` : `at least ${atLeast}`;
    return [`${isMet ? 'met   ' : 'MISSED'}  ${value.toFixed(2).padStart(6)}  (${wanted})  ${says}`];
  });
}
