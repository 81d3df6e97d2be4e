/**
 * Links that count for the sampling of a span which does not carry them itself: the HTTP span of a later round is made
 * before the round's own span, and a trace must not lose its root to that (OBS-7).
 */
import { TraceFlags, createContextKey, type Context, type Link } from '@opentelemetry/api';

const FOLLOWS = createContextKey('roundhouse follows a sampled link');

export function isSampledLink({ context }: Link): boolean {
  return (context.traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The same context, and in it that a span made there is recorded if one of `links` was. */
export function followingLinks(context: Context, links: readonly Link[]): Context {
  return links.some(isSampledLink) ? context.setValue(FOLLOWS, true) : context;
}

export function followsLinks(context: Context): boolean {
  return context.getValue(FOLLOWS) === true;
}
