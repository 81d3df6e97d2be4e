/**
 * Whether a span is recorded, where that is decided before the span is made. A trace that begins here draws its lot
 * first: one that is not recorded then costs neither a span nor an id (3 µs of 50 for a call). And links may count for
 * a span that does not carry them itself: the HTTP span of a later round is made before the round's own, and a trace
 * must not lose its root to that (OBS-7).
 */
import { ROOT_CONTEXT, TraceFlags, createContextKey, type Context, type Link } from '@opentelemetry/api';

const RECORDED = createContextKey('roundhouse records what is made here');
const RECORDED_ROOT = ROOT_CONTEXT.setValue(RECORDED, true);

let drawLot: (() => boolean) | undefined;

/** Says how lots are drawn. Nobody draws while this was not called: the SDK, if there is one, decides at each span. */
export function drawLotsBy(draw: (() => boolean) | undefined): void {
  drawLot = draw;
}

/** The context of a span that begins a trace with these links; undefined when the trace is not recorded. */
export function rootContext(links: readonly Link[]): Context | undefined {
  if (drawLot === undefined) return followingLinks(ROOT_CONTEXT, links);
  return links.some(isSampledLink) || drawLot() ? RECORDED_ROOT : undefined;
}

export function isSampledLink({ context }: Link): boolean {
  return (context.traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The same context, and in it that a span made there is recorded if one of `links` was. */
export function followingLinks(context: Context, links: readonly Link[]): Context {
  return links.some(isSampledLink) ? context.setValue(RECORDED, true) : context;
}

/** Whether a span made in this context is recorded whatever else is said of it. */
export function isRecordedIn(context: Context): boolean {
  return context.getValue(RECORDED) === true;
}
