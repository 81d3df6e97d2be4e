/**
 * The span of an HTTP request, around the span of the MCP message in it. Made late and dated back: which rounds came
 * before, and so whether it is recorded, is known only once the body was read.
 */
import type { IncomingMessage } from 'node:http';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { RoundhouseError } from '@roundhouse/errors';
import { ATTRIBUTE, TRACER_NAME, parentFrom, type TraceCarrier } from '@roundhouse/telemetry';

const tracer = trace.getTracer(TRACER_NAME);

/** Verbs that the conventions know; a client may send any other word. */
const VERBS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** `arrivedMs` is when the request arrived, by `performance.now()`. Costs no attributes when it is not recorded. */
export function startHttpSpan(request: IncomingMessage, arrivedMs: number, context: Context): Span {
  const verb = VERBS.has(request.method ?? '') ? (request.method as string) : 'HTTP';
  const span = tracer.startSpan(verb, { kind: SpanKind.SERVER, startTime: arrivedMs }, context);
  if (span.isRecording()) {
    span.setAttributes({
      [ATTRIBUTE.httpMethod]: verb === 'HTTP' ? '_OTHER' : verb,
      [ATTRIBUTE.urlPath]: pathOf(request),
      ...networkAttributes(request),
    });
  }
  return span;
}

export function endHttpSpan(span: Span, status: number, error?: RoundhouseError): void {
  span.setAttribute(ATTRIBUTE.httpStatus, status);
  if (status >= 500) {
    span.setAttribute(ATTRIBUTE.errorType, String(status));
    span.setStatus({ code: SpanStatusCode.ERROR, ...(error && { message: error.code }) });
  }
  // Dated back as it is, the SDK would take the wall clock's milliseconds for its end.
  span.end(performance.now());
}

/** A request that was refused before it was a message: it has no MCP span, but its HTTP span tells with what. */
export function recordRefusal(request: IncomingMessage, arrivedMs: number, error: RoundhouseError): void {
  const context = parentFrom(request.headers as TraceCarrier) ?? ROOT_CONTEXT;
  const span = startHttpSpan(request, arrivedMs, context);
  if (!span.isRecording()) return;
  span.setAttribute(ATTRIBUTE.statusCode, String(error.row.rpcCode));
  endHttpSpan(span, error.row.status, error);
}

/** The peer is whoever opened the connection: no header is believed about who that was. */
export function networkAttributes({ httpVersion, socket }: IncomingMessage): Attributes {
  return {
    [ATTRIBUTE.networkTransport]: 'tcp',
    [ATTRIBUTE.networkProtocol]: 'http',
    [ATTRIBUTE.networkProtocolVersion]: httpVersion,
    ...(socket.remoteAddress !== undefined && { [ATTRIBUTE.clientAddress]: socket.remoteAddress }),
    ...(socket.remotePort !== undefined && { [ATTRIBUTE.clientPort]: socket.remotePort }),
  };
}

/** Without the query: some clients put a token there. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
