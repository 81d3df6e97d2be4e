/** A store whose every operation is measured. Stands inside the circuit breaker: what that refuses was never asked. */
import type {
  ClaimAnswer,
  ClaimRequest,
  HoldRequest,
  OnceRequest,
  ReleaseRequest,
  SettleRequest,
} from '@roundhouse/contracts';
import type { ClaimStore, PeekAnswer } from '@roundhouse/replay-claim';
import type { StoreMeasures } from './store-measures.js';

export class MeasuredStore implements ClaimStore {
  constructor(
    private readonly store: ClaimStore,
    private readonly measures: StoreMeasures,
  ) {}

  get isReachable(): boolean {
    return this.store.isReachable;
  }

  claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return this.measures.measure('claim', () => this.store.claim(request));
  }

  settle(request: SettleRequest): Promise<boolean> {
    return this.measures.measure('settle', () => this.store.settle(request));
  }

  release(request: ReleaseRequest): Promise<boolean> {
    return this.measures.measure('release', () => this.store.release(request));
  }

  peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    return this.measures.measure('peek', () => this.store.peek(claimId, fingerprint));
  }

  epochs(): Promise<readonly string[]> {
    return this.measures.measure('epochs', () => this.store.epochs());
  }

  hold(request: HoldRequest): Promise<void> {
    return this.measures.measure('hold', () => this.store.hold(request));
  }

  recall(handle: string): Promise<string | undefined> {
    return this.measures.measure('recall', () => this.store.recall(handle));
  }

  once(request: OnceRequest): Promise<boolean> {
    return this.measures.measure('once', () => this.store.once(request));
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
