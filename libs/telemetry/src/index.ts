export { followingLinks, followsLinks, isSampledLink } from './link-following.js';
export { ATTRIBUTE, LINK_KIND, TOOL_ERROR, TRACER_NAME, replaySpanName, spanName } from './names.js';
export {
  BAGGAGE_CHARS_MAX,
  BAGGAGE_MEMBERS_MAX,
  TRACESTATE_CHARS_MAX,
  TRACESTATE_MEMBERS_MAX,
  baggageFrom,
  carrierOf,
  formatTraceparent,
  isSampled,
  parentFrom,
  parseTraceparent,
  type TraceCarrier,
} from './propagation.js';
export {
  nextRoundIds,
  nextRoundTrace,
  parseTraceRef,
  roundLinks,
  toLink,
  toTraceRef,
  type RoundIds,
  type RoundTrace,
} from './round-link.js';
