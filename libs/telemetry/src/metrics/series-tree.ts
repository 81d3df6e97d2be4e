/**
 * The series of one metric, found by their label values one after another. prom-client joins the values of every
 * observation into one string and hashes that; a descent makes no string at all.
 */

/** More series than any catalogue needs; what comes beyond is counted without labels, so none is lost. */
export const SERIES_MAX = 5_000;

/** A metric without labels is one series below an empty value. */
const NO_LABELS = [''];

/** Whether a series is about something that is no longer there and will not come back. */
export type IsGone = (values: readonly string[]) => boolean;

type Node<T> = Map<string, Node<T> | T>;

interface Series<T> {
  readonly values: readonly string[];
  readonly held: T;
}

export class SeriesTree<T extends object> {
  private root: Node<T> = new Map();
  private all: Series<T>[] = [];

  constructor(private readonly make: () => T) {}

  get size(): number {
    return this.all.length;
  }

  /** The series with these values, made when it is new. */
  at(values: readonly string[]): T {
    const path = values.length === 0 ? NO_LABELS : values;
    let found: Node<T> | T | undefined = this.root;
    for (let level = 0; level < path.length && found !== undefined; level += 1)
      found = (found as Node<T>).get(path[level] as string);
    if (found !== undefined) return found as T;
    const isOneTooMany = this.all.length >= SERIES_MAX && path.some((value) => value !== '');
    return isOneTooMany ? this.at(path.map(() => '')) : this.put({ values: [...path], held: this.make() });
  }

  [Symbol.iterator](): Iterator<Series<T>> {
    return this.all[Symbol.iterator]();
  }

  drop(isGone: IsGone): void {
    const kept = this.all.filter(({ values }) => !isGone(values));
    if (kept.length === this.all.length) return;
    this.root = new Map();
    this.all = [];
    for (const series of kept) this.put(series);
  }

  private put(series: Series<T>): T {
    const { values, held } = series;
    let node = this.root;
    for (const value of values.slice(0, -1)) {
      const next = (node.get(value) as Node<T> | undefined) ?? new Map();
      node.set(value, next);
      node = next;
    }
    node.set(values.at(-1) as string, held);
    this.all.push(series);
    return held;
  }
}
