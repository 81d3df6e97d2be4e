/** The trace that an exemplar may name: one that was recorded, so that there is something to find under it. */
import { TraceFlags, type Span } from '@opentelemetry/api';

export function sampledTraceId(span: Span): string | undefined {
  if (!span.isRecording()) return undefined;
  const { traceId, traceFlags } = span.spanContext();
  return (traceFlags & TraceFlags.SAMPLED) === 0 ? undefined : traceId;
}
