/**
 * Whether there is room for a request, by the limits of the policy file. Asked before work is done for it: for the rate of
 * a caller before its body is read, for what is about tools before its state is opened. Knows nothing of a request but
 * who sends it and where it goes.
 */
import { nameMatcher } from '@roundhouse/auth';
import { RoundhouseError } from '@roundhouse/errors';
import type { Access } from '../access/access.js';
import { principalName } from '../access/principal-name.js';
import type { Route } from '../catalogue/route.js';
import { BudgetTable } from './budget-table.js';
import type { LimitSettings } from './limit-settings.js';
import type { Report } from './reported-budget.js';
import { SharedBudget, type BudgetTerms } from './shared-budget.js';

/** Budgets remembered at once, in this process; those that nothing runs on go first. About 10 MiB. */
export const BUDGETS_MAX = 20_000;
const BURST_SECONDS = 2;

export interface CallLimitsOptions {
  readonly limits: () => readonly LimitSettings[];
  /** Salts the keys, so that two deployments may share a store. */
  readonly audience: string;
  readonly report: Report;
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
}

interface Limit {
  readonly settings: LimitSettings;
  readonly terms: BudgetTerms;
  readonly covers: (tool: string) => boolean;
}

type Leave = () => void;
const leaveNothing: Leave = () => undefined;

export class CallLimits {
  private readonly budgets: BudgetTable<SharedBudget, BudgetTerms>;
  private known: readonly LimitSettings[] = [];
  private limits: readonly Limit[] = [];

  constructor(private readonly options: CallLimitsOptions) {
    const { audience, report, now = () => performance.now() } = options;
    this.budgets = new BudgetTable({
      ...{ budgetsMax: BUDGETS_MAX, audience },
      make: (key, terms) => new SharedBudget({ key, terms, now, report }),
      fits: ({ terms }, wanted) => isSame(terms, wanted),
    });
  }

  get size(): number {
    return this.budgets.size;
  }

  /** Of any request, by who sends it. Without a wait where there is credit. @throws RoundhouseError `rate_limited` */
  admit(access: Access): void | Promise<void> {
    const limits = this.current();
    if (limits.length === 0) return;
    const asked: Asked[] = [];
    for (const limit of limits)
      if (limit.settings.tools === undefined) asked.push({ limit, budget: this.budgetOf(limit, access, undefined) });
    return takeAll(asked);
  }

  /**
   * Of a call. The function that comes back has to be called once, when the call is over.
   * @throws RoundhouseError `rate_limited`, or `overloaded` for what a tool may do for all callers together
   */
  enter(access: Access, route: Route): Leave | Promise<Leave> {
    const limits = this.current();
    if (limits.length === 0) return leaveNothing;
    const tool = route.kind === 'tools' ? route.publicName : undefined;
    const about: Asked[] = [];
    const rates: Asked[] = [];
    for (const limit of limits) {
      const isOfTools = limit.settings.tools !== undefined;
      if (isOfTools && (tool === undefined || !limit.covers(tool))) continue;
      // Of what is about every request the rate was asked before.
      if (!isOfTools && limit.terms.concurrent === undefined) continue;
      const asked = { limit, budget: this.budgetOf(limit, access, tool) };
      about.push(asked);
      if (isOfTools) rates.push(asked);
    }
    const leave = enterAll(about);
    try {
      const taken = takeAll(rates);
      if (taken === undefined) return leave;
      return taken.then(
        () => leave,
        (error: unknown) => {
          leave();
          throw error;
        },
      );
    } catch (error) {
      leave();
      throw error;
    }
  }

  private current(): readonly Limit[] {
    const settings = this.options.limits();
    if (settings !== this.known) {
      this.known = settings;
      this.limits = settings.map(toLimit);
    }
    return this.limits;
  }

  private budgetOf({ settings, terms }: Limit, access: Access, tool: string | undefined): SharedBudget {
    const { name, by } = settings;
    const who = by === 'tool' ? '' : principalName(access.principal);
    const what = by === 'principal' ? '' : (tool ?? '');
    // Neither of the first two has a line break, so no two budgets meet.
    return this.budgets.get(`${name}\n${who}\n${what}`, terms);
  }
}

interface Asked {
  readonly limit: Limit;
  readonly budget: SharedBudget;
}

/** Each has to have room. What the others granted before one refused is spent: whoever is refused has asked as well. */
function takeAll(asked: readonly Asked[]): undefined | Promise<void> {
  const waiting: { limit: Limit; answer: Promise<number | undefined> }[] = [];
  for (const { limit, budget } of asked) {
    const answer = budget.take();
    if (answer instanceof Promise) waiting.push({ limit, answer });
    else assertRoom(limit, answer);
  }
  if (waiting.length === 0) return undefined;
  const all = waiting.map(async ({ limit, answer }) => assertRoom(limit, await answer));
  return Promise.all(all).then(() => undefined);
}

function enterAll(asked: readonly Asked[]): Leave {
  const entered: SharedBudget[] = [];
  const leave = (): void => {
    for (const budget of entered) budget.leave();
  };
  for (const { limit, budget } of asked) {
    if (!budget.enter()) {
      leave();
      throw refusal(limit, 1_000);
    }
    entered.push(budget);
  }
  return leave;
}

function assertRoom(limit: Limit, waitMs: number | undefined): void {
  if (waitMs !== undefined) throw refusal(limit, waitMs);
}

/** Whom others keep from a tool has done nothing wrong: that is overload. */
function refusal({ settings: { by, name } }: Limit, waitMs: number): RoundhouseError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000));
  const code = by === 'tool' ? 'overloaded' : 'rate_limited';
  return new RoundhouseError(code, { reason: 'limit_reached', retryAfterS, facts: { limit: name } });
}

function toLimit(settings: LimitSettings): Limit {
  const { perSecond, concurrent, tools = [] } = settings;
  const burst = settings.burst ?? Math.max(1, Math.ceil((perSecond ?? 1) * BURST_SECONDS));
  const matchers = tools.map(nameMatcher);
  return {
    settings,
    terms: { perSecond, burst, concurrent },
    covers: (tool) => matchers.some((matches) => matches(tool)),
  };
}

function isSame(one: BudgetTerms, other: BudgetTerms): boolean {
  return one.perSecond === other.perSecond && one.burst === other.burst && one.concurrent === other.concurrent;
}
