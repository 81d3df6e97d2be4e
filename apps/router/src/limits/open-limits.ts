/** Puts the limits together: what the policy file says, counted with the other routers where there is a replay service. */
import type { RouterConfig } from '../config.js';
import type { PolicyKeeper } from '../access/policy-keeper.js';
import { randomId } from '../rounds/random-id.js';
import type { ReplayClient } from '../rounds/replay-client.js';
import { BudgetExchange } from './budget-exchange.js';
import { CallLimits } from './call-limits.js';
import { OpenFlows } from './open-flows.js';

export interface OpenLimits {
  readonly calls: CallLimits;
  readonly flows: OpenFlows;
  readonly exchange: BudgetExchange;
}

export interface LimitsParts {
  /** Undefined where there is none. */
  readonly replay: Pick<ReplayClient, 'budget'> | undefined;
  readonly policy: Pick<PolicyKeeper, 'limits' | 'openFlowsPerPrincipalMax'>;
}

export function openLimits(
  { publicUrl, flow }: Pick<RouterConfig, 'publicUrl' | 'flow'>,
  { replay, policy }: LimitsParts,
): OpenLimits {
  const share = replay && ((request: Parameters<typeof replay.budget>[0]) => replay.budget(request));
  const exchange = new BudgetExchange({ router: randomId(), share });
  const calls = new CallLimits({ limits: () => policy.limits, audience: publicUrl, report: exchange.report });
  const flows = new OpenFlows({
    perPrincipalMax: () => policy.openFlowsPerPrincipalMax,
    flowLifeMs: flow.flowTtlMs,
    // Another salt than for calls: the same store must not take one for the other.
    audience: `${publicUrl}#flows`,
    report: exchange.report,
  });
  return { calls, flows, exchange };
}
