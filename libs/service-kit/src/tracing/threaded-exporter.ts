/**
 * Sends spans from a thread of its own. Node's HTTP client shares streams, sockets and parsers with its server; in a
 * process that uses both, the server's code serves two kinds of everything, and each call pays for it (ADR 0014). Spans
 * become bytes here, because no thread reads another's objects; sending, waiting and trying again happen there.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { PendingTable } from '../pending-table.js';

/** Of the thread: a batch and what its sending needs are below 2 MB. */
const THREAD_HEAP_MB_MAX = 32;

export interface OtlpThreadData {
  readonly url: string;
}

export interface Batch {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** `name` and `cause`: of the error, for the log. */
export interface BatchEnd {
  readonly id: number;
  readonly code: ExportResultCode;
  readonly name: string | undefined;
  readonly cause: string | number | undefined;
}

type Done = (result: ExportResult) => void;
type StartThread = (url: string) => Worker;

export class ThreadedExporter implements SpanExporter {
  private thread: Worker | undefined;
  private readonly pending = new PendingTable<Done>();

  /** The thread starts with the first batch, and anew with the next one should it end. */
  constructor(
    private readonly url: string,
    private readonly startThread: StartThread = startOtlpThread,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    const bytes = JsonTraceSerializer.serializeRequest(spans);
    if (bytes === undefined) return done(failure(new TypeError('spans that are no JSON')));
    const thread = (this.thread ??= this.start());
    // A process that stops waits for its last batch, and for nothing once that was answered.
    thread.ref();
    const id = this.pending.add(done);
    thread.postMessage({ id, bytes } satisfies Batch, [bytes.buffer as ArrayBuffer]);
  }

  async shutdown(): Promise<void> {
    await this.thread?.terminate();
  }

  private start(): Worker {
    const thread = this.startThread(this.url);
    thread.on('message', (end: BatchEnd) => this.ended(thread, end));
    thread.on('error', (error: Error) => this.lost(thread, error));
    thread.on('exit', () => this.lost(thread, new Error('the thread has ended')));
    return thread;
  }

  private ended(thread: Worker, { id, code, name, cause }: BatchEnd): void {
    const done = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0) thread.unref();
    done?.(code === ExportResultCode.SUCCESS ? { code } : failure(Object.assign(new Error(), { name, code: cause })));
  }

  private lost(thread: Worker, error: Error): void {
    if (this.thread !== thread) return;
    this.thread = undefined;
    const undone = this.pending.values();
    this.pending.clear();
    for (const done of undone) done(failure(error));
  }
}

function failure(error: Error): ExportResult {
  return { code: ExportResultCode.FAILED, error };
}

function startOtlpThread(url: string): Worker {
  // Beside this file and compiled like it, or, from source, not compiled like it.
  const extension = extname(import.meta.url);
  const entry = new URL(`./otlp-thread${extension}`, import.meta.url);
  return new Worker(entry, {
    // From source it needs what compiles this process's own.
    ...(extension === '.ts' && { execArgv: process.execArgv }),
    workerData: { url } satisfies OtlpThreadData,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB_MAX },
  });
}
