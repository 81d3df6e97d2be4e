/**
 * The span of one exchange: parent from the client if it sent one, links to the rounds before it if this is a later one
 * (OBS-1, OBS-2, OBS-4, OBS-6). Names and attributes stay bounded: only targets of the live catalogue appear. What is not
 * recorded costs no attributes, and no span either where its trace begins here.
 */
import {
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Link,
  type Span,
} from '@opentelemetry/api';
import type { CallReply } from '@roundhouse/contracts';
import type { RoundhouseError } from '@roundhouse/errors';
import {
  ATTRIBUTE,
  LINK_KIND,
  TOOL_ERROR,
  TRACER_NAME,
  followingLinks,
  rootContext,
  roundLinks,
  spanName,
  type RoundTrace,
} from '@roundhouse/telemetry';
import type { Route } from '../catalogue/route.js';
import type { Exchange } from '../intake/exchange.js';
import type { Flow } from './flow-sealer.js';
import { endHttpSpan, networkAttributes, startHttpSpan } from './http-span.js';
import type { Traced } from './replay-span.js';

const tracer = trace.getTracer(TRACER_NAME);

/** Codes that blame the caller's own request are not errors of the span (OBS-3). */
const CLIENT_CODES = new Set([-32700, -32600, -32601, -32602, -32002]);

export function startExchangeSpan(exchange: Exchange, route: Route | undefined, flow: Flow | undefined): Span {
  const claims = flow?.claims;
  const links = roundLinks(claims?.trace as RoundTrace | undefined, claims?.rpcIds);
  const name = nameOf(exchange, route);
  const span =
    exchange.trace.parent === undefined
      ? startUnderHttp(exchange, name, links)
      : startUnderClient(exchange, name, links);
  exchange.span = span;
  if (span.isRecording()) {
    span.setAttributes({
      ...callAttributes(exchange, route),
      ...networkAttributes(exchange.request),
      ...flowAttributes(flow),
    });
  }
  return span;
}

/** Stands for a span where a trace begins that is not recorded: nobody could look it up by an id. */
const UNRECORDED = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Where the HTTP span is not recorded the exchange's would not be either, and its context does for both. */
function startUnderHttp(exchange: Exchange, name: string, links: Link[]): Span {
  const { request, arrivedMs } = exchange;
  const { ambient } = exchange.trace;
  const context = ambient === undefined ? rootContext(links) : followingLinks(ambient, links);
  if (context === undefined) return UNRECORDED;
  const http = startHttpSpan(request, arrivedMs, context);
  if (!http.isRecording()) return http;
  exchange.httpSpan = http;
  return tracer.startSpan(name, { kind: SpanKind.SERVER, links }, trace.setSpan(ROOT_CONTEXT, http));
}

/** The HTTP span is in another trace, or elsewhere in this one: linked to, and recorded because this one is. */
function startUnderClient(exchange: Exchange, name: string, links: Link[]): Span {
  const { request, arrivedMs, trace: incoming } = exchange;
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, links }, incoming.parent ?? ROOT_CONTEXT);
  if (!span.isRecording()) return span;
  const own = { context: span.spanContext() };
  const http = startHttpSpan(request, arrivedMs, followingLinks(incoming.ambient ?? ROOT_CONTEXT, [own]));
  if (!http.isRecording()) return span;
  exchange.httpSpan = http;
  return span.addLink({ context: http.spanContext(), attributes: { [ATTRIBUTE.linkKind]: LINK_KIND.ambientHttp } });
}

/** `error` is what the caller is told. */
export function endExchangeSpan(span: Span, { httpSpan, reply }: Exchange, error?: RoundhouseError): void {
  if (!span.isRecording()) return;
  if (error !== undefined) noteError(span, error);
  span.end();
  // The status is frozen once a stream has begun.
  if (httpSpan !== undefined)
    endHttpSpan(httpSpan, error === undefined || reply.isStream ? 200 : error.row.status, error);
}

/** What kind of success a round was: a question, or a tool that says it failed (OBS-3). */
export function noteReply(span: Span, kind: 'input_required' | typeof TOOL_ERROR): void {
  if (kind === TOOL_ERROR) noteToolError(span);
  else span.setAttribute(ATTRIBUTE.resultType, kind);
}

export function startWorkerSpan(exchange: Exchange, route: Route, { span: parent, flow }: Traced): Span {
  if (!parent.isRecording()) return parent;
  const attributes = {
    ...callAttributes(exchange, route),
    [ATTRIBUTE.networkTransport]: 'tcp',
    ...(flow && { [ATTRIBUTE.flowId]: flow.flowId }),
    [ATTRIBUTE.group]: route.group.id,
  };
  return tracer.startSpan(
    nameOf(exchange, route),
    { kind: SpanKind.CLIENT, attributes },
    trace.setSpan(ROOT_CONTEXT, parent),
  );
}

/** What happened on the way to a worker, in the words that others have for it. */
const TRANSPORT_ERRORS: Partial<Record<RoundhouseError['code'], string>> = {
  deadline_exceeded: 'timeout',
  worker_lost: 'connection_lost',
  worker_unavailable: 'unavailable',
};

/** `endpoint` is the `host:port` that ran the call; undefined when none began it. */
export function endWorkerSpan(span: Span, endpoint: string | undefined, ending: CallReply | RoundhouseError): void {
  if (!span.isRecording()) return;
  if (endpoint !== undefined) setServer(span, endpoint);
  if (!('kind' in ending)) noteWorkerError(span, TRANSPORT_ERRORS[ending.code] ?? ending.code);
  else if (ending.kind === 'error') noteWorkerError(span, ending.code);
  else if (ending.kind === 'input_required') noteReply(span, ending.kind);
  else if (ending.isError === true) noteToolError(span);
  span.end();
}

function setServer(span: Span, endpoint: string): void {
  const at = endpoint.lastIndexOf(':');
  span.setAttribute(ATTRIBUTE.serverAddress, endpoint.slice(0, at).replace(/^\[|\]$/g, ''));
  span.setAttribute(ATTRIBUTE.serverPort, Number(endpoint.slice(at + 1)));
}

function noteWorkerError(span: Span, errorType: string): void {
  span.setAttribute(ATTRIBUTE.errorType, errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function noteToolError(span: Span): void {
  span.setAttribute(ATTRIBUTE.errorType, TOOL_ERROR);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function noteError(span: Span, error: RoundhouseError): void {
  const code = error.row.rpcCode;
  span.setAttribute(ATTRIBUTE.statusCode, String(code));
  if (CLIENT_CODES.has(code)) return;
  span.setAttribute(ATTRIBUTE.errorType, String(code));
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.code });
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
