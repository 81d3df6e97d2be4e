/**
 * W3C trace context in and out of `_meta`, HTTP headers and rpc messages. Bad values are dropped, never an error
 * (OBS-4): whoever sends them is not trusted to be well-formed.
 */
import {
  ROOT_CONTEXT,
  createTraceState,
  propagation,
  trace,
  type Baggage,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';

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
export function parentFrom(carrier: TraceCarrier): Context | undefined {
  const spanContext = parseTraceparent(carrier.traceparent);
  if (spanContext === undefined) return undefined;
  const state = carrier.tracestate;
  const usable =
    state !== undefined && state.length <= TRACESTATE_CHARS_MAX && state.split(',').length <= TRACESTATE_MEMBERS_MAX;
  const context = trace.setSpanContext(
    ROOT_CONTEXT,
    usable ? { ...spanContext, traceState: createTraceState(state) } : spanContext,
  );
  const baggage = parseBaggage(carrier.baggage);
  return baggage === undefined ? context : propagation.setBaggage(context, baggage);
}

const NOTHING: TraceCarrier = Object.freeze({});

/**
 * What to send with an outgoing message so that the receiver's spans hang under `span`; baggage is taken from the
 * context that came in. Costs nothing when no SDK was started.
 */
export function carrierOf(span: Span, incoming: Context | undefined): TraceCarrier {
  const spanContext = span.spanContext();
  if (!trace.isSpanContextValid(spanContext)) return NOTHING;
  const tracestate = spanContext.traceState?.serialize();
  const baggage = incoming && propagation.getBaggage(incoming);
  return {
    traceparent: formatTraceparent(spanContext),
    ...(tracestate ? { tracestate } : undefined),
    ...(baggage === undefined ? undefined : { baggage: formatBaggage(baggage) }),
  };
}

function parseBaggage(text: string | undefined): Baggage | undefined {
  if (text === undefined || text === '' || text.length > BAGGAGE_CHARS_MAX) return undefined;
  const members = text.split(',');
  if (members.length > BAGGAGE_MEMBERS_MAX) return undefined;
  const entries: Record<string, { value: string }> = Object.create(null) as Record<string, { value: string }>;
  for (const member of members) {
    const [key, value] = splitOnce(member.split(';', 1)[0] as string, '=');
    if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(key)) entries[key] = { value: decode(value) };
  }
  return propagation.createBaggage(entries);
}

function formatBaggage(baggage: Baggage): string {
  return baggage
    .getAllEntries()
    .map(([key, { value }]) => `${key}=${encodeURIComponent(value)}`)
    .join(',');
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A stray percent sign is the sender's own text; it is carried as it came.
    return value;
  }
}
