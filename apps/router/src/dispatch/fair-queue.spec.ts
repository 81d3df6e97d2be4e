import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const MAX = 6;
function filled(lanes: string): FairQueue<string> {
  const queue = new FairQueue<string>();
  [...lanes].forEach((lane, at) => queue.push(lane, `${lane}${at}`, MAX));
  return queue;
}
function take(queue: FairQueue<string>, count: number): string[] {
  const taken: string[] = [];
  queue.serve((item) => taken.length < count && taken.push(item) > 0, 1);
  return taken;
}

describe('a fair queue', () => {
  it('gives turns, however much one has waiting', () => {
    expect(take(filled('aaaabc'), 6)).toEqual(['a0', 'b4', 'c5', 'a1', 'a2', 'a3']);
  });

  it('keeps the order of each', () => {
    expect(take(filled('abab'), 4)).toEqual(['a0', 'b1', 'a2', 'b3']);
  });

  it('refuses the newest of whoever has the most when it is full', () => {
    const queue = filled('aaaabc');
    expect(queue.push('d', 'd6', MAX)).toBe('a3');
    expect([queue.size, take(queue, 9)]).toEqual([6, ['a0', 'b4', 'c5', 'd6', 'a1', 'a2']]);
  });

  it('refuses the newcomer itself when nobody has more', () => {
    expect(filled('aaabbc').push('a', 'a6', MAX)).toBe('a6');
    expect(filled('abcdef').push('g', 'g6', MAX)).toBe('g6');
    expect(filled('abcdef').push('a', 'a6', MAX)).toBe('a6');
  });

  it('has no room where none is', () => {
    expect(new FairQueue<string>().push('a', 'a0', 0)).toBe('a0');
  });

  it('lets others go before one that cannot be taken, and asks only so many', () => {
    const queue = filled('abcdef');
    const seen: string[] = [];
    queue.serve((item) => (seen.push(item), item === 'b1'), 3);
    expect(seen).toEqual(['a0', 'b1', 'a0', 'c2', 'd3']);
    expect(queue.size).toBe(5);
  });

  it('forgets what left, and takes what left twice for gone', () => {
    const queue = filled('aab');
    queue.remove('a', 'a0');
    queue.remove('a', 'a0');
    queue.remove('z', 'z0');
    expect([queue.size, take(queue, 9)]).toEqual([2, ['a1', 'b2']]);
  });

  it('loses nothing and gives nothing twice, and no lane waits while another has two turns', () => {
    const step = fc.record({ lane: fc.constantFrom('a', 'b', 'c', 'd'), takes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new FairQueue<string>();
        const waiting = new Set<string>();
        steps.forEach(({ lane, takes }, at) => {
          if (takes) {
            const [taken] = take(queue, 1);
            expect(taken === undefined).toBe(waiting.size === 0);
            if (taken !== undefined) expect(waiting.delete(taken)).toBe(true);
          } else {
            const item = `${lane}${at}`;
            const displaced = queue.push(lane, item, MAX);
            waiting.add(item);
            if (displaced !== undefined) expect(waiting.delete(displaced)).toBe(true);
          }
          expect(queue.size).toBe(waiting.size);
          expect(queue.size).toBeLessThanOrEqual(MAX);
        });
        const turns = take(queue, MAX).map(([lane = '']) => lane);
        const lanes = new Set(turns);
        expect(new Set(turns.slice(0, lanes.size))).toEqual(lanes);
      }),
      { numRuns: 500 },
    );
  });
});
