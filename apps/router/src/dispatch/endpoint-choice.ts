/**
 * Power of two choices over in-flight calls times latency: two random candidates, the cheaper one takes the call.
 */
export interface Candidate {
  cost(nowMs: number): number;
}

/** Undefined when there is no candidate. `random` gives numbers in [0, 1). */
export function chooseEndpoint<T extends Candidate>(
  candidates: readonly T[],
  nowMs: number,
  random: () => number,
): T | undefined {
  const count = candidates.length;
  if (count < 2) return candidates[0];
  const first = Math.floor(random() * count);
  // The second differs from the first: drawn from the remaining places and shifted past it.
  const shifted = Math.floor(random() * (count - 1));
  const second = shifted >= first ? shifted + 1 : shifted;
  const a = candidates[first] as T;
  const b = candidates[second] as T;
  return a.cost(nowMs) <= b.cost(nowMs) ? a : b;
}
