/** Streams that ended: how long subscriptions were open and why they closed, and what we cut off. */
import { Counters, Histograms, type Family } from '@roundhouse/telemetry';
import type { StreamEnd } from '../subscriptions/listen-streams.js';

const SLOW_READER = 'slow_reader';

export class StreamMeasures {
  private readonly durations = new Histograms('roundhouse_subscription_duration_seconds');
  private readonly drops = new Counters('roundhouse_stream_drops_total').begin([SLOW_READER]);

  subscriptionEnded(reason: StreamEnd, openMs: number): void {
    this.durations.observe([reason], openMs / 1_000);
    if (reason === SLOW_READER) this.cutOff();
  }

  /** A stream whose reader let us buffer too much. */
  cutOff(): void {
    this.drops.add([SLOW_READER]);
  }

  get families(): readonly Family[] {
    return [this.durations, this.drops];
  }
}
