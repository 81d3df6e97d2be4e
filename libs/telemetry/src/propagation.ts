/**
 * W3C trace context in and out of `_meta`, HTTP headers and rpc messages. Bad values are dropped, never an error
 * (OBS-4): whoever sends them is not trusted to be well-formed.
 */
import { ROOT_CONTEXT, createTraceState, trace, type Context, type Span, type SpanContext } from '@opentelemetry/api';

export interface TraceCarrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** W3C Trace Context §3.3.1.1: at most 32 list members, 512 characters is what a vendor must propagate. */
export const TRACESTATE_CHARS_MAX = 512;
export const TRACESTATE_MEMBERS_MAX = 32;
/** W3C Baggage §3.3: limits every platform must support. */
export const BAGGAGE_CHARS_MAX = 8192;
export const BAGGAGE_MEMBERS_MAX = 64;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const match = text === undefined ? null : TRACEPARENT.exec(text);
  if (match === null || match[1] === 'ff') return undefined;
  const traceId = match[2] as string;
  const spanId = match[3] as string;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(match[4] as string, 16) & 0x01, isRemote: true };
}

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 0x01}`;
}

/** The parent a carrier names, or undefined when it names none that is valid. */
export function parentFrom({ traceparent, tracestate }: TraceCarrier): Context | undefined {
  const spanContext = parseTraceparent(traceparent);
  if (spanContext === undefined) return undefined;
  const usable = tracestate !== undefined && isListWithin(tracestate, TRACESTATE_CHARS_MAX, TRACESTATE_MEMBERS_MAX);
  return trace.setSpanContext(
    ROOT_CONTEXT,
    usable ? { ...spanContext, traceState: createTraceState(tracestate) } : spanContext,
  );
}

/** Whether the sender records the span it names: nothing that hangs under another one is worth making. */
export function isSampled({ traceparent }: TraceCarrier): boolean {
  return traceparent !== undefined && (parseTraceparent(traceparent)?.traceFlags ?? 0) !== 0;
}

const NOTHING: TraceCarrier = Object.freeze({});

/**
 * What to send with an outgoing message so that the receiver's spans hang under `span`. `baggage` is what came in, as it
 * came: nobody here reads it. Costs nothing when no SDK was started.
 */
export function carrierOf(span: Span, baggage: string | undefined): TraceCarrier {
  const spanContext = span.spanContext();
  if (!trace.isSpanContextValid(spanContext)) return baggage === undefined ? NOTHING : { baggage };
  const traceparent = formatTraceparent(spanContext);
  const tracestate = spanContext.traceState?.serialize();
  if (!tracestate && baggage === undefined) return { traceparent };
  return { traceparent, ...(tracestate && { tracestate }), ...(baggage !== undefined && { baggage }) };
}

/** One visible ASCII list as W3C Baggage §3 has it; what a header could not carry is no baggage. */
const BAGGAGE = /^[\t\x20-\x7e]+$/;

/** The baggage to send on, byte for byte; undefined when there is none, or none that a platform has to carry. */
export function baggageFrom({ baggage }: TraceCarrier): string | undefined {
  if (baggage === undefined || !isListWithin(baggage, BAGGAGE_CHARS_MAX, BAGGAGE_MEMBERS_MAX)) return undefined;
  return BAGGAGE.test(baggage) ? baggage : undefined;
}

/** The length first: a long text is not even split. */
function isListWithin(text: string, charsMax: number, membersMax: number): boolean {
  return text.length <= charsMax && text.split(',').length <= membersMax;
}
