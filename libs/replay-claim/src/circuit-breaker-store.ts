/**
 * Stops asking a store that does not answer: after a few failures in a row calls fail at once, and one at a time tries
 * whether the store is back (REP-10). So an outage costs each caller nothing, and a store that comes back is not met by
 * all that have waited. Wraps any store; knows no reason to refuse but failures.
 */
import type {
  ClaimAnswer,
  ClaimRequest,
  HoldRequest,
  OnceRequest,
  ReleaseRequest,
  SettleRequest,
} from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import type { ClaimStore, PeekAnswer } from './claim-store.js';

/** Failures in a row that no healthy store has. */
export const BREAKER_FAILURES_MAX = 5;
/** Time between two tries of a store that failed: the length of a stumble, a part of a failover. */
export const BREAKER_PAUSE_MS = 500;

/** What a store that is there and well never answers. An unsafe or full one is asked on: its answer is an answer. */
const FAILURES: ReadonlySet<string> = new Set(['replay_timed_out', 'replay_store_failed']);

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface CircuitBreakerOptions {
  readonly failuresMax?: number;
  readonly pauseMs?: number;
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
  readonly onChange?: (state: BreakerState) => void;
}

export class CircuitBreakerStore implements ClaimStore {
  private state: BreakerState = 'closed';
  private failures = 0;
  private nextTryMs = 0;
  private readonly failuresMax: number;
  private readonly pauseMs: number;
  private readonly now: () => number;

  constructor(
    private readonly store: ClaimStore,
    private readonly options: CircuitBreakerOptions = {},
  ) {
    this.failuresMax = options.failuresMax ?? BREAKER_FAILURES_MAX;
    this.pauseMs = options.pauseMs ?? BREAKER_PAUSE_MS;
    this.now = options.now ?? (() => performance.now());
  }

  get isReachable(): boolean {
    return this.store.isReachable;
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.guard(() => this.store.claim(request));
  }

  settle(request: SettleRequest): Promise<boolean> {
    return this.guard(() => this.store.settle(request));
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.guard(() => this.store.release(request));
  }

  peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    return this.guard(() => this.store.peek(claimId, fingerprint));
  }

  epochs(): Promise<readonly string[]> {
    return this.guard(() => this.store.epochs());
  }

  hold(request: HoldRequest): Promise<void> {
    return this.guard(() => this.store.hold(request));
  }

  recall(handle: string): Promise<string | undefined> {
    return this.guard(() => this.store.recall(handle));
  }

  once(request: OnceRequest): Promise<boolean> {
    return this.guard(() => this.store.once(request));
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async guard<T>(ask: () => Promise<T>): Promise<T> {
    const isTry = this.enter();
    try {
      const answer = await ask();
      this.answered(isTry);
      return answer;
    } catch (error) {
      if (isFailure(error)) this.failed(isTry);
      else this.answered(isTry);
      throw error;
    }
  }

  /** Whether this call is the one that tries; throws when it may not ask. */
  private enter(): boolean {
    if (this.state === 'closed') return false;
    if (this.state === 'open' && this.now() >= this.nextTryMs) {
      this.turn('half-open');
      return true;
    }
    throw new RoundhouseError('replay_unavailable', { reason: 'replay_circuit_open' });
  }

  /** What was asked before the circuit opened proves nothing about the store as it is now. */
  private answered(isTry: boolean): void {
    if (!isTry && this.state !== 'closed') return;
    this.failures = 0;
    this.turn('closed');
  }

  private failed(isTry: boolean): void {
    if (!isTry && this.state !== 'closed') return;
    this.failures += 1;
    if (!isTry && this.failures < this.failuresMax) return;
    this.nextTryMs = this.now() + this.pauseMs;
    this.turn('open');
  }

  private turn(state: BreakerState): void {
    if (this.state === state) return;
    this.state = state;
    this.options.onChange?.(state);
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof RoundhouseError && error.code === 'replay_unavailable' && FAILURES.has(error.reason);
}
