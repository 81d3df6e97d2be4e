/** What a flow took: its rounds, its answers, and how long people thought. How many there are, `OpenFlows` knows. */
import type { RoundhouseError } from '@roundhouse/errors';
import { Counters, Histograms, type Family, type IsGone } from '@roundhouse/telemetry';
import type { Observed } from './observed.js';
import { toolLabel } from './operation-labels.js';

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

export class FlowMeasures {
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
    if (flow?.claims === undefined) return;
    if (isFinished(observed, error)) this.rounds.observe([toolLabel(route)], flow.round);
    const thoughtMs = this.now() - tookMs - flow.claims.issuedAtMs;
    this.thinkTime.observe([], Math.max(0, thoughtMs) / 1_000, observed.traceId);
    for (const { action } of Object.values(answers ?? {}) as readonly { readonly action?: unknown }[])
      if (ACTIONS.has(action)) this.answers.add([action as string]);
  }

  get families(): readonly Family[] {
    return [this.rounds, this.thinkTime, this.answers];
  }
}

/** A result after a question; neither a round that asks on nor an outcome that was told before. */
export function isFinished({ flow, sealed, isStored }: Observed, error: RoundhouseError | undefined): boolean {
  return flow?.claims !== undefined && error === undefined && sealed === undefined && !isStored;
}
