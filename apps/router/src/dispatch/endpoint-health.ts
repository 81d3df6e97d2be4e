/**
 * How an endpoint has been doing: its latency as a peak that fades, and whether it is set aside for failing. Times are in
 * milliseconds of one monotonic clock, given by the caller.
 */

/** A peak loses about two thirds of its height in this time (LB-1), so that one slow call is not held against it for ever. */
const FADE_MS = 10_000;
/** Below this, differences between endpoints are noise. */
const LATENCY_MIN_MS = 1;
/** What a failure counts as, so that an endpoint that fails fast does not attract calls (LB-1). */
const FAILURE_PENALTY_MS = 5_000;
/** From so many failures in a row on, an endpoint is set aside for a while, longer each time (LB-2). */
const FAILURES_IN_A_ROW_MAX = 5;
const ASIDE_FIRST_MS = 5_000;
const ASIDE_MAX_MS = 60_000;

export class EndpointHealth {
  /** How often it was set aside since it was first known. */
  ejections = 0;
  private peakMs = LATENCY_MIN_MS;
  private sampledMs = 0;
  private failuresInARow = 0;
  private asideUntilMs = 0;

  /** Forgets everything: another process answers at this address. */
  reset(): void {
    this.peakMs = LATENCY_MIN_MS;
    this.failuresInARow = 0;
    this.asideUntilMs = 0;
  }

  latencyMs(nowMs: number): number {
    return LATENCY_MIN_MS + (this.peakMs - LATENCY_MIN_MS) * Math.exp(-(nowMs - this.sampledMs) / FADE_MS);
  }

  isAside(nowMs: number): boolean {
    return nowMs < this.asideUntilMs;
  }

  /** A rise is taken at once, a fall only as the peak fades. */
  recordSuccess(elapsedMs: number, nowMs: number): void {
    this.failuresInARow = 0;
    this.sample(elapsedMs, nowMs);
  }

  recordFailure(nowMs: number): void {
    this.sample(FAILURE_PENALTY_MS, nowMs);
    this.failuresInARow += 1;
    const times = this.failuresInARow - FAILURES_IN_A_ROW_MAX + 1;
    if (times <= 0) return;
    // Calls that were under way when it was set aside fail after it.
    if (!this.isAside(nowMs)) this.ejections += 1;
    this.asideUntilMs = nowMs + Math.min(ASIDE_MAX_MS, ASIDE_FIRST_MS * times);
  }

  private sample(elapsedMs: number, nowMs: number): void {
    this.peakMs = Math.max(elapsedMs, this.latencyMs(nowMs));
    this.sampledMs = nowMs;
  }
}
