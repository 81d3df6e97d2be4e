/**
 * One call on one worker: sends it, passes its notices on, ends with its reply, a deadline or a lost connection. Sends
 * it again elsewhere only when the worker said that it did not start (LB-3).
 */
import { RoundhouseError } from '@roundhouse/errors';
import {
  callItemSchema,
  type CallItem,
  type CallNotice,
  type CallReply,
  type CallRequest,
} from '@roundhouse/contracts';
import type { WritePacket } from '@nestjs/microservices';
import { principalName } from '../access/principal-name.js';
import type { Endpoint } from './endpoint.js';
import type { Wanted, WorkerGroup } from './worker-group.js';

/** Endpoints asked in turn when each says that it takes nothing new. */
const ATTEMPTS_MAX = 3;
/** How a worker that runs as much as it may words its refusal to begin; an older router takes it for a drain. */
const BUSY = 'busy';

export interface CallTarget extends Wanted {
  readonly group: WorkerGroup;
}

const nothing = (): void => {};

export type OnNotice = (notice: CallNotice) => void;

/**
 * A call under way. `reply` rejects with `worker_unavailable` or `overloaded` when no worker began it; with `worker_lost`,
 * `deadline_exceeded` or `worker_failed` when one may have.
 */
export class WorkerCall {
  readonly reply: Promise<CallReply>;
  /** From when it was last sent to when it ended; 0 before. */
  elapsedMs = 0;
  /** How it ended, one or the other. */
  answered: CallReply | undefined = undefined;
  failure: RoundhouseError | undefined = undefined;
  private resolve!: (reply: CallReply) => void;
  private reject!: (error: RoundhouseError) => void;
  private endpoint: Endpoint | undefined;
  private forget: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private tried: Set<Endpoint> | undefined;
  private attempts = 0;
  private leaveQueue: (() => void) | undefined;
  private startedMs = 0;
  private settled = false;

  constructor(
    private readonly target: CallTarget,
    private readonly request: CallRequest,
    private readonly onNotice: OnNotice,
  ) {
    this.reply = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => this.onDeadline(), request.deadlineMs);
    this.send();
  }

  /** `host:port` of the worker that runs the call. */
  get endpointName(): string | undefined {
    return this.endpoint?.name;
  }

  /** What the replica that runs the call offers: the flow goes on among its equals (DSC-4). */
  get catalogueHash(): string {
    return this.endpoint?.catalogue?.hash ?? '';
  }

  /** The caller is gone: the worker is told to stop, and nothing more is passed on. */
  cancel(): void {
    if (this.settled) return;
    this.endpoint?.cancel(this.request.callId);
    // A call that still waits was never begun, and nothing is unknown about it.
    this.fail(new RoundhouseError(this.leaveQueue ? 'overloaded' : 'internal', { reason: 'client_gone' }));
  }

  private send(): void {
    try {
      const endpoint = this.target.group.choose(this.target, this.tried);
      if (endpoint === undefined) this.wait();
      else this.sendTo(endpoint, this.request);
    } catch (error) {
      this.fail(RoundhouseError.from(error));
    }
  }

  private wait(): void {
    const sinceMs = performance.now();
    this.endpoint = undefined;
    const leave = this.target.group.wait({
      lane: principalName(this.request.principal),
      begin: () => this.beginAfter(performance.now() - sinceMs),
      refuse: (error) => this.fail(error),
    });
    if (!this.settled) this.leaveQueue = leave;
  }

  /** False when there is no room after all. */
  private beginAfter(waitedMs: number): boolean {
    try {
      const endpoint = this.target.group.chooseNow(this.target, this.tried);
      if (endpoint === undefined) return false;
      this.leaveQueue = undefined;
      const deadlineMs = Math.max(1, Math.round(this.request.deadlineMs - waitedMs));
      this.sendTo(endpoint, { ...this.request, deadlineMs });
    } catch (error) {
      this.leaveQueue = undefined;
      this.fail(RoundhouseError.from(error));
    }
    return true;
  }

  private sendTo(endpoint: Endpoint, request: CallRequest): void {
    this.endpoint = endpoint;
    this.startedMs = performance.now();
    endpoint.inFlight += 1;
    // `open` reports a connection that is already gone before it returns.
    this.forget = nothing;
    const forget = endpoint.open(request, (packet) => this.onPacket(endpoint, packet));
    if (!this.settled) this.forget = forget;
  }

  private onPacket(endpoint: Endpoint, { err, response, isDisposed }: WritePacket): void {
    if (this.settled || endpoint !== this.endpoint) return;
    if (err !== undefined) this.onLost(endpoint, err);
    else if (response !== undefined) this.onItem(endpoint, response);
    // Still unsettled at the end of the stream: the worker never gave a reply.
    if (isDisposed && !this.settled && endpoint === this.endpoint) this.onNonsense(endpoint);
  }

  private onItem(endpoint: Endpoint, response: unknown): void {
    const parsed = callItemSchema.safeParse(response);
    if (!parsed.success) {
      this.onNonsense(endpoint);
      return;
    }
    const item: CallItem = parsed.data;
    if (item.kind === 'progress' || item.kind === 'log' || item.kind === 'close_stream') this.onNotice(item);
    else if (item.kind === 'error' && item.code === 'draining') this.sendElsewhere(endpoint, item.message === BUSY);
    else this.succeed(endpoint, item);
  }

  /** It did not begin. A worker that is full may be waited for, save where nothing of ours runs on it that could end. */
  private sendElsewhere(endpoint: Endpoint, isBusy: boolean): void {
    if (isBusy) endpoint.limit.turnedAway(endpoint.inFlight);
    const mayWait = isBusy && endpoint.inFlight > 1;
    this.attempts += 1;
    if (!mayWait) this.tried = (this.tried ?? new Set()).add(endpoint);
    this.release();
    if (this.target.owner !== undefined || this.attempts >= ATTEMPTS_MAX) {
      this.fail(new RoundhouseError('worker_unavailable', { reason: 'worker_all_aside', retryAfterS: 1 }));
    } else {
      this.send();
    }
  }

  private succeed(endpoint: Endpoint, reply: CallReply): void {
    const nowMs = performance.now();
    endpoint.health.recordSuccess(nowMs - this.startedMs, nowMs);
    endpoint.limit.succeeded(endpoint.inFlight);
    this.answered = reply;
    this.end(nowMs);
    this.resolve(reply);
  }

  private onNonsense(endpoint: Endpoint): void {
    endpoint.health.recordFailure(performance.now());
    endpoint.cancel(this.request.callId);
    this.fail(
      new RoundhouseError('worker_failed', { reason: 'worker_reply_malformed', facts: { endpoint: endpoint.name } }),
    );
  }

  private onLost(endpoint: Endpoint, cause: unknown): void {
    endpoint.health.recordFailure(performance.now());
    this.fail(
      new RoundhouseError('worker_lost', {
        reason: 'worker_connection_lost',
        facts: { endpoint: endpoint.name },
        cause,
      }),
    );
  }

  private onDeadline(): void {
    const endpoint = this.endpoint;
    if (this.leaveQueue !== undefined)
      return this.fail(new RoundhouseError('overloaded', { reason: 'queue_too_slow', retryAfterS: 1 }));
    endpoint?.cancel(this.request.callId);
    endpoint?.health.recordFailure(performance.now());
    endpoint?.limit.tookTooLong();
    this.fail(
      new RoundhouseError('deadline_exceeded', { reason: 'limit_reached', facts: { endpoint: endpoint?.name } }),
    );
  }

  private fail(error: RoundhouseError): void {
    if (this.settled) return;
    this.failure = error;
    this.end(performance.now());
    this.reject(error);
  }

  private end(nowMs: number): void {
    this.settled = true;
    this.elapsedMs = nowMs - this.startedMs;
    clearTimeout(this.timer);
    this.leaveQueue?.();
    this.leaveQueue = undefined;
    this.release();
  }

  private release(): void {
    if (this.forget === undefined || this.endpoint === undefined) return;
    this.endpoint.inFlight -= 1;
    this.forget();
    this.forget = undefined;
    this.target.group.freed();
  }
}
