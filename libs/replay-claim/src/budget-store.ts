/**
 * The port of the store in which routers share limits. Nothing is lost with it that matters for long: a store that forgot
 * everything begins with full budgets. Memory and Redis keep the rules of `budget-rules.ts`, and one suite holds them to it.
 */
import type { BudgetAnswer, BudgetRequest } from '@roundhouse/contracts';

export interface BudgetStore {
  /** Rejects with RoundhouseError `replay_unavailable` when the store failed; then nothing is known. */
  share(request: BudgetRequest): Promise<BudgetAnswer>;
  close(): Promise<void>;
}
