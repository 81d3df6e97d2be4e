export { Counters } from './metrics/counters.js';
export type { Exemplar, Family, Sample } from './metrics/family.js';
export { Histograms } from './metrics/histograms.js';
export {
  METRICS,
  type LabelValues,
  type MetricName,
  type MetricOf,
  type MetricRow,
  type MetricSource,
  type MetricType,
} from './metrics/metric-table.js';
export { Readings, type Reading } from './metrics/readings.js';
export { SERIES_MAX, type IsGone } from './metrics/series-tree.js';
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
