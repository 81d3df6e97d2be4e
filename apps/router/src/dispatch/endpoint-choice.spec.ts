import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chooseEndpoint } from './endpoint-choice.js';

const candidates = (costs: readonly number[]) => costs.map((cost) => ({ cost: () => cost }));

describe('chooseEndpoint', () => {
  it('has nothing to choose from an empty set', () => {
    expect(chooseEndpoint([], 0, () => 0)).toBeUndefined();
  });

  it('takes the only one, however costly', () => {
    expect(chooseEndpoint(candidates([1e9]), 0, () => 0.99)?.cost()).toBe(1e9);
  });

  it('never takes the costlier of two', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        expect(chooseEndpoint(candidates([7, 3]), 0, () => random)?.cost()).toBe(3);
      }),
    );
  });

  it('always draws two different candidates inside the set', () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), unit, unit, (count, first, second) => {
        const seen: number[] = [];
        const watched = Array.from({ length: count }, (_, at) => ({
          cost: () => {
            seen.push(at);
            return at;
          },
        }));
        const draws = [first, second];
        chooseEndpoint(watched, 0, () => draws.shift() as number);
        expect(new Set(seen).size).toBe(2);
      }),
    );
  });

  it('gives an endpoint ten times slower less than a twentieth of the calls', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const set = candidates([1, 1, 1, 10]);
    let slow = 0;
    for (let n = 0; n < 10_000; n += 1) if (chooseEndpoint(set, 0, random) === set[3]) slow += 1;
    expect(slow).toBeLessThan(500);
  });
});
