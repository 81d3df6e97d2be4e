/**
 * Starts the OpenTelemetry SDK for a process. Code elsewhere uses the API alone and pays next to nothing while this was
 * not called. The only exporter so far writes one JSON object a span to a file, for the demo and for tests.
 */
import { appendFileSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import { ExportResultCode, hrTimeToMilliseconds, type ExportResult } from '@opentelemetry/core';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

export interface TracingOptions {
  readonly serviceName: string;
  /** Spans are appended here as they end. */
  readonly file: string;
}

export function startTracing({ serviceName, file }: TracingOptions): void {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'process.pid': process.pid }),
    spanProcessors: [new SimpleSpanProcessor(new JsonLinesExporter(file))],
  });
  trace.setGlobalTracerProvider(provider);
}

class JsonLinesExporter implements SpanExporter {
  constructor(private readonly file: string) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    try {
      appendFileSync(this.file, spans.map((span) => `${JSON.stringify(toLine(span))}\n`).join(''));
      done({ code: ExportResultCode.SUCCESS });
    } catch (error) {
      done({ code: ExportResultCode.FAILED, error: error as Error });
    }
  }

  async shutdown(): Promise<void> {}
}

function toLine(span: ReadableSpan): object {
  const { traceId, spanId } = span.spanContext();
  return {
    service: span.resource.attributes['service.name'],
    pid: span.resource.attributes['process.pid'],
    name: span.name,
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    startMs: hrTimeToMilliseconds(span.startTime),
    durationMs: hrTimeToMilliseconds(span.duration),
    attributes: span.attributes,
    links: span.links.map((link) => ({
      traceId: link.context.traceId,
      spanId: link.context.spanId,
      attributes: link.attributes,
    })),
  };
}
