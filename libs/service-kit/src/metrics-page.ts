/**
 * The page that Prometheus reads: metrics of ours and of the process, in the text format or, for whoever accepts it, in
 * OpenMetrics with exemplars. The only place that knows prom-client.
 */
import { METRICS, type Family, type Sample } from '@roundhouse/telemetry';
import { Registry, collectDefaultMetrics, type Metric, type OpenMetricsContentType } from 'prom-client';
import { AdminReply } from './admin/admin-reply.js';

export const METRICS_PATH = '/metrics';

const OPEN_METRICS = 'application/openmetrics-text';

/** What a registry of prom-client asks of a metric. */
interface Readable {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  get(): object | Promise<object>;
}

export class MetricsPage {
  private readonly plain = new Registry();
  private readonly open = new Registry<OpenMetricsContentType>();

  /** Of several families with one name the first is shown. */
  constructor(families: readonly Family[]) {
    this.open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const byName = new Map(families.toReversed().map((family) => [family.name, family]));
    const ours = [...byName.values()].toReversed().map(readable);
    for (const metric of [...ours, ...metricsOfProcess()]) {
      register(this.plain, metric);
      register(this.open, inOpenMetrics(metric));
    }
  }

  async read(accept: string | undefined): Promise<AdminReply> {
    const registry = accept?.includes(OPEN_METRICS) === true ? this.open : this.plain;
    return new AdminReply({ type: registry.contentType, body: await registry.metrics() });
  }
}

let ofProcess: readonly Readable[] | undefined;

/** Once a process, however many services run in it: each collection observes the event loop and the garbage collector. */
function metricsOfProcess(): readonly Readable[] {
  if (ofProcess === undefined) {
    const register = new Registry();
    collectDefaultMetrics({ register });
    ofProcess = register.getMetricsAsArray() as unknown as readonly Readable[];
  }
  return ofProcess;
}

function readable(family: Family): Readable {
  const { name } = family;
  const { help, type } = METRICS[name];
  return { name, help, type, get: () => ({ name, help, type, values: Array.from(family.samples(), toValue(name)) }) };
}

function toValue(name: string): (sample: Sample) => object {
  return ({ suffix, labels, value, exemplar }) => ({
    labels,
    value,
    ...(suffix !== undefined && { metricName: `${name}${suffix}` }),
    ...(exemplar !== undefined && {
      exemplar: { labelSet: { trace_id: exemplar.traceId }, value: exemplar.value, timestamp: exemplar.atMs / 1_000 },
    }),
  });
}

/** There a counter's own name is without `_total`. prom-client cuts it off in the metric it is given: hence a copy. */
function inOpenMetrics(metric: Readable): Readable {
  const { help, type } = metric;
  const name = type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name;
  return { name, help, type, get: async () => ({ ...(await metric.get()), name }) };
}

function register(registry: Pick<Registry, 'registerMetric'>, metric: Readable): void {
  registry.registerMetric(metric as unknown as Metric);
}
