/**
 * What an operator can set about traces, the same in every process. The variables of the exporter are those that
 * OpenTelemetry gives every program; those not named here (headers, timeout, compression) its own exporter reads.
 */
import { z } from 'zod';

const collector = z.url({ protocol: /^https?$/ }).max(2_048);

export const tracingSettings = {
  file: z.string().max(4096).optional().describe('Spans are appended here, one JSON object a line.'),
  endpoint: collector.optional().describe('Collector that takes OTLP over HTTP; spans go to v1/traces below it.'),
  tracesEndpoint: collector.optional().describe('The address for spans itself, instead of one below endpoint.'),
} as const;

/** Variables of the fields above, for the `env` of a configuration whose section for them is `tracing`. */
export const TRACING_ENV = {
  'tracing.file': 'ROUNDHOUSE_TRACE_FILE',
  'tracing.endpoint': 'OTEL_EXPORTER_OTLP_ENDPOINT',
  'tracing.tracesEndpoint': 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
} as const;

export interface TracingSettings {
  readonly file?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly tracesEndpoint?: string | undefined;
}

/** Where spans are posted to; undefined when no collector is named. */
export function tracesUrlOf({ endpoint, tracesEndpoint }: TracingSettings): string | undefined {
  if (tracesEndpoint !== undefined) return tracesEndpoint;
  return endpoint === undefined ? undefined : `${endpoint.replace(/\/+$/, '')}/v1/traces`;
}
