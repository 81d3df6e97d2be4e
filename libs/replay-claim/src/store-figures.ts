/** How Redis is, in four numbers of its INFO: for an operator's eyes only, nothing is decided by them. */

export interface StoreFigures {
  readonly memoryUsedBytes: number;
  /** 0: nothing bounds it. */
  readonly memoryMaxBytes: number;
  readonly connectedReplicas: number;
  /** Since the server started. */
  readonly evictedKeys: number;
}

/** Undefined when a number is missing. */
export function figuresOf(info: string): StoreFigures | undefined {
  const numberOf = (name: string): number => Number(new RegExp(`^${name}:(\\d+)\\r?$`, 'm').exec(info)?.[1] ?? NaN);
  const figures = {
    memoryUsedBytes: numberOf('used_memory'),
    memoryMaxBytes: numberOf('maxmemory'),
    connectedReplicas: numberOf('connected_slaves'),
    evictedKeys: numberOf('evicted_keys'),
  };
  return Object.values(figures).some(Number.isNaN) ? undefined : figures;
}

/** Of all primaries together: sums, and the replicas of whichever has the fewest. Undefined when one said nothing. */
export function mergeFigures(all: readonly (StoreFigures | undefined)[]): StoreFigures | undefined {
  const known = all.filter((each) => each !== undefined);
  if (known.length === 0 || known.length < all.length) return undefined;
  const sum = (pick: (each: StoreFigures) => number): number => known.reduce((total, each) => total + pick(each), 0);
  return {
    memoryUsedBytes: sum(({ memoryUsedBytes }) => memoryUsedBytes),
    memoryMaxBytes: sum(({ memoryMaxBytes }) => memoryMaxBytes),
    connectedReplicas: Math.min(...known.map(({ connectedReplicas }) => connectedReplicas)),
    evictedKeys: sum(({ evictedKeys }) => evictedKeys),
  };
}
