/** Serves completion/complete: one question to the worker that owns the prompt or template, no rounds (D-01). */
import type { Span } from '@opentelemetry/api';
import type { CallReply } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { isJsonObject } from '@roundhouse/protocol';
import { carrierOf } from '@roundhouse/telemetry';
import type { CallGate } from '../access/call-gate.js';
import type { Auditor } from '../audit/auditor.js';
import type { Route } from '../catalogue/route.js';
import { catalogueOffers, type CatalogueSnapshot } from '../catalogue/snapshot.js';
import { WorkerCall } from '../dispatch/worker-call.js';
import type { Exchange } from '../intake/exchange.js';
import type { InFlight } from '../intake/in-flight.js';
import { endWorkerSpan, startWorkerSpan } from './exchange-span.js';
import { completeResult } from './result-text.js';
import { workerError } from './worker-error.js';

/** Somebody is typing: later answers are of no use. */
const COMPLETION_TIMEOUT_MS = 5_000;

export interface CompletionParts {
  readonly snapshot: CatalogueSnapshot;
  readonly inFlight: InFlight;
  readonly gate: CallGate;
  /** The exchange's own. */
  readonly span: Span;
  readonly auditor: Pick<Auditor, 'served'>;
}

export async function serveCompletion(
  exchange: Exchange,
  { snapshot, inFlight, gate, auditor, span }: CompletionParts,
): Promise<void> {
  const route = assertReference(exchange, snapshot);
  gate.assert(exchange.access, route, undefined);
  auditor.served(exchange, route);
  const leave = inFlight.enter(exchange.reply);
  const workerSpan = startWorkerSpan(exchange, route, { span });
  try {
    const call = new WorkerCall(
      { group: route.group, offers: (catalogue) => catalogueOffers(catalogue, route) },
      {
        callId: inFlight.nextCallId(),
        method: 'completion/complete',
        target: route.ownName,
        revision: exchange.envelope.protocolVersion,
        clientCapabilities: exchange.envelope.clientCapabilities,
        principal: exchange.principal,
        deadlineMs: COMPLETION_TIMEOUT_MS,
        wantsProgress: false,
        trace: carrierOf(workerSpan, exchange.trace.baggage),
        flowId: '',
        round: 1,
        body: completionBody(exchange, route),
      },
      () => undefined,
    );
    exchange.reply.cancelWhenGone = exchange.observed.call = call;
    const reply = await replyOf(call, workerSpan);
    if (reply.kind === 'error') throw workerError(exchange, route, reply);
    if (reply.kind !== 'complete') throw new RoundhouseError('worker_failed', { reason: 'worker_reply_malformed' });
    exchange.reply.succeed(exchange.id, completeResult('completion/complete', reply, false));
  } finally {
    leave();
  }
}

async function replyOf(call: WorkerCall, span: Span): Promise<CallReply> {
  try {
    const reply = await call.reply;
    endWorkerSpan(span, call.endpointName, reply);
    return reply;
  } catch (thrown) {
    endWorkerSpan(span, call.endpointName, RoundhouseError.from(thrown));
    throw thrown;
  }
}

function assertReference({ params }: Exchange, snapshot: CatalogueSnapshot): Route {
  const { ref, argument } = params;
  if (!isJsonObject(ref)) throw invalid('ref must be an object');
  if (!isJsonObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    throw invalid('argument must have a name and a value');
  }
  if (ref['type'] === 'ref/prompt') {
    const route = snapshot.prompt(ref['name']);
    if (route === undefined) throw new RoundhouseError('unknown_prompt', { detail: String(ref['name']) });
    return route;
  }
  if (ref['type'] !== 'ref/resource') throw invalid('ref.type must be ref/prompt or ref/resource');
  const route = snapshot.template(ref['uri']) ?? snapshot.resource(ref['uri']);
  if (route === undefined) throw new RoundhouseError('resource_not_found', { data: { uri: ref['uri'] } });
  return route;
}

/** `params` as the worker knows them: the reference in its own names, what else a client may have added left out. */
function completionBody({ params }: Exchange, { kind, ownName }: Route): string {
  const ref = kind === 'prompts' ? { type: 'ref/prompt', name: ownName } : { type: 'ref/resource', uri: ownName };
  return JSON.stringify({ ref, argument: params['argument'], context: params['context'] });
}

function invalid(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_params', { detail });
}
