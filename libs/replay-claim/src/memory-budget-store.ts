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
  type OpenUntil,
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
  readonly open: Map<string, readonly OpenUntil[]>;
}

export interface MemoryBudgetStoreOptions {
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
  /** Milliseconds since the epoch: by it what is open stops counting. */
  readonly wallNow?: () => number;
  readonly budgetsMax?: number;
}

export class MemoryBudgetStore implements BudgetStore {
  private readonly now: () => number;
  private readonly wallNow: () => number;
  private readonly budgetsMax: number;
  private readonly budgets = new Map<string, Budget>();

  constructor(options: MemoryBudgetStoreOptions = {}) {
    this.now = options.now ?? (() => performance.now());
    this.wallNow = options.wallNow ?? Date.now;
    this.budgetsMax = options.budgetsMax ?? MEMORY_BUDGETS_MAX;
  }

  async share({ router, budgets }: BudgetRequest): Promise<BudgetAnswer> {
    const nowMs = this.now();
    return { budgets: budgets.map((ask) => this.shareOne(ask, router, nowMs)) };
  }

  async close(): Promise<void> {
    this.budgets.clear();
  }

  private shareOne({ key, rate, running, open }: BudgetAsk, router: string, nowMs: number): BudgetShare {
    const budget = this.find(key);
    const taken = rate && takeFrom(budget.bucket, rate, nowMs);
    if (taken !== undefined) budget.bucket = taken.bucket;
    const runningElsewhere = running === undefined ? 0 : tellRunning(budget.running, { router, count: running, nowMs });
    const openElsewhere = open === undefined ? 0 : tellOpen(budget.open, { router, open, nowMs: this.wallNow() });
    const { granted = 0, left = 0, waitMs = 0 } = taken ?? {};
    return { granted, left, waitMs, runningElsewhere, openElsewhere };
  }

  /** The newest last: a map keeps the order of insertion. */
  private find(key: string): Budget {
    const budget: Budget = this.budgets.get(key) ?? { bucket: undefined, running: new Map(), open: new Map() };
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

interface OpenReport {
  readonly router: string;
  readonly open: readonly OpenUntil[];
  readonly nowMs: number;
}

/** What the others say of what is open. */
function tellOpen(known: Budget['open'], { router, open, nowMs }: OpenReport): number {
  const live = open.filter(({ untilMs }) => untilMs > nowMs);
  if (live.length > 0) known.set(router, live);
  else known.delete(router);
  let elsewhere = 0;
  for (const [other, theirs] of known) {
    if (other === router) continue;
    const counting = theirs.filter(({ untilMs }) => untilMs > nowMs);
    if (counting.length === 0) known.delete(other);
    for (const { net } of counting) elsewhere += net;
  }
  return elsewhere;
}
