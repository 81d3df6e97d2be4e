import { expect, it } from '@jest/globals';
import { REFUSALS_KEPT, RefusalRing, type NotedRefusal } from './refusal-ring.js';

const WHAT = {
  code: 'parse_error',
  reason: 'body_not_json',
  blame: 'client',
  method: undefined,
  name: undefined,
} as const;

const refusal = (n: number): NotedRefusal => ({ atMs: n, ...WHAT });

it('keeps the last ones, latest first, and no more', () => {
  const ring = new RefusalRing();
  expect(ring.read()).toEqual([]);
  for (let n = 0; n < REFUSALS_KEPT * 2 + 7; n += 1) ring.add(refusal(n));
  const kept = ring.read();
  expect(kept).toHaveLength(REFUSALS_KEPT);
  expect(kept.map(({ time }) => Date.parse(time))).toEqual(
    Array.from({ length: REFUSALS_KEPT }, (_, at) => REFUSALS_KEPT * 2 + 6 - at),
  );
});

it('shows the few there are while it is not full', () => {
  const ring = new RefusalRing();
  ring.add(refusal(1));
  ring.add(refusal(2));
  expect(ring.read()).toEqual([
    { time: '1970-01-01T00:00:00.002Z', ...WHAT },
    { time: '1970-01-01T00:00:00.001Z', ...WHAT },
  ]);
});
