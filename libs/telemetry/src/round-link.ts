/**
 * Joins the rounds of a flow: a reference to a round's span travels inside the sealed state, and the next round's span
 * is created with links to it (OBS-6). Works when the client sends no trace context at all.
 */
import { Buffer } from 'node:buffer';
import { TraceFlags, trace, type Link, type SpanContext } from '@opentelemetry/api';
import { ATTRIBUTE, LINK_KIND } from './names.js';

/** Trace id 16 bytes, span id 8, flags 1: 25 bytes, 34 characters of base64url. */
const REF_BYTES = 25;

/** References to the previous and the first round's spans. */
export interface RoundTrace {
  readonly previous: string;
  readonly origin: string;
}

/** Undefined for a span that nobody can look up. */
export function toTraceRef(spanContext: SpanContext): string | undefined {
  if (!trace.isSpanContextValid(spanContext)) return undefined;
  const bytes = Buffer.allocUnsafe(REF_BYTES);
  bytes.write(spanContext.traceId, 0, 'hex');
  bytes.write(spanContext.spanId, 16, 'hex');
  bytes.writeUInt8(spanContext.traceFlags & 0xff, 24);
  return bytes.toString('base64url');
}

export function parseTraceRef(ref: string): SpanContext | undefined {
  const bytes = Buffer.from(ref, 'base64url');
  if (bytes.length !== REF_BYTES) return undefined;
  const spanContext: SpanContext = {
    traceId: bytes.toString('hex', 0, 16),
    spanId: bytes.toString('hex', 16, 24),
    traceFlags: bytes.readUInt8(24) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  return trace.isSpanContextValid(spanContext) ? spanContext : undefined;
}

/** Links for the span of a later round: to the round before it and, when that is another one, to the first. */
export function roundLinks(rounds: RoundTrace | undefined): Link[] {
  if (rounds === undefined) return [];
  const links = [toLink(rounds.previous, LINK_KIND.previousRound)];
  if (rounds.origin !== rounds.previous) links.push(toLink(rounds.origin, LINK_KIND.origin));
  return links.filter((link) => link !== undefined);
}

/** What to seal for the next round, given this round's span and what was sealed for this one. */
export function nextRoundTrace(spanContext: SpanContext, sealed: RoundTrace | undefined): RoundTrace | undefined {
  const previous = toTraceRef(spanContext);
  return previous === undefined ? sealed : { previous, origin: sealed?.origin ?? previous };
}

export function toLink(ref: string, kind: string): Link | undefined {
  const context = parseTraceRef(ref);
  return context && { context, attributes: { [ATTRIBUTE.linkKind]: kind } };
}
