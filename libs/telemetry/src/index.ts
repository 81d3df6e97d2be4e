export { drawLotsBy, followingLinks, isRecordedIn, isSampledLink, rootContext } from './recording.js';
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
export {
  CANCELLED,
  NETWORK_TRANSPORT,
  OTHER_METHOD,
  WORKER_ERROR_LABELS,
  versionLabel,
} from './metrics/operation-labels.js';
export { Readings, type Reading } from './metrics/readings.js';
export { SERIES_MAX, type IsGone } from './metrics/series-tree.js';
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
