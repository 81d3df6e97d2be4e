/** Distributions over fixed buckets. An observation is three additions; sums over buckets are made when somebody asks. */
import { labelled, type Exemplar, type Family, type Sample } from './family.js';
import { METRICS, type LabelValues, type MetricOf } from './metric-table.js';
import { SeriesTree, type IsGone } from './series-tree.js';

class Distribution {
  sum = 0;
  count = 0;
  /** Per bucket, not cumulated; the last is for what exceeds every bound. */
  readonly counts: number[];
  /** The latest of each bucket; made when there is one. */
  exemplars: (Exemplar | undefined)[] | undefined;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number, traceId: string | undefined): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] as number)) at += 1;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
    this.count += 1;
    if (traceId === undefined) return;
    this.exemplars ??= new Array<Exemplar | undefined>(this.bounds.length + 1).fill(undefined);
    this.exemplars[at] = { traceId, value, atMs: Date.now() };
  }
}

export class Histograms<N extends MetricOf<'histogram'>> implements Family {
  private readonly bounds: readonly number[];
  private readonly tree: SeriesTree<Distribution>;

  /** Series of what `isGone` are forgotten whenever somebody asks. */
  constructor(
    readonly name: N,
    private readonly isGone?: IsGone,
  ) {
    this.bounds = METRICS[name].buckets;
    this.tree = new SeriesTree(() => new Distribution(this.bounds));
  }

  /** `traceId` is given for what somebody can look up: the trace of a sampled span. */
  observe(values: LabelValues<N>, value: number, traceId?: string): void {
    this.tree.at(values).observe(value, traceId);
  }

  *samples(): Iterable<Sample> {
    if (this.isGone !== undefined) this.tree.drop(this.isGone);
    const { labels: names } = METRICS[this.name];
    for (const { values, held } of this.tree) yield* this.samplesOf(labelled(names, values), held);
  }

  private *samplesOf(labels: Readonly<Record<string, string>>, held: Distribution): Iterable<Sample> {
    let below = 0;
    for (const [at, count] of held.counts.entries()) {
      below += count;
      const le = at < this.bounds.length ? String(this.bounds[at]) : '+Inf';
      yield { suffix: '_bucket', labels: { ...labels, le }, value: below, exemplar: held.exemplars?.[at] };
    }
    yield { suffix: '_sum', labels, value: held.sum };
    yield { suffix: '_count', labels, value: held.count };
  }
}
