/** Counts that only rise. Adding is a number in an object of ours; Prometheus hears of it when it asks. */
import { labelled, type Family, type Sample } from './family.js';
import { METRICS, type LabelValues, type MetricOf } from './metric-table.js';
import { SeriesTree, type IsGone } from './series-tree.js';

export interface Count {
  value: number;
}

export class Counters<N extends MetricOf<'counter'>> implements Family {
  private readonly tree = new SeriesTree<Count>(() => ({ value: 0 }));

  /** Series of what `isGone` are forgotten whenever somebody asks. */
  constructor(
    readonly name: N,
    private readonly isGone?: IsGone,
  ) {}

  /** What is added is for the series with these label values. */
  add(values: LabelValues<N>, count = 1): void {
    this.tree.at(values).value += count;
  }

  /** Shows series before anything happened: a rate needs the zero it rose from. */
  begin(...all: readonly LabelValues<N>[]): this {
    for (const values of all) this.tree.at(values);
    return this;
  }

  *samples(): Iterable<Sample> {
    if (this.isGone !== undefined) this.tree.drop(this.isGone);
    const { labels } = METRICS[this.name];
    for (const { values, held } of this.tree) yield { labels: labelled(labels, values), value: held.value };
  }
}
