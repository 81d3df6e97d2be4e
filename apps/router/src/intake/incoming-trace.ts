/**
 * What a request says of the trace it belongs to. The body is the MCP client's own word and comes first; the headers are
 * of whoever sent the HTTP request, which may have been a proxy (OBS-4).
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '@opentelemetry/api';
import { baggageFrom, parentFrom, type TraceCarrier } from '@roundhouse/telemetry';

export interface IncomingTrace {
  /** From `_meta`. */
  readonly parent: Context | undefined;
  /** From the HTTP headers. */
  readonly ambient: Context | undefined;
  /** Handed on as it came, with or without a parent. */
  readonly baggage: string | undefined;
}

/** What nearly all requests say: one object for all of them. */
const NOTHING: IncomingTrace = Object.freeze({ parent: undefined, ambient: undefined, baggage: undefined });

export function readIncomingTrace(meta: TraceCarrier, headers: IncomingHttpHeaders): IncomingTrace {
  const inHeaders = headers as TraceCarrier;
  if (!namesAny(meta) && !namesAny(inHeaders)) return NOTHING;
  return {
    parent: parentFrom(meta),
    ambient: parentFrom(inHeaders),
    baggage: baggageFrom(meta) ?? baggageFrom(inHeaders),
  };
}

function namesAny({ traceparent, baggage }: TraceCarrier): boolean {
  return traceparent !== undefined || baggage !== undefined;
}
