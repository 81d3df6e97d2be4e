/**
 * Time that moves only when a test says so. It also runs timers, so that code which waits can be tested without waiting.
 */
interface FakeTimer {
  readonly dueMs: number;
  readonly run: () => void;
}

export class FakeClock {
  private nowMs: number;
  private readonly timers = new Map<number, FakeTimer>();
  private lastTimerId = 0;

  /** @param startMs Milliseconds since the epoch; any fixed moment will do. */
  constructor(startMs = 1_800_000_000_000) {
    this.nowMs = startMs;
  }

  /** Milliseconds since the epoch. Bound, so that it can be handed over as a bare function. */
  readonly now = (): number => this.nowMs;

  readonly setTimeout = (run: () => void, delayMs: number): number => {
    this.lastTimerId += 1;
    this.timers.set(this.lastTimerId, { dueMs: this.nowMs + Math.max(0, delayMs), run });
    return this.lastTimerId;
  };

  readonly clearTimeout = (timer: unknown): void => {
    this.timers.delete(timer as number);
  };

  /** Timers that still wait; zero when the code under test left nothing behind. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /** Moves time on and runs what falls due, in order of time, then of creation, each at its own moment. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('time only moves forward');
    const endMs = this.nowMs + ms;
    for (let due = this.nextDue(endMs); due !== undefined; due = this.nextDue(endMs)) {
      const [id, timer] = due;
      this.timers.delete(id);
      this.nowMs = Math.max(this.nowMs, timer.dueMs);
      timer.run();
    }
    this.nowMs = endMs;
  }

  private nextDue(endMs: number): [number, FakeTimer] | undefined {
    let next: [number, FakeTimer] | undefined;
    for (const [id, timer] of this.timers) {
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next[1].dueMs)) next = [id, timer];
    }
    return next;
  }
}
