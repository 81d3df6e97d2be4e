/**
 * Joins the rounds of a flow: a reference to a round's span travels inside the sealed state, and the next round's span
 * is created with links to it (OBS-6). Works when the client sends no trace context at all.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
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

/** JSON-RPC ids of the previous and the first round, as far as they were known when the state was sealed. */
export interface RoundIds {
  readonly previous?: string | number | undefined;
  readonly origin?: string | number | undefined;
}

/** Longest id that a state carries, in characters: what clients send is a number or a UUID. */
const ID_CHARS_MAX = 64;

/**
 * Links for the span of a later round: to the round before it and, when that is another one, to the first. Each names
 * the request it leads to, since ids differ between the rounds of a flow.
 */
export function roundLinks(rounds: RoundTrace | undefined, ids?: RoundIds): Link[] {
  if (rounds === undefined) return NO_LINKS;
  const links = [toLink(rounds.previous, LINK_KIND.previousRound, ids?.previous)];
  if (rounds.origin !== rounds.previous) links.push(toLink(rounds.origin, LINK_KIND.origin, ids?.origin));
  return links.filter((link) => link !== undefined);
}

/** The SDK copies what it is given, so that one empty list does for all first rounds. */
const NO_LINKS: Link[] = [];

/** What to seal for the next round, given this round's span and what was sealed for this one. */
export function nextRoundTrace(spanContext: SpanContext, sealed: RoundTrace | undefined): RoundTrace | undefined {
  const previous = toTraceRef(spanContext);
  return previous === undefined ? sealed : { previous, origin: sealed?.origin ?? previous };
}

/** The ids that go with `nextRoundTrace`, when this round's span is the one to link to. */
export function nextRoundIds(id: string | number, sealed: RoundIds | undefined): RoundIds {
  const previous = toBoundedId(id);
  return { previous, origin: sealed === undefined ? previous : sealed.origin };
}

/** An id that is too long is told by its digest: whoever holds the id can still find the round. */
function toBoundedId(id: string | number): string | number {
  if (typeof id === 'number' || id.length <= ID_CHARS_MAX) return id;
  return `sha256:${createHash('sha256').update(id).digest('base64url')}`;
}

export function toLink(ref: string, kind: string, requestId?: string | number): Link | undefined {
  const context = parseTraceRef(ref);
  if (context === undefined) return undefined;
  const attributes = { [ATTRIBUTE.linkKind]: kind };
  return {
    context,
    attributes: requestId === undefined ? attributes : { ...attributes, [ATTRIBUTE.requestId]: String(requestId) },
  };
}
