import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from './seeded-random.js';

const draws = (random: SeededRandom) => Array.from({ length: 100 }, () => random.next());

describe('a seed', () => {
  it('decides every draw', () => {
    expect(draws(new SeededRandom(7))).toEqual(draws(new SeededRandom(7)));
    expect(draws(new SeededRandom(7))).not.toEqual(draws(new SeededRandom(8)));
  });

  it('gives each part draws of its own, whatever the others drew', () => {
    const random = new SeededRandom(7);
    const before = draws(random.fork(1));
    draws(random);
    expect(draws(random.fork(1))).toEqual(before);
    expect(draws(random.fork(2))).not.toEqual(before);
  });

  it('reaches both ends of a range and nothing beyond', () => {
    const random = new SeededRandom(1);
    const seen = new Set(Array.from({ length: 200 }, () => random.int(1, 3)));
    expect([...seen].sort()).toEqual([1, 2, 3]);
  });

  it('keeps every item of what it shuffles', () => {
    expect(new SeededRandom(3).shuffled([1, 2, 3, 4]).sort()).toEqual([1, 2, 3, 4]);
  });
});
