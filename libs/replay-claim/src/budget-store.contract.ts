/** What every store of shared limits has to do, as one suite: each store's spec runs it. Never shipped. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RUNNING_RETAIN_MS, type BudgetRate, type BudgetShare } from '@roundhouse/contracts';
import { CREDITS_OWED_MAX } from './budget-rules.js';
import type { BudgetStore } from './budget-store.js';

export interface BudgetsUnderTest {
  readonly store: BudgetStore;
  /** Lets time pass for every budget. */
  advance(ms: number): Promise<void>;
  /** Milliseconds since the epoch, by which what is open stops counting. */
  now(): number;
}

const key = (name: string): string => createHash('sha256').update(name).digest('base64url');
const router = (name: string): string => key(name).slice(0, 22);

/** One request in ten seconds: what passes while a test runs does not count. */
const SLOW = { perSecond: 0.1, burst: 10 };

export function itKeepsTheBudgetRules(open: () => Promise<BudgetsUnderTest>): void {
  let store: BudgetStore;
  let advance: BudgetsUnderTest['advance'];
  let now: BudgetsUnderTest['now'];

  beforeEach(async () => {
    ({ store, advance, now } = await open());
  });
  afterEach(() => store.close());

  async function take(want: number, more: Partial<BudgetRate> & { name?: string } = {}): Promise<BudgetShare> {
    const { name = 'alice', ...changed } = more;
    const rate = { ...SLOW, owed: 0, want, ...changed };
    const { budgets } = await store.share({ router: router('r1'), budgets: [{ key: key(name), rate }] });
    return budgets[0] as BudgetShare;
  }
  async function run(from: string, running: number, name = 'alice'): Promise<number> {
    const { budgets } = await store.share({ router: router(from), budgets: [{ key: key(name), running }] });
    return (budgets[0] as BudgetShare).runningElsewhere;
  }

  describe('a shared rate', () => {
    it('begins with the burst, and grants no more than there is', async () => {
      expect(await take(4)).toMatchObject({ granted: 4, left: 6, waitMs: 0 });
      expect(await take(100)).toMatchObject({ granted: 6, left: 0 });
      expect((await take(1)).granted).toBe(0);
    });

    it('tells how long until there is something', async () => {
      await take(10);
      const { waitMs } = await take(1);
      expect(waitMs).toBeGreaterThan(9_000);
      expect(waitMs).toBeLessThanOrEqual(10_000);
    });

    it('comes back with time, and never beyond the burst', async () => {
      await take(10);
      await advance(30_000);
      expect((await take(10)).granted).toBe(3);
      await advance(3_600_000);
      expect((await take(100)).granted).toBe(10);
    });

    it('is paid for what is owed before anything is granted', async () => {
      expect((await take(4, { owed: 8 })).granted).toBe(2);
    });

    it('may be overdrawn, and is then waited for longer', async () => {
      await take(10);
      const { granted, waitMs } = await take(1, { owed: 3 });
      expect(granted).toBe(0);
      expect(waitMs).toBeGreaterThan(39_000);
      await advance(30_000);
      expect((await take(1)).granted).toBe(0);
      await advance(11_000);
      expect((await take(1)).granted).toBe(1);
    });

    it('is never overdrawn by more than honest routers can', async () => {
      await take(1, { owed: 1_000_000 });
      await advance(10_000 * (SLOW.burst + CREDITS_OWED_MAX) + 11_000);
      expect((await take(1)).granted).toBe(1);
    });

    it('is of one key alone', async () => {
      await take(10);
      expect((await take(10, { name: 'bob' })).granted).toBe(10);
    });

    it('grants nothing that was not wanted', async () => {
      expect(await take(0, { owed: 1 })).toMatchObject({ granted: 0, left: 9, waitMs: 0 });
    });

    it('is never granted twice to those who ask at once', async () => {
      const shares = await Promise.all(Array.from({ length: 20 }, () => take(3)));
      expect(shares.reduce((sum, { granted }) => sum + granted, 0)).toBe(10);
    });

    it('takes a new limit over', async () => {
      await take(10);
      await advance(10_000);
      expect((await take(5, { perSecond: 0.5, burst: 4 })).granted).toBe(4);
    });
  });

  describe('calls under way', () => {
    it('are those of the other routers', async () => {
      expect(await run('r1', 3)).toBe(0);
      expect(await run('r2', 4)).toBe(3);
      expect(await run('r3', 0)).toBe(7);
      expect(await run('r1', 3)).toBe(4);
    });

    it('are what a router said last', async () => {
      await run('r1', 3);
      await run('r1', 1);
      expect(await run('r2', 0)).toBe(1);
      await run('r1', 0);
      expect(await run('r2', 0)).toBe(0);
    });

    it('stop counting when a router has gone silent', async () => {
      await run('r1', 3);
      await advance(RUNNING_RETAIN_MS + 1);
      expect(await run('r2', 1)).toBe(0);
    });

    it('go on counting while others come and go', async () => {
      await run('r1', 3);
      await advance(RUNNING_RETAIN_MS - 1_000);
      await run('r2', 1);
      await advance(2_000);
      expect(await run('r3', 1)).toBe(1);
    });

    it('are of one key alone', async () => {
      await run('r1', 3);
      expect(await run('r2', 1, 'bob')).toBe(0);
    });
  });

  describe('what is open', () => {
    const LIFE_MS = 600_000;
    const opened = async (from: string, nets: readonly number[], name = 'alice'): Promise<number | undefined> => {
      const open = nets.map((net, at) => ({ untilMs: now() + LIFE_MS * (at + 1), net }));
      const { budgets } = await store.share({ router: router(from), budgets: [{ key: key(name), open }] });
      return budgets[0]?.openElsewhere;
    };

    it('is what the other routers say', async () => {
      expect(await opened('r1', [3, 1])).toBe(0);
      expect(await opened('r2', [4])).toBe(4);
      expect(await opened('r3', [])).toBe(8);
    });

    it('may be closed on another router than it was opened on', async () => {
      await opened('r1', [3]);
      await opened('r2', [-3]);
      expect(await opened('r3', [])).toBe(0);
      expect(await opened('r1', [3])).toBe(-3);
    });

    it('is what a router said last, however often it says it', async () => {
      for (let times = 0; times < 3; times += 1) await opened('r1', [3]);
      expect(await opened('r2', [])).toBe(3);
      await opened('r1', []);
      expect(await opened('r2', [])).toBe(0);
    });

    it('stops counting when its time is over, a part at a time, and not when a router is silent', async () => {
      await opened('r1', [3, 1]);
      await advance(LIFE_MS - 60_000);
      expect(await opened('r2', [])).toBe(4);
      await advance(61_000);
      expect(await opened('r2', [])).toBe(1);
      await advance(LIFE_MS);
      expect(await opened('r2', [])).toBe(0);
    });

    it('is not taken when its time is over already', async () => {
      const open = [{ untilMs: now() - 1, net: 5 }];
      await store.share({ router: router('r1'), budgets: [{ key: key('alice'), open }] });
      expect(await opened('r2', [])).toBe(0);
    });

    it('is of one key alone', async () => {
      await opened('r1', [3]);
      expect(await opened('r2', [], 'bob')).toBe(0);
    });
  });

  it('answers many keys in their order', async () => {
    await take(9);
    const rate = { ...SLOW, owed: 0, want: 5 };
    const budgets = ['bob', 'alice', 'carol'].map((name) => ({ key: key(name), rate, running: 1 }));
    const { budgets: shares } = await store.share({ router: router('r1'), budgets });
    expect(shares.map(({ granted }) => granted)).toEqual([5, 1, 5]);
  });
}
