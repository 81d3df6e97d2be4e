/**
 * What it costs the router to be watched: the same call through routers that differ in nothing else, in turns. What spans
 * cost at a given ratio is a further variant: a row of `VARIANTS` with its settings.
 */
import { Gateway, OWN_TOOLS } from './gateway.js';
import { measureInTurns, type RoundsOptions } from './rounds.js';
import { callTarget, type BenchTargets } from './targets.js';

const VARIANTS = { off: { metrics: false }, metrics: { metrics: true } } as const;
type Variant = keyof typeof VARIANTS;

export interface TelemetryCost {
  readonly routerCpuUsOff: number;
  readonly routerCpuUsMetrics: number;
  /** Of the router's own time without metrics. */
  readonly addedPercent: number;
}

export async function measureTelemetryCost(targets: BenchTargets, options: RoundsOptions): Promise<TelemetryCost> {
  const started = [];
  for (const [name, settings] of Object.entries(VARIANTS)) {
    const gateway = targets.keep(
      await Gateway.start({ name: `bench/telemetry-${name}`, tools: OWN_TOOLS, ...settings }),
    );
    started.push(await callTarget(name, gateway));
  }
  const measured = await measureInTurns(started, options);
  const cpuUs = (variant: Variant): number => measured.find(({ name }) => name === variant)?.cpuUs['router'] ?? NaN;
  const [routerCpuUsOff, routerCpuUsMetrics] = [cpuUs('off'), cpuUs('metrics')];
  return { routerCpuUsOff, routerCpuUsMetrics, addedPercent: (routerCpuUsMetrics / routerCpuUsOff - 1) * 100 };
}
