/**
 * Calls of one group for which no worker has room now. They wait in turns by principal, twice as many as the workers run
 * at once and no longer than a second, and are then refused, before a byte of them reached a worker (BP-1). While nobody
 * waits, this costs a call one comparison.
 */
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { FairQueue } from './fair-queue.js';

/** Longer than that, and the caller has given up or sent it again. */
export const WAIT_MS_MAX = 1_000;
/** Waiting calls for each that the workers run. */
const WAITING_SHARE = 2;
/** While replicas differ, the one that has room may not serve the next in turn: so many others are asked. */
const TRIES_MAX = 8;

export interface WaitingCall {
  /** Who takes turns. */
  readonly lane: string;
  /** Begins when a worker has room; false when none has. */
  begin(): boolean;
  refuse(error: RoundhouseError): void;
}

export interface WaitClock {
  readonly setTimeout: (run: () => void, delayMs: number) => unknown;
  readonly clearTimeout: (timer: never) => void;
}

const REAL: WaitClock = { setTimeout, clearTimeout: (timer: NodeJS.Timeout) => clearTimeout(timer) };

interface Place {
  readonly call: WaitingCall;
  timer: unknown;
}

export class WaitingCalls {
  private readonly queue = new FairQueue<Place>();
  private isServing = false;

  constructor(private readonly clock: WaitClock = REAL) {}

  get size(): number {
    return this.queue.size;
  }

  /** The function that comes back takes it out again. It may be refused before that returns. */
  add(call: WaitingCall, runningMax: number): () => void {
    const place: Place = { call, timer: undefined };
    const displaced = this.queue.push(call.lane, place, runningMax * WAITING_SHARE);
    if (displaced !== undefined) this.refuse(displaced, 'queue_full');
    if (displaced === place) return () => undefined;
    place.timer = this.clock.setTimeout(() => {
      this.leave(place);
      this.refuse(place, 'queue_too_slow');
    }, WAIT_MS_MAX);
    return () => this.leave(place);
  }

  /** A worker has room again. */
  serve(): void {
    // A call that begins may fail at once, which is room again.
    if (this.isServing) return;
    this.isServing = true;
    try {
      this.queue.serve((place) => {
        if (!place.call.begin()) return false;
        this.clock.clearTimeout(place.timer as never);
        return true;
      }, TRIES_MAX);
    } finally {
      this.isServing = false;
    }
  }

  private leave(place: Place): void {
    this.clock.clearTimeout(place.timer as never);
    this.queue.remove(place.call.lane, place);
  }

  private refuse({ call, timer }: Place, reason: Reason): void {
    this.clock.clearTimeout(timer as never);
    call.refuse(new RoundhouseError('overloaded', { reason, retryAfterS: 1 }));
  }
}
