/**
 * Runs calls: finds what is called, bounds how many run at once, and makes a stream of notices that ends with exactly
 * one reply. A reply that is there at once is sent at once.
 */
import { Logger } from '@nestjs/common';
import { Observable, of, type Subscriber } from 'rxjs';
import type { CallItem, CallReply, CallRequest } from '@roundhouse/contracts';
import { endCallSpan, startCallSpan, underCallSpan } from './call-span.js';
import type { Connection } from './connections.js';
import type { Endpoint } from './endpoint.js';
import type { WorkerLimits } from './limits.js';
import type { Registry } from './registry.js';
import { Run, failed } from './run.js';
import type { WorkerDrain } from './worker-drain.js';
import type { WorkerMeasures } from './worker-measures.js';

const DRAINING: CallReply = { kind: 'error', code: 'draining', message: 'draining' };
const BUSY: CallReply = { kind: 'error', code: 'draining', message: 'busy' };
const UNKNOWN: CallReply = { kind: 'error', code: 'unknown_target', message: 'Unknown target' };
const NO_RESOURCE: CallReply = { kind: 'error', code: 'resource_not_found', message: 'Resource not found' };
const CANCELLED: CallReply = { kind: 'error', code: 'cancelled', message: 'cancelled' };
const MALFORMED: CallReply = { kind: 'error', code: 'failed', message: 'The call is malformed' };

const logger = new Logger('WorkerKit');

export interface RunnerParts {
  readonly registry: Registry;
  readonly drain: WorkerDrain;
  readonly limits: WorkerLimits;
  readonly measures: WorkerMeasures;
}

export class CallRunner {
  constructor(private readonly parts: RunnerParts) {}

  call(request: CallRequest, connection: Connection): Observable<CallItem> {
    const refusal = this.refusal(request);
    if (refusal !== undefined) return of(refusal);
    const endpoint = this.parts.registry.find(request);
    if (endpoint === undefined) return of(request.method === 'resources/read' ? NO_RESOURCE : UNKNOWN);
    return new Observable((subscriber) => this.start(endpoint, { request, connection, subscriber }));
  }

  private refusal(request: CallRequest): CallReply | undefined {
    const { drain, limits } = this.parts;
    if (typeof request?.callId !== 'string' || typeof request.target !== 'string') return MALFORMED;
    if (drain.isDraining) return DRAINING;
    return drain.runningCalls >= limits.callsMax ? BUSY : undefined;
  }

  private start(endpoint: Endpoint, { request, connection, subscriber }: Started): void {
    const { drain, limits } = this.parts;
    const run = new Run(request, {
      limits,
      open: endpoint.answers === 'open',
      send: (notice) => subscriber.next(notice),
    });
    const startedMs = performance.now();
    const measure = (ended: CallReply): void => {
      const tookMs = performance.now() - startedMs;
      this.parts.measures.ended(request, { reply: ended, tookMs, cancelled: run.cancelled });
    };
    drain.callBegan();
    const span = startCallSpan(request);
    const reply = underCallSpan(span, () => invokeSafely(endpoint, run));
    if (!(reply instanceof Promise)) {
      drain.callEnded();
      if (span !== undefined) endCallSpan(span, reply);
      measure(reply);
      return finish(subscriber, run, reply);
    }
    const call = connection.add(request.callId, () => cancel(subscriber, run));
    if (connection.isClosed) call.cancel();
    void reply.then((settled) => {
      drain.callEnded();
      if (span !== undefined) endCallSpan(span, run.cancelled ? CANCELLED : settled);
      measure(settled);
      connection.remove(call);
      finish(subscriber, run, settled);
    });
  }
}

interface Started {
  readonly request: CallRequest;
  readonly connection: Connection;
  readonly subscriber: Subscriber<CallItem>;
}

function finish(subscriber: Subscriber<CallItem>, run: Run, reply: CallReply): void {
  if (subscriber.closed) return;
  run.notices.close();
  subscriber.next(reply);
  subscriber.complete();
}

/** The reply goes out at once; what the method still does is its own, and is counted until it ends. */
function cancel(subscriber: Subscriber<CallItem>, run: Run): void {
  run.cancel();
  finish(subscriber, run, CANCELLED);
}

/** An author's schema may throw where it should refuse; that must cost this call only. */
function invokeSafely(endpoint: Endpoint, run: Run): CallReply | Promise<CallReply> {
  try {
    return endpoint.invoke(run);
  } catch (thrown) {
    logger.error(
      `The check of ${run.request.target.slice(0, 128)} threw`,
      thrown instanceof Error ? thrown.stack : undefined,
    );
    return failed('The check of the arguments threw');
  }
}
