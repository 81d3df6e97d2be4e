/** Values that stand somewhere already and are only read when Prometheus asks: between two scrapes they cost nothing. */
import { labelled, type Family, type Sample } from './family.js';
import { METRICS, type LabelValues, type MetricOf } from './metric-table.js';

/** Label values and the value they have now. Undefined: nothing is known now, and nothing is shown. */
export type Reading<N extends MetricOf<'gauge' | 'counter'>> = readonly [LabelValues<N>, number | undefined];

export class Readings<N extends MetricOf<'gauge' | 'counter'>> implements Family {
  constructor(
    readonly name: N,
    private readonly read: () => Iterable<Reading<N>>,
  ) {}

  *samples(): Iterable<Sample> {
    const { labels } = METRICS[this.name];
    for (const [values, value] of this.read())
      if (value !== undefined) yield { labels: labelled(labels, values), value };
  }
}
