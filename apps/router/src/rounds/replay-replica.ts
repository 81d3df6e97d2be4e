/** One replica of the replay service: whether it may be asked now. Keeps itself connected when it is told to, a try at a time. */
import type { RpcClient } from '@roundhouse/service-kit';

/** Between two tries to connect to a replica that is away. */
const RECONNECT_PAUSE_MS = 500;
/** For which one that was silent is passed over: then a single question tells whether it answers again. */
const SET_ASIDE_MS = 5_000;

export interface ReplicaOptions {
  readonly reconnectPauseMs?: number;
  readonly setAsideMs?: number;
}

export class ReplayReplica {
  private nextTryMs = 0;
  /** Zero: it was not silent. */
  private asideUntilMs = 0;

  constructor(
    readonly client: RpcClient,
    private readonly options: ReplicaOptions = {},
  ) {}

  get isConnected(): boolean {
    return this.client.isConnected;
  }

  /** Whether a question may go there. One that was silent is asked a single one when its time is over. */
  mayBeAsked(): boolean {
    if (this.asideUntilMs === 0) return true;
    if (performance.now() < this.asideUntilMs) return false;
    this.wasSilent();
    return true;
  }

  answered(): void {
    this.asideUntilMs = 0;
  }

  /** It is connected and does not answer: whoever asks next shall not wait for it as well. */
  wasSilent(): void {
    this.asideUntilMs = performance.now() + (this.options.setAsideMs ?? SET_ASIDE_MS);
  }

  connect(): void {
    const nowMs = performance.now();
    if (this.isConnected || nowMs < this.nextTryMs) return;
    this.nextTryMs = nowMs + (this.options.reconnectPauseMs ?? RECONNECT_PAUSE_MS);
    // That it is away is heard by whoever asks it.
    this.client.ready().catch(() => undefined);
  }
}
