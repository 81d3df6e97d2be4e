/** What it costs the router to be watched: by metrics, and by traces of some calls or of all, which a collector takes. */
import { compareRouters, type ComparedOptions } from './compared.js';
import { Gateway, OWN_TOOLS } from './gateway.js';
import { startLoneServer } from './lone-server.js';
import type { Target } from './target.js';
import { callTarget, type BenchTargets } from './targets.js';

/** Share of the calls whose trace is recorded; undefined where nothing is traced. */
const VARIANTS = [
  { name: 'off', metrics: false, ratio: undefined },
  { name: 'metrics', metrics: true, ratio: undefined },
  { name: 'one-in-a-hundred', metrics: true, ratio: 0.01 },
  { name: 'every-call', metrics: true, ratio: 1 },
] as const;

const PROFILED = 'one-in-a-hundred';

export interface TelemetryCost {
  readonly routerCpuUsOff: number;
  readonly routerCpuUsMetrics: number;
  readonly routerCpuUsSampled: number;
  readonly routerCpuUsEveryCall: number;
  /** Of metrics and traces of one call in a hundred together; the others by themselves. */
  readonly addedPercent: number;
  readonly metricsAddedPercent: number;
  readonly everyCallAddedPercent: number;
}

export interface TelemetryCostOptions extends ComparedOptions {
  readonly cpuProfile: string | undefined;
}

export async function measureTelemetryCost(
  targets: BenchTargets,
  { cpuProfile, ...rounds }: TelemetryCostOptions,
): Promise<TelemetryCost> {
  const { port } = targets.keep(await startLoneServer('span-sink'));
  const kinds = VARIANTS.map(({ name, metrics, ratio }) => async (at: string): Promise<Target> => {
    const tracing = { endpoint: `http://127.0.0.1:${port}`, ratio };
    const extras = ratio === undefined ? {} : { section: { tracing } };
    const profile = name === PROFILED && at === '0' && cpuProfile !== undefined ? { cpuProfile } : {};
    const options = { name: `bench/telemetry-${name}-${at}`, tools: OWN_TOOLS, metrics, extras, ...profile };
    return callTarget(name, targets.keep(await Gateway.start(options)));
  });
  const [off, metered, sampled, everyCall] = await compareRouters(targets, kinds, rounds);
  return {
    routerCpuUsOff: off?.routerCpuUs ?? NaN,
    routerCpuUsMetrics: metered?.routerCpuUs ?? NaN,
    routerCpuUsSampled: sampled?.routerCpuUs ?? NaN,
    routerCpuUsEveryCall: everyCall?.routerCpuUs ?? NaN,
    addedPercent: sampled?.addedPercent ?? NaN,
    metricsAddedPercent: metered?.addedPercent ?? NaN,
    everyCallAddedPercent: everyCall?.addedPercent ?? NaN,
  };
}
