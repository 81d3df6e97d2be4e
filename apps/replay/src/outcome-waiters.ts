/**
 * Lets attempts wait for the outcome of a twin that runs elsewhere. All that wait in this process for one claim share
 * one look at the store at a time, so a crowd of duplicates costs the store no more than one. Keeps nothing else.
 */
import type { OutcomeRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import type { ClaimStore, PeekAnswer } from '@roundhouse/replay-claim';

/** Pause before the second look: a twin that is nearly done is not kept waiting. */
const PAUSE_FIRST_MS = 20;
/** Longest pause between two looks: what a long wait may add at its end. */
const PAUSE_MS_MAX = 250;

export interface Timers {
  setTimeout(run: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface WaitersOptions {
  readonly waitersMax: number;
  readonly timers?: Timers;
}

interface Waiter {
  readonly answer: (answer: PeekAnswer) => void;
  readonly fail: (error: unknown) => void;
  readonly timer: unknown;
  /** Its time was over before the first look came back. */
  isDue: boolean;
}

/** One claim that is looked at. Other answers to the same ask are a conflict at their first look, and so never stay. */
interface Watch {
  readonly request: OutcomeRequest;
  readonly waiters: Set<Waiter>;
  last?: PeekAnswer;
  pauseMs: number;
  timer?: unknown;
}

export class OutcomeWaiters {
  private readonly timers: Timers;
  private readonly waitersMax: number;
  private readonly watches = new Map<string, Watch>();
  private waiting = 0;
  private stopped = false;

  constructor(
    private readonly store: ClaimStore,
    { waitersMax, timers = { setTimeout, clearTimeout } }: WaitersOptions,
  ) {
    this.waitersMax = waitersMax;
    this.timers = timers;
  }

  /** Attempts that wait now. */
  get size(): number {
    return this.waiting;
  }

  /**
   * The outcome; or `inflight` when `waitMs` is over, when the claim was given back, or when this process stops.
   * @throws RoundhouseError `overloaded` beyond the limit; `replay_unavailable` when the store failed
   */
  async wait(request: OutcomeRequest): Promise<PeekAnswer> {
    if (request.waitMs === 0 || this.stopped) return this.store.peek(request.claimId, request.fingerprint);
    if (this.waiting >= this.waitersMax) throw new RoundhouseError('overloaded', { reason: 'limit_reached' });
    return new Promise((answer, fail) => this.join(request, { answer, fail }));
  }

  /** Answers everybody with what is known; from now on nobody waits. */
  stop(): void {
    this.stopped = true;
    for (const watch of this.watches.values()) {
      for (const waiter of watch.waiters) this.timeIsOver(watch, waiter);
    }
  }

  private join(request: OutcomeRequest, { answer, fail }: Pick<Waiter, 'answer' | 'fail'>): void {
    const key = keyOf(request);
    const known = this.watches.get(key);
    const watch = known ?? { request, waiters: new Set(), pauseMs: PAUSE_FIRST_MS };
    const timer = this.timers.setTimeout(() => this.timeIsOver(watch, waiter), request.waitMs);
    const waiter: Waiter = { answer, fail, timer, isDue: false };
    watch.waiters.add(waiter);
    this.waiting += 1;
    if (known !== undefined) return;
    this.watches.set(key, watch);
    void this.look(watch);
  }

  private async look(watch: Watch): Promise<void> {
    try {
      const answer = await this.store.peek(watch.request.claimId, watch.request.fingerprint);
      if (isRunning(answer)) this.lookAgainLater(watch, answer);
      else this.endAll(watch, (waiter) => waiter.answer(answer));
    } catch (error) {
      this.endAll(watch, (waiter) => waiter.fail(error));
    }
  }

  private lookAgainLater(watch: Watch, answer: PeekAnswer): void {
    watch.last = answer;
    for (const waiter of watch.waiters) if (waiter.isDue) this.timeIsOver(watch, waiter);
    if (watch.waiters.size === 0) return;
    watch.timer = this.timers.setTimeout(() => void this.look(watch), watch.pauseMs);
    watch.pauseMs = Math.min(watch.pauseMs * 2, PAUSE_MS_MAX);
  }

  private timeIsOver(watch: Watch, waiter: Waiter): void {
    if (watch.last === undefined) {
      waiter.isDue = true;
      return;
    }
    this.leave(watch, waiter);
    waiter.answer(watch.last);
    if (watch.waiters.size === 0) this.forget(watch);
  }

  private endAll(watch: Watch, end: (waiter: Waiter) => void): void {
    this.forget(watch);
    for (const waiter of watch.waiters) {
      this.leave(watch, waiter);
      end(waiter);
    }
  }

  private leave(watch: Watch, waiter: Waiter): void {
    this.timers.clearTimeout(waiter.timer);
    watch.waiters.delete(waiter);
    this.waiting -= 1;
  }

  private forget(watch: Watch): void {
    this.timers.clearTimeout(watch.timer);
    const key = keyOf(watch.request);
    // The last look of a watch that everybody left may come back when the next one is there already.
    if (this.watches.get(key) === watch) this.watches.delete(key);
  }
}

/** A claim without a lease left is not there: it was given back, and the one who waits may claim it. */
function isRunning(answer: PeekAnswer): boolean {
  return answer.status === 'inflight' && answer.leaseLeftMs > 0;
}

function keyOf({ claimId, fingerprint }: OutcomeRequest): string {
  return `${claimId}.${fingerprint}`;
}
