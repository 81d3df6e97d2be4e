/**
 * The budgets that this process remembers, by name: no more than it may, and those that were not used for long and have
 * nothing under way go first. Looking one up allocates nothing.
 */
import { createHash } from 'node:crypto';
import type { ReportedBudget } from './reported-budget.js';

/** Budgets looked at for one that can go; without one among them, the oldest goes. */
const LOOKED_AT_MAX = 8;

export interface BudgetTableOptions<Budget, Terms> {
  readonly budgetsMax: number;
  /** Salts the keys, so that two deployments may share a store. */
  readonly audience: string;
  readonly make: (key: string, terms: Terms) => Budget;
  readonly fits: (budget: Budget, terms: Terms) => boolean;
}

interface Entry<Budget> {
  readonly budget: Budget;
  wasUsed: boolean;
}

export class BudgetTable<Budget extends ReportedBudget, Terms> {
  private readonly entries = new Map<string, Entry<Budget>>();

  constructor(private readonly options: BudgetTableOptions<Budget, Terms>) {}

  get size(): number {
    return this.entries.size;
  }

  /** Another one when its terms have changed. */
  get(name: string, terms: Terms): Budget {
    const known = this.entries.get(name);
    if (known !== undefined && this.options.fits(known.budget, terms)) {
      known.wasUsed = true;
      return known.budget;
    }
    const { audience, make, budgetsMax } = this.options;
    const key = createHash('sha256')
      .update(JSON.stringify([audience, name]))
      .digest('base64url');
    const budget = make(key, terms);
    this.entries.set(name, { budget, wasUsed: false });
    if (this.entries.size > budgetsMax) this.forgetOne();
    return budget;
  }

  /** Second chance: what was used since it was last looked at goes to the end, where a map keeps the newest. */
  private forgetOne(): void {
    const oldest = this.entries.keys().next().value as string;
    let idle: string | undefined;
    let looked = 0;
    for (const [name, { budget, wasUsed }] of this.entries) {
      if (budget.isIdle && !wasUsed) {
        this.entries.delete(name);
        return;
      }
      if (budget.isIdle) idle ??= name;
      this.entries.delete(name);
      this.entries.set(name, { budget, wasUsed: false });
      looked += 1;
      if (looked === LOOKED_AT_MAX) break;
    }
    this.entries.delete(idle ?? oldest);
  }
}
