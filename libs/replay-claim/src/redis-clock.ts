/**
 * What Redis's clock shows at a moment of ours, never less than it truly does. With it a claim carries the moment after
 * which nobody waits for it any more, so that one which was stuck on the way and arrives later claims nothing.
 */
export interface ClockSample {
  /** Local monotonic milliseconds when the question was sent. */
  readonly sentMs: number;
  /** Redis's answer, in whole milliseconds since the epoch. */
  readonly redisMs: number;
}

export class RedisClock {
  private aheadMs: number | undefined;

  /** The epoch while nothing is known: a claim sent then comes back late, with the sample that was missing. */
  toRedisMs(localMs: number): number {
    return this.aheadMs === undefined ? 0 : Math.ceil(localMs + this.aheadMs);
  }

  /** The question was on its way when the clock was read, so each sample errs upwards; the least one errs least. */
  observe(sample: ClockSample): void {
    this.aheadMs = Math.min(this.aheadMs ?? Infinity, toAheadMs(sample));
  }

  /** Redis called a claim late although it was not: its clock went forward, or this is another Redis. */
  correct(sample: ClockSample): void {
    this.aheadMs = toAheadMs(sample);
  }
}

function toAheadMs({ sentMs, redisMs }: ClockSample): number {
  return redisMs + 1 - sentMs;
}
