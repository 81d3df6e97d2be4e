/**
 * Starts the OpenTelemetry SDK for a process that is told where its spans shall go. Code elsewhere uses the API alone and
 * pays next to nothing while this was not called.
 */
import { Logger } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { drawLotsBy } from '@roundhouse/telemetry';
import { BoundedExport } from './bounded-export.js';
import { JsonLinesExporter } from './json-lines-exporter.js';
import { RoundSampler, type RemoteSampled } from './round-sampler.js';
import { tracesUrlOf, type TracingSettings } from './tracing-settings.js';

export interface TracingOptions extends TracingSettings {
  readonly serviceName: string;
  /** Share of the traces begun here that are recorded; absent: all. */
  readonly ratio?: number;
  /** What a caller's flag is worth; absent: it is followed, as between processes of ours. */
  readonly clientSampled?: RemoteSampled;
}

/** Longest text of an attribute: a resource URI is as long as its client likes. */
const ATTRIBUTE_CHARS_MAX = 1_024;
/** What a stopping process gives the collector for the last spans. */
const STOP_TIMEOUT_MS = 2_000;

let started: BasicTracerProvider | undefined;

/** Does nothing when neither a file nor a collector is named. */
export async function startTracing(options: TracingOptions): Promise<void> {
  const spanProcessors = await processorsFor(options);
  if (spanProcessors.length === 0) return;
  const { ratio = 1, clientSampled: remoteSampled = 'trust' } = options;
  const sampler = new RoundSampler({ ratio, remoteSampled, random: Math.random });
  started = new BasicTracerProvider({
    resource: resourceOf(options.serviceName),
    sampler,
    spanLimits: { attributeValueLengthLimit: ATTRIBUTE_CHARS_MAX },
    spanProcessors,
  });
  trace.setGlobalTracerProvider(started);
  drawLotsBy(() => sampler.drawLot());
}

/** Sends what waits, as far as that takes no longer than a collector that answers needs. Never rejects. */
export async function stopTracing(): Promise<void> {
  const limit = new Promise<void>((resolve) => {
    setTimeout(resolve, STOP_TIMEOUT_MS).unref();
  });
  await Promise.race([started?.shutdown().catch(() => undefined), limit]);
}

async function processorsFor(options: TracingOptions): Promise<SpanProcessor[]> {
  const url = tracesUrlOf(options);
  return [
    ...(options.file === undefined ? [] : [new SimpleSpanProcessor(new JsonLinesExporter(options.file))]),
    ...(url === undefined ? [] : [await exportTo(url)]),
  ];
}

async function exportTo(url: string): Promise<SpanProcessor> {
  // A process that exports nothing neither loads it nor keeps it in memory.
  const { ThreadedExporter } = await import('./threaded-exporter.js');
  const log = new Logger('tracing');
  return new BoundedExport({
    exporter: new ThreadedExporter(url),
    warn: (line) => log.warn(line),
    nowMs: () => performance.now(),
  });
}

/** What `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` say wins: they know the pod and its namespace. */
function resourceOf(serviceName: string): Resource {
  const own = { 'service.namespace': 'roundhouse', 'service.name': serviceName, 'process.pid': process.pid };
  return resourceFromAttributes(own).merge(detectResources({ detectors: [envDetector] }));
}
