/** Numbers about numbers. */

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no values');
  return (upper + lower) / 2;
}

/** A quarter of the values are no higher. */
export function lowerQuartile(values: readonly number[]): number {
  const found = [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 4)];
  if (found === undefined) throw new RangeError('no values');
  return found;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Slope of the straight line with the least sum of squared distances. */
export function slopeOf(points: readonly Point[]): number {
  const mean = (pick: (point: Point) => number): number =>
    points.reduce((sum, each) => sum + pick(each), 0) / points.length;
  const meanX = mean(({ x }) => x);
  const meanY = mean(({ y }) => y);
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY));
  const variance = mean(({ x }) => (x - meanX) ** 2);
  if (!(variance > 0)) throw new RangeError('a slope needs two points');
  return covariance / variance;
}
