import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SECONDS_KEPT, SecondCounts } from './second-counts.js';

function counting(startMs = 0) {
  const clock = { ms: startMs };
  return { clock, counts: new SecondCounts(() => clock.ms) };
}

describe('the counts of the last minute', () => {
  it('hold one number a second, the latest last', () => {
    const { clock, counts } = counting();
    counts.add();
    clock.ms = 1_999;
    counts.add();
    counts.add();
    expect(counts.read()).toHaveLength(SECONDS_KEPT);
    expect(counts.read().slice(-2)).toEqual([1, 2]);
  });

  it('forget what is a minute old', () => {
    const { clock, counts } = counting();
    counts.add();
    clock.ms = 59_999;
    expect(counts.read()[0]).toBe(1);
    clock.ms = 60_000;
    expect(counts.read().every((count) => count === 0)).toBe(true);
  });

  it('say of any history what a list of moments says', () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat({ max: 90_000 }), adds: fc.nat({ max: 3 }) }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, fc.nat({ max: 10 ** 9 }), (history, startMs) => {
        const { clock, counts } = counting(startMs);
        const moments: number[] = [];
        for (const { waitMs, adds } of history) {
          clock.ms += waitMs;
          for (let n = 0; n < adds; n += 1) {
            counts.add();
            moments.push(Math.floor(clock.ms / 1_000));
          }
        }
        const now = Math.floor(clock.ms / 1_000);
        const expected = Array.from(
          { length: SECONDS_KEPT },
          (_, at) => moments.filter((second) => second === now - (SECONDS_KEPT - 1) + at).length,
        );
        expect(counts.read()).toEqual(expected);
      }),
    );
  });
});
