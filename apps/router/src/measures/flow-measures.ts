/** Flows: how many begin and end, in how many rounds, and how long people think. */
import type { RoundhouseError } from '@roundhouse/errors';
import { Counters, Histograms, type Family, type IsGone } from '@roundhouse/telemetry';
import type { Observed } from './observed.js';
import { toolLabel } from './operation-labels.js';

export type FlowEvent = 'opened' | 'finished' | 'failed';

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

export class FlowMeasures {
  private readonly flows = new Counters('roundhouse_flows_total').begin(['opened'], ['finished'], ['failed']);
  private readonly rounds: Histograms<'roundhouse_mrtr_rounds'>;
  private readonly thinkTime = new Histograms('roundhouse_mrtr_think_time_seconds');
  private readonly answers = new Counters('roundhouse_mrtr_answers_total');

  constructor(
    isGone: IsGone,
    private readonly now: () => number = Date.now,
  ) {
    this.rounds = new Histograms('roundhouse_mrtr_rounds', isGone);
  }

  ended(observed: Observed, error: RoundhouseError | undefined, tookMs: number): void {
    const { flow, route, answers } = observed;
    if (flow === undefined) return;
    const event = flowEventOf(observed, error);
    if (event !== undefined) this.flows.add([event]);
    if (event === 'finished') this.rounds.observe([toolLabel(route)], flow.round);
    if (flow.claims === undefined) return;
    const thoughtMs = this.now() - tookMs - flow.claims.issuedAtMs;
    this.thinkTime.observe([], Math.max(0, thoughtMs) / 1_000, observed.traceId);
    for (const { action } of Object.values(answers ?? {}) as readonly { readonly action?: unknown }[])
      if (ACTIONS.has(action)) this.answers.add([action as string]);
  }

  get families(): readonly Family[] {
    return [this.flows, this.rounds, this.thinkTime, this.answers];
  }
}

/**
 * Undefined for what neither begins nor ends one: a call without questions, a round that asks again, a failure after
 * which the same state can be sent once more, an outcome that was told before.
 */
export function flowEventOf(observed: Observed, error: RoundhouseError | undefined): FlowEvent | undefined {
  const { flow, sealed, isStored } = observed;
  if (flow === undefined || isStored) return undefined;
  if (flow.claims === undefined) return sealed !== undefined && error === undefined ? 'opened' : undefined;
  if (error === undefined) return sealed === undefined ? 'finished' : undefined;
  const { blame, retry } = error.row;
  return blame === 'client' || retry === 'later' || error.reason === 'client_gone' ? undefined : 'failed';
}
