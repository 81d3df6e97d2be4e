/** Puts the limits together: what the policy file says, counted with the other routers where there is a replay service. */
import type { RouterConfig } from '../config.js';
import type { PolicyKeeper } from '../access/policy-keeper.js';
import { randomId } from '../rounds/random-id.js';
import type { ReplayClient } from '../rounds/replay-client.js';
import { BudgetExchange } from './budget-exchange.js';
import { CallLimits } from './call-limits.js';

export interface OpenLimits {
  readonly calls: CallLimits;
  readonly exchange: BudgetExchange;
}

export interface LimitsParts {
  /** Undefined where there is none. */
  readonly replay: Pick<ReplayClient, 'budget'> | undefined;
  readonly policy: Pick<PolicyKeeper, 'limits'>;
}

export function openLimits(
  { publicUrl }: Pick<RouterConfig, 'publicUrl'>,
  { replay, policy }: LimitsParts,
): OpenLimits {
  const share = replay && ((request: Parameters<typeof replay.budget>[0]) => replay.budget(request));
  const exchange = new BudgetExchange({ router: randomId(), share });
  const calls = new CallLimits({ limits: () => policy.limits, audience: publicUrl, report: exchange.report });
  return { calls, exchange };
}
