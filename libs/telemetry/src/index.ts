export { ATTRIBUTE, LINK_KIND, TRACER_NAME, spanName } from './names.js';
export {
  BAGGAGE_CHARS_MAX,
  BAGGAGE_MEMBERS_MAX,
  TRACESTATE_CHARS_MAX,
  TRACESTATE_MEMBERS_MAX,
  carrierOf,
  formatTraceparent,
  parentFrom,
  parseTraceparent,
  type TraceCarrier,
} from './propagation.js';
export { nextRoundTrace, parseTraceRef, roundLinks, toLink, toTraceRef, type RoundTrace } from './round-link.js';
