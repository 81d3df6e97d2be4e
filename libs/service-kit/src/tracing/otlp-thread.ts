/**
 * A thread that takes batches of spans, as bytes, and sends them to the collector: with its headers, certificates,
 * compression, time limit and retries, all as OpenTelemetry's own exporter reads them from the environment.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import type { Batch, BatchEnd, OtlpThreadData } from './threaded-exporter.js';

const { url } = workerData as OtlpThreadData;
const options = convertLegacyHttpOptions({ url }, 'TRACES', 'v1/traces', { 'Content-Type': 'application/json' });
const asItIs = { serializeRequest: (bytes: Uint8Array) => bytes, deserializeResponse: () => undefined };
const uncounted = { name: 'span' as const, countItems: () => 0 };
const delegate = createOtlpHttpExportDelegate(options, asItIs, 'otlp_http_span_exporter', uncounted, undefined);

parentPort?.on('message', ({ id, bytes }: Batch) => {
  delegate.export(bytes, ({ code, error }) => {
    const { name, code: cause } = (error ?? {}) as { readonly name?: string; readonly code?: string | number };
    parentPort?.postMessage({ id, code, name, cause } satisfies BatchEnd);
  });
});
