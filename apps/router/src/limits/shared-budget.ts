/**
 * One limit for one caller or tool, as this router sees it. It lets through on credit, a part of what was left when the
 * store was last asked, and pays afterwards: so a call waits for the store only when more come at once than that. While
 * the store is away it limits for itself, as if there were no other router.
 */
import type { BudgetAsk, BudgetShare } from '@roundhouse/contracts';
import type { Report, ReportedBudget } from './reported-budget.js';

/** Share of what is left that one router may use before it asks again; with up to 8 of them nothing is overdrawn. */
const CREDIT_SHARE = 1 / 8;

export interface BudgetTerms {
  readonly perSecond: number | undefined;
  readonly burst: number;
  readonly concurrent: number | undefined;
}

export interface BudgetOptions {
  readonly key: string;
  readonly terms: BudgetTerms;
  /** Milliseconds; a clock that never steps back. */
  readonly now: () => number;
  readonly report: Report;
}

/** Resolves with undefined when the request may go on, or with how long to wait, in milliseconds. */
type Waiter = (waitMs: number | undefined) => void;

export class SharedBudget implements ReportedBudget {
  running = 0;
  private owed = 0;
  /** Owed and told, not answered yet. */
  private told = 0;
  private left: number;
  private blockedUntilMs = -Infinity;
  private waiting: Waiter[] = [];
  private asking: Waiter[] = [];
  private runningElsewhere = 0;
  /** Tokens of its own while the store is away. */
  private alone: { tokens: number; atMs: number } | undefined;

  constructor(private readonly options: BudgetOptions) {
    this.left = options.terms.burst;
  }

  get terms(): BudgetTerms {
    return this.options.terms;
  }

  get isIdle(): boolean {
    return this.running === 0 && this.owed + this.told + this.waiting.length + this.asking.length === 0;
  }

  /** Undefined when the request may go on, or how long to wait, in milliseconds; a promise of it when that is not known yet. */
  take(): number | undefined | Promise<number | undefined> {
    const { terms, now } = this.options;
    if (terms.perSecond === undefined) return undefined;
    const nowMs = now();
    if (this.alone !== undefined) return this.takeAlone(this.alone, nowMs);
    if (nowMs < this.blockedUntilMs) return this.blockedUntilMs - nowMs;
    const credit = Math.max(1, Math.floor(this.left * CREDIT_SHARE));
    if (this.owed + this.told < credit) {
      this.owed += 1;
      this.options.report(this, this.owed * 2 >= credit ? 'now' : 'soon');
      return undefined;
    }
    if (this.waiting.length + this.asking.length >= terms.burst) return 1_000 / terms.perSecond;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.options.report(this, 'now');
    });
  }

  /** False when too many calls are under way. Whoever enters has to leave. */
  enter(): boolean {
    const { concurrent } = this.terms;
    if (concurrent === undefined) return true;
    if (this.running + this.runningElsewhere >= concurrent) {
      // Those elsewhere may be over by now: who is refused has asked.
      this.options.report(this, 'soon');
      return false;
    }
    this.running += 1;
    this.options.report(this, 'soon');
    return true;
  }

  leave(): void {
    if (this.terms.concurrent === undefined) return;
    this.running -= 1;
    this.options.report(this, 'soon');
  }

  /** What the store is asked; until it has answered, nothing is asked again. */
  ask(): BudgetAsk {
    const { key, terms } = this.options;
    const { perSecond, burst, concurrent } = terms;
    [this.told, this.owed] = [this.owed, 0];
    [this.asking, this.waiting] = [this.waiting, []];
    return {
      key,
      ...(perSecond !== undefined && { rate: { perSecond, burst, owed: this.told, want: this.asking.length } }),
      ...(concurrent !== undefined && { running: this.running }),
    };
  }

  answered({ granted, left, waitMs, runningElsewhere }: BudgetShare): void {
    this.alone = undefined;
    this.told = 0;
    this.left = left;
    this.runningElsewhere = runningElsewhere;
    this.blockedUntilMs = waitMs === 0 ? -Infinity : this.options.now() + waitMs;
    this.release(granted, waitMs);
  }

  /** The store is away: what was owed is taken from a bucket of our own. */
  unanswered(): void {
    const { now, terms } = this.options;
    const owed = this.told;
    this.told = 0;
    this.runningElsewhere = 0;
    this.blockedUntilMs = -Infinity;
    this.alone ??= { tokens: terms.burst, atMs: now() };
    this.alone.tokens -= owed;
    const { alone } = this;
    const asking = this.asking;
    this.asking = [];
    for (const waiter of asking) waiter(this.takeAlone(alone, now()));
  }

  private takeAlone(alone: { tokens: number; atMs: number }, nowMs: number): number | undefined {
    const { perSecond = 1, burst } = this.terms;
    alone.tokens = Math.min(burst, alone.tokens + ((nowMs - alone.atMs) * perSecond) / 1_000);
    alone.atMs = nowMs;
    // Asks for nothing but whether the store is back; what is used meanwhile is between us and our own bucket.
    this.options.report(this, 'soon');
    if (alone.tokens < 1) return ((1 - alone.tokens) / perSecond) * 1_000;
    alone.tokens -= 1;
    return undefined;
  }

  private release(granted: number, waitMs: number): void {
    const asking = this.asking;
    this.asking = [];
    asking.forEach((waiter, at) => waiter(at < granted ? undefined : waitMs));
  }
}
