/**
 * Every series that a dashboard or a rule may read: what processes of ours say they export, what Prometheus adds, and what
 * rules record. The page of metrics is made from the code, and is what whoever writes a dashboard of their own goes by.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import { readRules } from './rule-files.js';

/** Added to every series when it is read; the pod's own where Prometheus runs in Kubernetes. */
export const SCRAPE_LABELS = ['job', 'instance', 'namespace'];
/** Of the process, by prom-client. */
const OF_THE_PROCESS = [
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
];
const OF_PROMETHEUS: Readonly<Record<string, readonly string[]>> = {
  up: [],
  ALERTS: ['alertname', 'alertstate', 'severity'],
};

interface Metric {
  readonly name: string;
  readonly isHistogram: boolean;
  readonly labels: readonly string[];
}

/** Labels by the name of the series. */
export function knownSeries(): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>(Object.entries(OF_PROMETHEUS));
  for (const name of OF_THE_PROCESS) known.set(name, []);
  for (const metric of documentedMetrics()) {
    for (const series of seriesOf(metric)) known.set(series.name, series.labels);
  }
  for (const { record } of readRules()) if (record !== undefined) known.set(record, []);
  return known;
}

/** Rows of docs/metrics.md: name, type, labels. */
export function documentedMetrics(): readonly Metric[] {
  const page = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8');
  return [...page.matchAll(/^\| `(\w+)` \| (\w+)[^|]* \|([^|]*)\|/gm)].map(([, name = '', type, labels = '']) => ({
    name,
    isHistogram: type === 'histogram',
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  }));
}

function seriesOf({ name, isHistogram, labels }: Metric): { name: string; labels: readonly string[] }[] {
  if (!isHistogram) return [{ name, labels }];
  return [
    { name: `${name}_bucket`, labels: [...labels, 'le'] },
    { name: `${name}_sum`, labels },
    { name: `${name}_count`, labels },
  ];
}
