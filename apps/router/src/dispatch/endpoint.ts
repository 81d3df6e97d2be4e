/**
 * One replica of a worker group: its connection, what it offers, and how it has been doing. Reconnects for ever with
 * growing pauses; a lost connection is noticed at once because `watch` is always open on it.
 */
import {
  PATTERN,
  catalogueSchema,
  watchItemSchema,
  type CallRequest,
  type WatchItem,
  type WorkerCatalogue,
} from '@roundhouse/contracts';
import type { OnPacket, RpcClient } from '@roundhouse/service-kit';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { EndpointHealth } from './endpoint-health.js';

/** A worker that cannot describe itself within this time is not taken into service. */
const DESCRIBE_TIMEOUT_MS = 5_000;
const RECONNECT_FIRST_MS = 100;
const RECONNECT_MAX_MS = 2_000;
export type EndpointState = 'connecting' | 'ready' | 'draining' | 'closed';

export interface EndpointEvents {
  /** `again`: after its connection was lost, so that changes may have been missed. */
  described(endpoint: Endpoint, again: boolean): void;
  changed(endpoint: Endpoint, item: WatchItem): void;
  lost(endpoint: Endpoint, error: unknown): void;
}

export class Endpoint {
  state: EndpointState = 'connecting';
  catalogue: WorkerCatalogue | undefined;
  inFlight = 0;
  readonly health = new EndpointHealth();
  readonly limit = new ConcurrencyLimit();
  private attempts = 0;
  private retryTimer: NodeJS.Timeout | undefined;
  private isLost = false;
  private wasLost = false;

  constructor(
    private readonly client: RpcClient,
    private readonly events: EndpointEvents,
    private readonly random: () => number = Math.random,
  ) {}

  get name(): string {
    return this.client.address;
  }

  /** The lower, the sooner a call ends here: in-flight calls times recent latency. */
  cost(nowMs: number): number {
    return (this.inFlight + 1) * this.health.latencyMs(nowMs);
  }

  start(): void {
    void this.connect();
  }

  open(request: CallRequest, onPacket: OnPacket): () => void {
    return this.client.open(PATTERN.call, request, onPacket);
  }

  cancel(callId: string): void {
    this.client.notify(PATTERN.cancel, { callId });
  }

  close(): void {
    this.state = 'closed';
    clearTimeout(this.retryTimer);
    this.client.close();
  }

  private async connect(): Promise<void> {
    try {
      await this.client.ready();
      await this.describe();
      if (this.isClosed()) return;
      this.watch();
      this.attempts = 0;
      this.health.reset();
      this.state = 'ready';
      this.events.described(this, this.wasLost);
      this.wasLost = false;
    } catch (error) {
      this.lose(error);
    }
  }

  private async describe(): Promise<void> {
    this.catalogue = catalogueSchema.parse(await this.client.ask(PATTERN.describe, {}, DESCRIBE_TIMEOUT_MS));
    this.limit.tell(this.catalogue.callsMax);
  }

  private watch(): void {
    this.client.open(PATTERN.watch, {}, ({ err, response, isDisposed }) => {
      if (response !== undefined) this.onWatchItem(response);
      if (err !== undefined || isDisposed) this.lose(err ?? new Error('the worker ended its watch'));
    });
  }

  private onWatchItem(response: unknown): void {
    const item = watchItemSchema.safeParse(response);
    if (!item.success || this.isClosed()) return;
    if (item.data.kind === 'draining') this.state = 'draining';
    if (item.data.kind === 'catalogue' && item.data.hash !== this.catalogue?.hash) void this.redescribe();
    else this.events.changed(this, item.data);
  }

  private async redescribe(): Promise<void> {
    try {
      await this.describe();
      if (!this.isClosed()) this.events.described(this, false);
    } catch (error) {
      this.lose(error);
    }
  }

  private lose(error: unknown): void {
    // Closing the client ends `watch`, which reports the loss again.
    if (this.isClosed() || this.isLost) return;
    this.isLost = true;
    this.wasLost = this.catalogue !== undefined;
    this.state = 'connecting';
    this.client.close();
    // Said once per loss; the attempts that follow are not news.
    if (this.attempts === 0) this.events.lost(this, error);
    const pauseMs = Math.min(RECONNECT_MAX_MS, RECONNECT_FIRST_MS * 2 ** this.attempts) * (0.5 + this.random() / 2);
    this.attempts += 1;
    this.retryTimer = setTimeout(() => {
      this.isLost = false;
      void this.connect();
    }, pauseMs);
    this.retryTimer.unref();
  }

  /** Read through a method: the state can change across an await, which narrowing would hide. */
  private isClosed(): boolean {
    return this.state === 'closed';
  }
}
