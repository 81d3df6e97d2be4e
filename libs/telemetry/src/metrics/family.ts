/**
 * What one metric is made of when it is read: its name and its samples. How they are written down is for service-kit,
 * which alone knows Prometheus.
 */
import type { MetricName } from './metric-table.js';

export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  /** Since the epoch. */
  readonly atMs: number;
}

export interface Sample {
  /** Label by label; an empty value is no label. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly exemplar?: Exemplar | undefined;
}

export interface Family {
  readonly name: MetricName;
  /** Asked at each scrape, never between. */
  samples(): Iterable<Sample>;
}

export function labelled(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']).filter(([, value]) => value !== ''));
}
