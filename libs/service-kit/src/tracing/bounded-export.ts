/**
 * Stands between spans that ended and a collector that may be away: so many wait, the rest is dropped and counted, and
 * the log is told at most once a minute. Calls never wait for any of it.
 */
import { TraceFlags } from '@opentelemetry/api';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Spans that may wait, those on their way included; at about 2 KiB each, 4 MiB. */
export const SPANS_WAITING_MAX = 2_048;
const BATCH_SPANS_MAX = 512;
const BATCH_DELAY_MS = 1_000;
/** Pause between two lines of the log. */
const REPORT_INTERVAL_MS = 60_000;

export interface BoundedExportOptions {
  readonly exporter: SpanExporter;
  /** Told what the operator should know: no more than a line a minute. */
  readonly warn: (line: string) => void;
  /** Monotonic. */
  readonly nowMs: () => number;
}

let droppedSpans = 0;

/** Spans of this process that no collector got, since its start. */
export function spansDropped(): number {
  return droppedSpans;
}

export class BoundedExport implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private waiting = 0;
  private droppedUntold = 0;
  private isTold = false;
  private lastReportMs = -Infinity;

  constructor(private readonly options: BoundedExportOptions) {
    const { exporter } = options;
    const counted: SpanExporter = {
      export: (spans, done) => exporter.export(spans, (result) => this.onExported(spans.length, result, done)),
      shutdown: () => exporter.shutdown(),
    };
    this.batches = new BatchSpanProcessor(counted, {
      // One more than ever gets there, so that nothing is dropped uncounted.
      maxQueueSize: SPANS_WAITING_MAX + 1,
      maxExportBatchSize: BATCH_SPANS_MAX,
      scheduledDelayMillis: BATCH_DELAY_MS,
    });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.waiting >= SPANS_WAITING_MAX) {
      this.drop(1, 'too many wait');
      return;
    }
    this.waiting += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }

  private onExported(spans: number, result: ExportResult, done: (result: ExportResult) => void): void {
    this.waiting -= spans;
    if (result.code === ExportResultCode.SUCCESS) this.reportRecovery();
    else this.drop(spans, causeOf(result.error));
    done(result);
  }

  private drop(spans: number, why: string): void {
    droppedSpans += spans;
    this.droppedUntold += spans;
    if (!this.mayReport()) return;
    this.isTold = true;
    this.options.warn(`the collector does not take spans: ${why}; ${this.droppedUntold} more were dropped`);
    this.droppedUntold = 0;
  }

  /** Later, when it comes too soon after the line before: the next batch tries again. */
  private reportRecovery(): void {
    if (!this.isTold || !this.mayReport()) return;
    this.isTold = false;
    this.options.warn(`the collector takes spans again; ${this.droppedUntold} more were dropped`);
    this.droppedUntold = 0;
  }

  private mayReport(): boolean {
    const nowMs = this.options.nowMs();
    if (nowMs - this.lastReportMs < REPORT_INTERVAL_MS) return false;
    this.lastReportMs = nowMs;
    return true;
  }
}

/** A code or a name, never a message: that may quote what the collector, or whoever answers there, has sent. */
function causeOf(error: (Error & { code?: unknown }) | undefined): string {
  const code = error?.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 64) : (error?.name ?? 'unknown');
}
