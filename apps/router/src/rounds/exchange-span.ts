/**
 * The span of one exchange: parent from the client if it sent one, links to the rounds before it if this is a later one
 * (OBS-1, OBS-2, OBS-6). Names and attributes stay bounded: only targets of the live catalogue appear.
 */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';
import type { RoundhouseError } from '@roundhouse/errors';
import { ATTRIBUTE, TRACER_NAME, roundLinks, spanName, type RoundTrace } from '@roundhouse/telemetry';
import type { Route } from '../catalogue/route.js';
import type { Exchange } from '../intake/exchange.js';
import type { Flow } from './flow-sealer.js';

const tracer = trace.getTracer(TRACER_NAME);

/** Codes that blame the caller's own request are not errors of the span (OBS-3). */
const CLIENT_CODES = new Set([-32700, -32600, -32601, -32602]);

export function startExchangeSpan(exchange: Exchange, route: Route | undefined, flow: Flow | undefined): Span {
  const links = roundLinks(flow?.claims?.trace as RoundTrace | undefined);
  const span = tracer.startSpan(
    nameOf(exchange, route),
    { kind: SpanKind.SERVER, links },
    exchange.parent ?? ROOT_CONTEXT,
  );
  if (span.isRecording()) span.setAttributes({ ...callAttributes(exchange, route), ...flowAttributes(flow) });
  return span;
}

export function startWorkerSpan(exchange: Exchange, route: Route, parent: Span): Span {
  if (!parent.isRecording()) return parent;
  const attributes = { ...callAttributes(exchange, route), [ATTRIBUTE.group]: route.group.id };
  return tracer.startSpan(
    nameOf(exchange, route),
    { kind: SpanKind.CLIENT, attributes },
    trace.setSpan(ROOT_CONTEXT, parent),
  );
}

/** `endpoint` is the `host:port` that ran the call; undefined when none began it. */
export function endWorkerSpan(span: Span, endpoint: string | undefined, error?: RoundhouseError): void {
  if (endpoint !== undefined) span.setAttribute(ATTRIBUTE.serverAddress, endpoint);
  if (error === undefined) span.end();
  else endWithError(span, error);
}

export function endWithError(span: Span, error: RoundhouseError): void {
  const code = error.row.rpcCode;
  span.setAttribute(ATTRIBUTE.statusCode, String(code));
  if (!CLIENT_CODES.has(code)) {
    span.setAttribute(ATTRIBUTE.errorType, String(code));
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.code });
  }
  span.end();
}

function nameOf(exchange: Exchange, route: Route | undefined): string {
  const named = route?.kind === 'tools' || route?.kind === 'prompts';
  return spanName(exchange.method, named ? route.publicName : undefined);
}

function callAttributes(exchange: Exchange, route: Route | undefined): Attributes {
  const { method, envelope, id, params } = exchange;
  return {
    [ATTRIBUTE.method]: method,
    [ATTRIBUTE.protocolVersion]: exchange.spokenRevision ?? envelope.protocolVersion,
    [ATTRIBUTE.requestId]: String(id),
    ...(route?.kind === 'tools' && {
      [ATTRIBUTE.toolName]: route.publicName,
      [ATTRIBUTE.operationName]: 'execute_tool',
    }),
    ...(route?.kind === 'prompts' && { [ATTRIBUTE.promptName]: route.publicName }),
    ...(method === 'resources/read' && { [ATTRIBUTE.resourceUri]: String(params['uri']) }),
  };
}

function flowAttributes(flow: Flow | undefined): Attributes {
  if (flow === undefined) return {};
  const { flowId, round, claims } = flow;
  return {
    [ATTRIBUTE.flowId]: flowId,
    [ATTRIBUTE.round]: round,
    ...(claims && { [ATTRIBUTE.thinkTimeMs]: Math.max(0, Date.now() - claims.issuedAtMs) }),
  };
}
