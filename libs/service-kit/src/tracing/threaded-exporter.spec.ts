import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { ThreadedExporter } from './threaded-exporter.js';

const HOOK = fileURLToPath(new URL('../../../../tools/ts-hook.mjs', import.meta.url));

let server: Server;
let exporter: ThreadedExporter;
let started: Worker[];
const asked: { readonly head: IncomingMessage; readonly body: string }[] = [];
let answer: (response: ServerResponse) => void;

/** The thread's source, compiled as it is loaded. */
function startThread(url: string): Worker {
  const entry = new URL('./otlp-thread.ts', import.meta.url);
  const thread = new Worker(entry, { workerData: { url }, execArgv: ['--import', HOOK] });
  started.push(thread);
  return thread;
}

beforeEach(async () => {
  started = [];
  asked.length = 0;
  answer = (response) => response.end('{}');
  server = createServer((head, response) => {
    let body = '';
    head.on('data', (chunk: Buffer) => (body += chunk.toString()));
    head.on('end', () => {
      asked.push({ head, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  exporter = new ThreadedExporter(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, startThread);
});

afterEach(async () => {
  await exporter.shutdown();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function send(name: string): Promise<ExportResult> {
  const memory = new InMemorySpanExporter();
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] })
    .getTracer('spec')
    .startSpan(name)
    .end();
  return new Promise((resolve) => exporter.export(memory.getFinishedSpans(), resolve));
}

describe('ThreadedExporter', () => {
  it('sends each batch as OTLP in JSON, all by one thread', async () => {
    expect(await send('one')).toEqual({ code: ExportResultCode.SUCCESS });
    expect(await send('two')).toEqual({ code: ExportResultCode.SUCCESS });
    expect(started).toHaveLength(1);
    expect(asked.map(({ head }) => [head.method, head.url, head.headers['content-type']])).toEqual(
      Array(2).fill(['POST', '/v1/traces', 'application/json']),
    );
    const names = asked.map(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans[0].name as string);
    expect(names).toEqual(['one', 'two']);
  });

  it('starts no thread before there is something to send', () => {
    expect(started).toEqual([]);
  });

  it('tells what the collector refused, by status', async () => {
    answer = (response) => response.writeHead(400).end('a text that quotes what was sent');
    const { code, error } = await send('refused');
    expect(code).toBe(ExportResultCode.FAILED);
    expect(error).toMatchObject({ code: 400, message: '' });
  });

  it('fails what was under way when the thread ends, and starts another for what comes next', async () => {
    answer = () => void started[0]?.terminate();
    expect((await send('lost')).code).toBe(ExportResultCode.FAILED);
    answer = (response) => response.end('{}');
    expect(await send('next')).toEqual({ code: ExportResultCode.SUCCESS });
    expect(started).toHaveLength(2);
  });

  it('fails what is under way when it is shut down', async () => {
    let arrived = (): void => undefined;
    const isThere = new Promise<void>((resolve) => (arrived = resolve));
    answer = arrived;
    const sent = send('late');
    await isThere;
    await exporter.shutdown();
    expect((await sent).code).toBe(ExportResultCode.FAILED);
  });
});
