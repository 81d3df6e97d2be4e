/**
 * Shared limits in the memory of one process: for the standalone app and for tests. When it is full it forgets the oldest,
 * because a limit that is forgotten is a burst too many, and refusing would be an outage.
 */
import {
  RUNNING_RETAIN_MS,
  type BudgetAnswer,
  type BudgetAsk,
  type BudgetRequest,
  type BudgetShare,
} from '@roundhouse/contracts';
import { takeFrom, type Bucket } from './budget-rules.js';
import type { BudgetStore } from './budget-store.js';

/** Keys remembered at once: about 30 MiB. */
export const MEMORY_BUDGETS_MAX = 100_000;

interface Running {
  readonly count: number;
  readonly expiresMs: number;
}

interface Budget {
  bucket: Bucket | undefined;
  readonly running: Map<string, Running>;
}

export interface MemoryBudgetStoreOptions {
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
  readonly budgetsMax?: number;
}

export class MemoryBudgetStore implements BudgetStore {
  private readonly now: () => number;
  private readonly budgetsMax: number;
  private readonly budgets = new Map<string, Budget>();

  constructor(options: MemoryBudgetStoreOptions = {}) {
    this.now = options.now ?? (() => performance.now());
    this.budgetsMax = options.budgetsMax ?? MEMORY_BUDGETS_MAX;
  }

  async share({ router, budgets }: BudgetRequest): Promise<BudgetAnswer> {
    const nowMs = this.now();
    return { budgets: budgets.map((ask) => this.shareOne(ask, router, nowMs)) };
  }

  async close(): Promise<void> {
    this.budgets.clear();
  }

  private shareOne({ key, rate, running }: BudgetAsk, router: string, nowMs: number): BudgetShare {
    const budget = this.find(key);
    const taken = rate && takeFrom(budget.bucket, rate, nowMs);
    if (taken !== undefined) budget.bucket = taken.bucket;
    const runningElsewhere = running === undefined ? 0 : tellRunning(budget.running, { router, count: running, nowMs });
    return { granted: taken?.granted ?? 0, left: taken?.left ?? 0, waitMs: taken?.waitMs ?? 0, runningElsewhere };
  }

  /** The newest last: a map keeps the order of insertion. */
  private find(key: string): Budget {
    const budget = this.budgets.get(key) ?? { bucket: undefined, running: new Map<string, Running>() };
    this.budgets.delete(key);
    this.budgets.set(key, budget);
    if (this.budgets.size > this.budgetsMax) this.budgets.delete(this.budgets.keys().next().value as string);
    return budget;
  }
}

interface Report {
  readonly router: string;
  readonly count: number;
  readonly nowMs: number;
}

/** How many calls the others run. */
function tellRunning(running: Map<string, Running>, { router, count, nowMs }: Report): number {
  running.delete(router);
  let elsewhere = 0;
  for (const [other, { count: theirs, expiresMs }] of running) {
    if (expiresMs <= nowMs) running.delete(other);
    else elsewhere += theirs;
  }
  if (count > 0) running.set(router, { count, expiresMs: nowMs + RUNNING_RETAIN_MS });
  return elsewhere;
}
