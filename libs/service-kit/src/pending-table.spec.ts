import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PendingTable } from './pending-table.js';

describe('PendingTable', () => {
  it('behaves like a Map whose keys it makes itself', () => {
    const operation = fc.oneof(fc.constant('add' as const), fc.nat({ max: 2_000 }));
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 2_000 }), (operations) => {
        const [table, model] = [new PendingTable<number>(), new Map<number, number>()];
        for (const [at, what] of operations.entries()) {
          if (what === 'add') {
            const id = table.add(at);
            expect(model.has(id)).toBe(false);
            model.set(id, at);
          } else {
            expect(table.get(what)).toBe(model.get(what));
            expect(table.delete(what)).toBe(model.delete(what));
          }
        }
        expect(table.size).toBe(model.size);
        expect(table.values().sort()).toEqual([...model.values()].sort());
      }),
      { numRuns: 50 },
    );
  });

  it('keeps what stays for long while millions pass by, and finds nothing under a number that is gone', () => {
    const table = new PendingTable<string>();
    const staying = Array.from({ length: 300 }, (_, at) => [table.add(`stays ${at}`), `stays ${at}`] as const);
    const gone: number[] = [];
    for (let n = 0; n < 100_000; n += 1) {
      const id = table.add('passes');
      table.delete(id);
      if (n % 1_000 === 0) gone.push(id);
    }
    expect(staying.map(([id]) => table.get(id))).toEqual(staying.map(([, value]) => value));
    expect(gone.map((id) => table.get(id))).toEqual(gone.map(() => undefined));
    expect(table.size).toBe(300);
  });

  it.each([-1, 0, 0.5, NaN, Infinity, 2 ** 60])('finds nothing under %s, which it never gave out', (id) => {
    const table = new PendingTable<string>();
    expect([table.get(id), table.delete(id)]).toEqual([undefined, false]);
  });

  it('is empty after it was cleared', () => {
    const table = new PendingTable<string>();
    const id = table.add('x');
    table.clear();
    expect([table.size, table.get(id), table.values()]).toEqual([0, undefined, []]);
  });
});
