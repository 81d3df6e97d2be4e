/**
 * Tells the replay service what this router used and runs, many limits in one message and one message at a time, off the
 * way of the calls. When it does not answer, each limit is told so, and asks again no sooner than a second later.
 */
import {
  BUDGETS_PER_MESSAGE_MAX,
  RUNNING_RETAIN_MS,
  type BudgetAnswer,
  type BudgetRequest,
} from '@roundhouse/contracts';
import type { Report, ReportedBudget, Urgency } from './reported-budget.js';

/** What is not urgent is gathered for this long, in milliseconds. */
export const GATHER_MS = 100;
/** Pause after a failure, in milliseconds. */
export const AWAY_MS = 1_000;
/** Before the store takes us for gone. */
const HEARTBEAT_MS = RUNNING_RETAIN_MS / 3;

export interface BudgetExchangeOptions {
  /** Of this process. */
  readonly router: string;
  /** Rejects when the replay service is away; undefined where there is none. */
  readonly share: ((request: BudgetRequest) => Promise<BudgetAnswer>) | undefined;
}

export class BudgetExchange {
  private readonly waiting: Record<Urgency, Set<ReportedBudget>> = { now: new Set(), soon: new Set() };
  private readonly running = new Set<ReportedBudget>();
  private readonly heartbeat: NodeJS.Timeout;
  private timer: NodeJS.Timeout | undefined;
  private isUnderWay = false;
  private isScheduled = false;
  private isAway = false;

  constructor(private readonly options: BudgetExchangeOptions) {
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS).unref();
  }

  /** Bound, so that budgets can be given it as a bare function. */
  readonly report: Report = (budget, urgency) => {
    if (budget.running > 0) this.running.add(budget);
    if (this.options.share === undefined) return this.refuse([budget]);
    this.waiting[urgency].add(budget);
    if (this.isUnderWay) return;
    // While the service is away nothing is urgent, save that whoever waits hears of it.
    if (urgency === 'now' && this.isAway) return this.refuse([budget]);
    if (urgency === 'now') this.schedule();
    else this.timer ??= setTimeout(() => this.exchange(), this.isAway ? AWAY_MS : GATHER_MS).unref();
  };

  stop(): void {
    clearInterval(this.heartbeat);
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.exchange();
    });
  }

  private exchange(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isUnderWay) return;
    const { now, soon } = this.waiting;
    const chosen = takeFrom([now, soon], BUDGETS_PER_MESSAGE_MAX);
    if (chosen.length === 0) return;
    this.isUnderWay = true;
    void this.tell(chosen).finally(() => {
      this.isUnderWay = false;
      if (this.isAway) this.refuse([...now]);
      else if (now.size > 0) this.schedule();
      if (soon.size > 0) this.timer ??= setTimeout(() => this.exchange(), this.isAway ? AWAY_MS : GATHER_MS).unref();
    });
  }

  private async tell(budgets: readonly ReportedBudget[]): Promise<void> {
    try {
      const request = { router: this.options.router, budgets: budgets.map((budget) => budget.ask()) };
      const answer = await this.options.share?.(request);
      this.isAway = false;
      budgets.forEach((budget, at) => {
        const share = answer?.budgets[at];
        if (share === undefined) budget.unanswered();
        else budget.answered(share);
      });
    } catch {
      // Whoever asks it has logged why, once. Limits are no reason to refuse a call.
      this.isAway = true;
      for (const budget of budgets) budget.unanswered();
    }
  }

  /** As if the service had been asked and not answered. */
  private refuse(budgets: readonly ReportedBudget[]): void {
    for (const budget of budgets) {
      this.waiting.now.delete(budget);
      budget.ask();
      budget.unanswered();
    }
  }

  private beat(): void {
    for (const budget of this.running) {
      if (budget.running === 0) this.running.delete(budget);
      else this.report(budget, 'soon');
    }
  }
}

/** The first of the sets, each once. */
function takeFrom<T>(sets: readonly Set<T>[], max: number): readonly T[] {
  const taken = new Set<T>();
  for (const set of sets) {
    for (const one of set) {
      if (taken.size >= max) return [...taken];
      taken.add(one);
      for (const other of sets) other.delete(one);
    }
  }
  return [...taken];
}
