import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@roundhouse/testing';
import { itKeepsTheBudgetRules } from './budget-store.contract.js';
import { MemoryBudgetStore } from './memory-budget-store.js';

describe('MemoryBudgetStore', () => {
  itKeepsTheBudgetRules(async () => {
    const clock = new FakeClock();
    const store = new MemoryBudgetStore({ now: clock.now, wallNow: clock.now });
    return { store, advance: async (ms) => clock.advance(ms), now: clock.now };
  });

  it('forgets whom it has not heard of the longest when it is full, and refuses nobody', async () => {
    const store = new MemoryBudgetStore({ now: () => 0, budgetsMax: 2 });
    const take = async (name: string): Promise<number | undefined> => {
      const rate = { perSecond: 1, burst: 1, owed: 0, want: 1 };
      const { budgets } = await store.share({ router: 'r'.repeat(22), budgets: [{ key: name.repeat(43), rate }] });
      return budgets[0]?.granted;
    };
    expect([await take('a'), await take('b'), await take('a')]).toEqual([1, 1, 0]);
    expect([await take('c'), await take('a'), await take('b')]).toEqual([1, 0, 1]);
  });
});
