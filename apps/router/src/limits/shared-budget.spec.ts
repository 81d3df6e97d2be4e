import { beforeEach, describe, expect, it } from '@jest/globals';
import type { BudgetShare } from '@roundhouse/contracts';
import { FakeClock } from '@roundhouse/testing';
import type { ReportedBudget, Urgency } from './reported-budget.js';
import { SharedBudget, type BudgetTerms } from './shared-budget.js';

const TERMS: BudgetTerms = { perSecond: 10, burst: 16, concurrent: 2 };
const share = (change: Partial<BudgetShare> = {}): BudgetShare => ({
  ...{ granted: 0, left: 0, waitMs: 0, runningElsewhere: 0 },
  ...change,
});

let clock: FakeClock;
let reports: Urgency[];
beforeEach(() => {
  clock = new FakeClock();
  reports = [];
});

function budget(terms: Partial<BudgetTerms> = {}): SharedBudget {
  const report = (_budget: ReportedBudget, urgency: Urgency): void => void reports.push(urgency);
  return new SharedBudget({ key: 'k', terms: { ...TERMS, ...terms }, now: clock.now, report });
}

describe('a shared budget', () => {
  it('lets through on credit without a wait, and tells the store of it', () => {
    const shared = budget();
    expect([shared.take(), shared.take()]).toEqual([undefined, undefined]);
    expect(shared.ask().rate).toMatchObject({ owed: 2, want: 0 });
  });

  it('waits for the store when more come at once than the credit', async () => {
    const shared = budget();
    const taken = Array.from({ length: 5 }, async () => shared.take());
    expect(shared.ask().rate).toMatchObject({ owed: 2, want: 3 });
    shared.answered(share({ granted: 2, waitMs: 100 }));
    expect(await Promise.all(taken)).toEqual([undefined, undefined, undefined, undefined, 100]);
  });

  it('gives no credit twice while the store has not answered', () => {
    const shared = budget();
    void shared.take();
    void shared.take();
    shared.ask();
    expect(shared.take()).toBeInstanceOf(Promise);
  });

  it('refuses at once while the store says to wait, and tries again after that', () => {
    const shared = budget();
    void shared.take();
    shared.ask();
    shared.answered(share({ waitMs: 400 }));
    clock.advance(100);
    expect(shared.take()).toBe(300);
    expect(reports).toHaveLength(1);
    clock.advance(300);
    expect(shared.take()).toBeUndefined();
  });

  it('lets one through where little is left, not none', () => {
    const shared = budget({ burst: 1 });
    expect(shared.take()).toBeUndefined();
    expect(shared.take()).toBeInstanceOf(Promise);
  });

  it('lets no more wait than a burst', () => {
    const shared = budget({ burst: 4 });
    const taken = Array.from({ length: 8 }, () => shared.take());
    expect(taken.filter((one) => one instanceof Promise)).toHaveLength(4);
    expect(taken.slice(5)).toEqual([100, 100, 100]);
  });

  it('limits for itself while the store is away, waiting requests included', async () => {
    const shared = budget({ burst: 4 });
    const taken = Array.from({ length: 3 }, async () => shared.take());
    shared.ask();
    shared.unanswered();
    expect(await Promise.all(taken)).toEqual([undefined, undefined, undefined]);
    expect([shared.take(), shared.take()]).toEqual([undefined, 100]);
    clock.advance(100);
    expect(shared.take()).toBeUndefined();
  });

  it('never saves up more than a burst while it is alone', () => {
    const shared = budget({ burst: 2 });
    shared.unanswered();
    clock.advance(3_600_000);
    expect([shared.take(), shared.take(), shared.take()]).toEqual([undefined, undefined, 100]);
  });

  it('shares again as soon as the store answers', () => {
    const shared = budget();
    shared.unanswered();
    shared.ask();
    shared.answered(share({ waitMs: 50 }));
    expect(shared.take()).toBe(50);
  });

  it('is not about rates where none is set', () => {
    const shared = budget({ perSecond: undefined });
    for (let at = 0; at < 100; at += 1) expect(shared.take()).toBeUndefined();
    expect(shared.ask().rate).toBeUndefined();
  });
});

describe('calls under way', () => {
  it('are refused beyond the limit, until one leaves', () => {
    const shared = budget();
    expect([shared.enter(), shared.enter(), shared.enter()]).toEqual([true, true, false]);
    shared.leave();
    expect(shared.enter()).toBe(true);
  });

  it('count with those of other routers', () => {
    const shared = budget();
    shared.ask();
    shared.answered(share({ runningElsewhere: 1 }));
    expect([shared.enter(), shared.enter()]).toEqual([true, false]);
    expect(shared.ask().running).toBe(1);
  });

  it('are asked for again when one is refused for those elsewhere, which may be over', () => {
    const shared = budget();
    shared.answered(share({ runningElsewhere: 2 }));
    expect([shared.enter(), reports]).toEqual([false, ['soon']]);
    shared.answered(share());
    expect(shared.enter()).toBe(true);
  });

  it('count alone while the store is away', () => {
    const shared = budget();
    shared.answered(share({ runningElsewhere: 2 }));
    expect(shared.enter()).toBe(false);
    shared.unanswered();
    expect(shared.enter()).toBe(true);
  });

  it('keep a budget from being idle', () => {
    const shared = budget();
    expect(shared.isIdle).toBe(true);
    shared.enter();
    expect(shared.isIdle).toBe(false);
  });
});
