/** What the replay service is told of, and tells about: one limit for one caller or tool, as this router sees it. */
import type { BudgetAsk, BudgetShare } from '@roundhouse/contracts';

/** How soon the store has to hear of it. */
export type Urgency = 'now' | 'soon';

export interface ReportedBudget {
  /** Calls under way here: the store is told of them again before it takes this router for gone. */
  readonly running: number;
  /** Nothing is lost when it is forgotten. */
  readonly isIdle: boolean;
  /** What the store is asked; until it has answered, nothing is asked again. */
  ask(): BudgetAsk;
  answered(share: BudgetShare): void;
  /** The store is away. */
  unanswered(): void;
}

export type Report = (budget: ReportedBudget, urgency: Urgency) => void;
