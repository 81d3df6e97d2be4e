import { SpanStatusCode } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ERROR_TABLE, RoundhouseError, type ErrorCode } from '@roundhouse/errors';
import type { Exchange } from '../intake/exchange.js';
import { endExchangeSpan, endWorkerSpan } from './exchange-span.js';

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('spec');
const exchange = { httpSpan: undefined, reply: { isStream: false } } as unknown as Exchange;

/** Every JSON-RPC code that the router can answer with, and whether it is an error of the server's span (OBS-3). */
const IS_SPAN_ERROR: Readonly<Record<number, boolean>> = {
  [-32700]: false,
  [-32600]: false,
  [-32601]: false,
  [-32602]: false,
  [-32603]: true,
  [-32020]: true,
  [-32021]: true,
  [-32022]: true,
};

afterEach(() => exporter.reset());

function ended() {
  const [span] = exporter.getFinishedSpans();
  return { ...span?.attributes, status: span?.status.code };
}

describe('the span of an exchange that fails', () => {
  it.each(Object.entries(ERROR_TABLE))('with %s', (code, { rpcCode }) => {
    endExchangeSpan(tracer.startSpan('spec'), exchange, new RoundhouseError(code as ErrorCode));
    const isError = IS_SPAN_ERROR[rpcCode];
    expect(isError).toBeDefined();
    expect(ended()).toEqual({
      'rpc.response.status_code': String(rpcCode),
      ...(isError === true && { 'error.type': String(rpcCode) }),
      status: isError === true ? SpanStatusCode.ERROR : SpanStatusCode.UNSET,
    });
  });

  it('tells nothing of a detail, a fact or a cause', () => {
    const error = new RoundhouseError('worker_failed', {
      detail: 'secret',
      facts: { worker: 'secret' },
      cause: new Error('secret'),
    });
    endExchangeSpan(tracer.startSpan('spec'), exchange, error);
    expect(
      JSON.stringify([exporter.getFinishedSpans()[0]?.attributes, exporter.getFinishedSpans()[0]?.status]),
    ).not.toContain('secret');
  });
});

describe('the span of a worker’s call', () => {
  it.each<[ErrorCode, string]>([
    ['deadline_exceeded', 'timeout'],
    ['worker_lost', 'connection_lost'],
    ['worker_unavailable', 'unavailable'],
    ['worker_failed', 'worker_failed'],
  ])('that ended with %s has the type %s', (code, errorType) => {
    endWorkerSpan(tracer.startSpan('spec'), undefined, new RoundhouseError(code));
    expect(ended()).toEqual({ 'error.type': errorType, status: SpanStatusCode.ERROR });
  });

  it('that the worker refused is an error here, whoever is to blame', () => {
    endWorkerSpan(tracer.startSpan('spec'), '[::1]:4100', { kind: 'error', code: 'invalid_params', message: 'secret' });
    expect(ended()).toEqual({
      'error.type': 'invalid_params',
      'server.address': '::1',
      'server.port': 4100,
      status: SpanStatusCode.ERROR,
    });
  });

  it('that was answered is no error, and neither is a question', () => {
    endWorkerSpan(tracer.startSpan('spec'), undefined, { kind: 'complete', body: '{}' });
    endWorkerSpan(tracer.startSpan('spec'), undefined, { kind: 'input_required', asks: {}, continuation: '' });
    expect(exporter.getFinishedSpans().map(({ status }) => status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.UNSET,
    ]);
  });
});
