/**
 * Flows that are open: counted for who watches, and limited for each principal. Whether a call asks is known only when its
 * worker says so: a first round that would ask beyond the limit is refused instead of asked, and nothing of it is kept. A
 * flow that was let in is never refused for this.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { Access } from '../access/access.js';
import { principalName } from '../access/principal-name.js';
import type { Flow } from '../rounds/flow-sealer.js';
import { BudgetTable } from './budget-table.js';
import { EndedFlows } from './ended-flows.js';
import { FlowTally } from './flow-tally.js';
import { OpenBudget } from './open-budget.js';
import type { Report } from './reported-budget.js';
import type { SlotTerms } from './slot-counts.js';

/** Principals remembered at once in this process; with nothing open they go first. About 15 MiB. */
export const PRINCIPALS_MAX = 20_000;
/** When flows end is up to people: soon enough to try again. */
const RETRY_AFTER_S = 30;
/** A minute for a flow of an hour: so many numbers travel at most. */
const SLOTS = 60;
const SLOT_MS_MIN = 60_000;

/** How a round ended that did not fail. */
export type RoundEnd = 'complete' | 'tool_error' | 'input_required' | 'refetched';

export interface OpenFlowsOptions {
  /** Undefined sets no limit. */
  readonly perPrincipalMax: () => number | undefined;
  readonly flowLifeMs: number;
  /** Salts the keys, so that two deployments may share a store. */
  readonly audience: string;
  readonly report: Report;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export class OpenFlows {
  readonly tally: FlowTally;
  private readonly ended = new EndedFlows();
  private readonly budgets: BudgetTable<OpenBudget, SlotTerms>;
  private readonly slots: SlotTerms;

  constructor(private readonly options: OpenFlowsOptions) {
    const { audience, report, flowLifeMs, now = Date.now } = options;
    this.tally = new FlowTally({ flowLifeMs, now });
    this.budgets = new BudgetTable({
      ...{ budgetsMax: PRINCIPALS_MAX, audience },
      make: (key, slots) => new OpenBudget({ key, slots, now, report }),
      // What is open stays open when the operator changes the limit.
      fits: () => true,
    });
    this.slots = { lifeMs: flowLifeMs, slotMs: Math.max(SLOT_MS_MIN, Math.ceil(flowLifeMs / SLOTS)) };
  }

  get principals(): number {
    return this.budgets.size;
  }

  /** Before the first ask of a flow is sealed. @throws RoundhouseError `rate_limited` */
  assertRoom({ principal }: Access): void {
    const max = this.options.perPrincipalMax();
    if (max === undefined || this.budgetOf(principal).hasRoom(max)) return;
    const facts = { limit: 'openFlowsPerPrincipalMax' };
    throw new RoundhouseError('rate_limited', { reason: 'limit_reached', retryAfterS: RETRY_AFTER_S, facts });
  }

  /** Its first ask is sealed. */
  opened({ principal }: Access, { startedAtMs }: Pick<Flow, 'startedAtMs'>): void {
    this.tally.opened(startedAtMs);
    const max = this.options.perPrincipalMax();
    if (max !== undefined) this.budgetOf(principal).opened(startedAtMs, max);
  }

  /** A round of it gave what it gave. Told of each round; only flows that asked are of interest. */
  roundEnded(access: Access, flow: Flow, end: RoundEnd): void {
    if (end === 'complete' || end === 'tool_error') this.end(access, flow, 'finished');
  }

  roundFailed(access: Access, flow: Flow, error: RoundhouseError): void {
    if (endsFlow(error)) this.end(access, flow, 'failed');
  }

  private end({ principal }: Access, { claims, flowId, startedAtMs }: Flow, outcome: 'finished' | 'failed'): void {
    if (claims === undefined || !this.ended.note(flowId)) return;
    this.tally.ended(startedAtMs, outcome);
    if (this.options.perPrincipalMax() !== undefined) this.budgetOf(principal).closed(startedAtMs);
  }

  private budgetOf(principal: Access['principal']): OpenBudget {
    return this.budgets.get(principalName(principal), this.slots);
  }
}

/** Sent again with the same state it would end the same way: what can be tried again, or by another client, is still open. */
function endsFlow({ code, row }: RoundhouseError): boolean {
  return code === 'flow_changed' || (row.retry === 'never' && code !== 'state_refused');
}
