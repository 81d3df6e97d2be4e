/**
 * How many flows one principal may have open, counted with the other routers: each tells all that it knows, by when it stops
 * counting, so a message that is lost or comes twice changes nothing. While the store is away this router counts for itself.
 */
import type { BudgetAsk, BudgetShare, OpenUntil } from '@roundhouse/contracts';
import type { Report, ReportedBudget } from './reported-budget.js';
import { SlotCounts, type SlotTerms } from './slot-counts.js';

/** With less than this part of the limit left, the others are told at once. */
const SCARCE_SHARE = 1 / 4;

export interface OpenBudgetOptions {
  readonly key: string;
  readonly slots: SlotTerms;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly report: Report;
}

export class OpenBudget implements ReportedBudget {
  readonly running = 0;
  private readonly counts: SlotCounts;
  private openElsewhere = 0;

  constructor(private readonly options: OpenBudgetOptions) {
    this.counts = new SlotCounts(options.slots);
  }

  get isIdle(): boolean {
    let isEmpty = true;
    this.counts.forEach(this.options.now(), () => (isEmpty = false));
    return isEmpty;
  }

  /** Below zero only when what others opened ended here and they are not heard of. */
  get open(): number {
    return this.counts.total(this.options.now()) + this.openElsewhere;
  }

  /** A refusal asks as well: what is open elsewhere may be over by now. */
  hasRoom(max: number): boolean {
    const hasRoom = this.open < max;
    if (!hasRoom) this.options.report(this, 'soon');
    return hasRoom;
  }

  opened(startedAtMs: number, max: number): void {
    this.counts.add(startedAtMs, 1, this.options.now());
    this.options.report(this, this.open > max * (1 - SCARCE_SHARE) ? 'now' : 'soon');
  }

  closed(startedAtMs: number): void {
    this.counts.add(startedAtMs, -1, this.options.now());
    this.options.report(this, 'soon');
  }

  ask(): BudgetAsk {
    const open: OpenUntil[] = [];
    this.counts.forEach(this.options.now(), (net, slotAtMs) => {
      open.push({ untilMs: this.counts.untilMs(slotAtMs), net });
    });
    return { key: this.options.key, open };
  }

  answered({ openElsewhere = 0 }: BudgetShare): void {
    this.openElsewhere = openElsewhere;
  }

  unanswered(): void {
    this.openElsewhere = 0;
  }
}
