import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { drawLotsBy, formatTraceparent } from '@roundhouse/telemetry';
import { hrTimeToMilliseconds } from '@opentelemetry/core';
import { of } from 'rxjs';
import { RouterUnderTest, standardHeaders, type Answer } from '../testing/router-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { ScriptedWorker, type Script } from '../testing/scripted-worker.js';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const threeRounds: Script = ({ answers }) => {
  if (answers?.['a'] === undefined) return asks({ a: confirmAsk() });
  if (answers['b'] === undefined) return asks({ b: confirmAsk() });
  return completes('done');
};
const worker = new ScriptedWorker({
  flow: { script: threeRounds },
  once: { entry: { singleUse: true }, script: threeRounds },
  fails: { script: () => of({ kind: 'complete', body: '{"content":[],"isError":true}', isError: true }) },
});
const PARENT = '00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5-1a2b3c4d5e6f7081-01';
/** Two clocks of one process, of which the SDK takes one for a start and the other for what is dated back. */
const CLOCK_JITTER_MS = 2;
const yes = accept({ ok: true });

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());
afterEach(() => exporter.reset());

const stateOf = (answer: Answer): string => answer.body.result?.requestState as string;
/** Spans of this process that are of a message and not of the HTTP request around it. */
const ofKind = (kind: SpanKind): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.kind === kind && span.attributes['mcp.method.name'] !== undefined);
const servers = (): ReadableSpan[] => ofKind(SpanKind.SERVER);
const clients = (): ReadableSpan[] => ofKind(SpanKind.CLIENT);
const https = (): ReadableSpan[] =>
  exporter.getFinishedSpans().filter(({ attributes }) => attributes['http.request.method'] !== undefined);
const linksOf = (span: ReadableSpan | undefined): unknown[] =>
  (span?.links ?? []).map(({ context, attributes }) => [context.spanId, attributes?.['roundhouse.link.kind']]);

async function playFlow(
  tool: string,
  options: { meta?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<void> {
  const first = await router.tool(tool, {}, { ...options, id: 'one' });
  const second = await router.tool(
    tool,
    {},
    { ...options, id: 'two', retry: { requestState: stateOf(first), inputResponses: { a: yes } } },
  );
  await router.tool(
    tool,
    {},
    { ...options, id: 'three', retry: { requestState: stateOf(second), inputResponses: { b: yes } } },
  );
}

describe('the span of a round whose trace draws a lot', () => {
  afterEach(() => drawLotsBy(undefined));

  it('is not made where the lot is against it, and the worker is told of none', async () => {
    drawLotsBy(() => false);
    await playFlow('flow');
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(worker.calls.at(-1)?.trace).toEqual({});
  });

  it('is made in all rounds after one that was, and in none before', async () => {
    const lots = [false, true, false];
    drawLotsBy(() => lots.shift() ?? false);
    await playFlow('flow');
    const [second, third, ...others] = servers();
    expect(others).toEqual([]);
    expect([second, third].map((span) => span?.attributes['jsonrpc.request.id'])).toEqual(['two', 'three']);
    expect(linksOf(second)).toEqual([]);
    expect(linksOf(third)).toEqual([[second?.spanContext().spanId, 'mrtr.previous_round']]);
  });
});

describe('the span of a round', () => {
  it('links to the round before and to the first, although the client sent no trace context', async () => {
    await playFlow('flow');
    const [first, second, third] = servers();
    expect(new Set(servers().map((span) => span.spanContext().traceId)).size).toBe(3);
    expect(linksOf(first)).toEqual([]);
    expect(linksOf(second)).toEqual([[first?.spanContext().spanId, 'mrtr.previous_round']]);
    expect(linksOf(third)).toEqual([
      [second?.spanContext().spanId, 'mrtr.previous_round'],
      [first?.spanContext().spanId, 'mrtr.origin'],
    ]);
    expect(second?.links[0]?.context.traceId).toBe(first?.spanContext().traceId);
  });

  it('names its own request, and in each link the request that it leads to', async () => {
    await playFlow('flow');
    expect(servers().map(({ attributes }) => attributes['jsonrpc.request.id'])).toEqual(['one', 'two', 'three']);
    expect(servers().map(({ links }) => links.map(({ attributes }) => attributes?.['jsonrpc.request.id']))).toEqual([
      [],
      ['one'],
      ['two', 'one'],
    ]);
  });

  it('has the client’s span as parent when there is one, and the links all the same', async () => {
    await playFlow('flow', { meta: { traceparent: PARENT } });
    const [first, second] = servers();
    expect(second?.parentSpanContext?.spanId).toBe('1a2b3c4d5e6f7081');
    expect(second?.spanContext().traceId).toBe('5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5');
    const [, http] = https();
    expect(linksOf(second)).toEqual([
      [first?.spanContext().spanId, 'mrtr.previous_round'],
      [http?.spanContext().spanId, 'http.ambient'],
    ]);
  });

  it('hangs under the HTTP request’s span when the body names no parent, and that one under the headers’', async () => {
    await router.tool('flow', {}, { headers: { traceparent: PARENT } });
    const [[server], [http]] = [servers(), https()];
    expect(server?.parentSpanContext?.spanId).toBe(http?.spanContext().spanId);
    expect(http?.parentSpanContext?.spanId).toBe('1a2b3c4d5e6f7081');
    expect(linksOf(server)).toEqual([]);
  });

  it('hangs under the body’s context where the headers name another, which the HTTP request’s span has', async () => {
    const headers = { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` };
    await router.tool('flow', {}, { meta: { traceparent: PARENT }, headers });
    const [[server], [http]] = [servers(), https()];
    expect(server?.parentSpanContext?.spanId).toBe('1a2b3c4d5e6f7081');
    expect(http?.parentSpanContext?.spanId).toBe('d'.repeat(16));
    expect(linksOf(server)).toEqual([[http?.spanContext().spanId, 'http.ambient']]);
  });

  it('lies within the time of the HTTP request’s span', async () => {
    await router.tool('flow', {});
    const [[server], [http]] = [servers(), https()];
    const [from = 0, to = 0] = [http?.startTime, http?.endTime].map((time) => time && hrTimeToMilliseconds(time));
    expect(hrTimeToMilliseconds(server?.startTime ?? [0, 0])).toBeGreaterThanOrEqual(from - CLOCK_JITTER_MS);
    expect(hrTimeToMilliseconds(server?.endTime ?? [0, 0])).toBeLessThanOrEqual(to + CLOCK_JITTER_MS);
  });

  it('tells flow, round and thinking time, and is named after the tool', async () => {
    await playFlow('flow');
    const spans = servers();
    expect(spans.map(({ name }) => name)).toEqual(['tools/call flow', 'tools/call flow', 'tools/call flow']);
    expect(spans.map(({ attributes }) => attributes['roundhouse.mrtr.round'])).toEqual([1, 2, 3]);
    expect(new Set(spans.map(({ attributes }) => attributes['roundhouse.flow.id'])).size).toBe(1);
    expect(spans[1]?.attributes['roundhouse.mrtr.think_time_ms']).toBeGreaterThanOrEqual(0);
  });

  it('is the parent of the span that the worker is told about', async () => {
    await router.tool('flow', {});
    const [client] = clients();
    expect(client?.parentSpanContext?.spanId).toBe(servers()[0]?.spanContext().spanId);
    expect(worker.calls.at(-1)?.trace.traceparent).toContain(client?.spanContext().spanId);
  });

  it('has a child that names the replica which ran the call', async () => {
    await router.tool('flow', {});
    const [client] = clients();
    expect(client?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'server.port': expect.any(Number),
      'network.transport': 'tcp',
    });
  });

  it('tells which protocol it came by and who opened the connection', async () => {
    await router.tool('flow', {}, { headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' } });
    const network = {
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'network.protocol.version': '1.1',
      'client.address': '127.0.0.1',
      'client.port': expect.any(Number),
    };
    expect(servers()[0]?.attributes).toMatchObject(network);
    expect(https()[0]?.attributes).toMatchObject({ ...network, 'http.response.status_code': 200, 'url.path': '/mcp' });
  });

  it('has with its worker’s and the replay service’s one flow id to be found by', async () => {
    await playFlow('once');
    const flowId = servers()[0]?.attributes['roundhouse.flow.id'];
    const found = exporter.getFinishedSpans().filter(({ attributes }) => attributes['roundhouse.flow.id'] === flowId);
    expect(found.map(({ name }) => name).sort()).toEqual(
      [
        ...Array.from({ length: 6 }, () => 'tools/call once'),
        ...['claim', 'claim', 'settle', 'settle'].map((name) => `roundhouse.replay.${name}`),
      ].sort(),
    );
  });

  it('has children for what the replay service was asked, with its answer', async () => {
    await playFlow('once');
    const [, second] = servers();
    const asked = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('roundhouse.replay.'));
    expect(asked.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => SpanKind.CLIENT));
    expect(asked[0]?.parentSpanContext?.spanId).toBe(second?.spanContext().spanId);
    expect(asked[0]?.attributes['roundhouse.replay.outcome']).toBe('new');
    const told = router.claims.told.map(
      (message) => (message as { trace?: { traceparent?: string } }).trace?.traceparent,
    );
    expect(told).toContain(formatTraceparent(asked[0]!.spanContext()));
  });

  it('says that it asked, and that a tool failed', async () => {
    await router.tool('flow', {});
    await router.tool('fails', {});
    expect(
      servers().map(({ attributes, status }) => [attributes['mcp.result.type'], attributes['error.type'], status.code]),
    ).toEqual([
      ['input_required', undefined, SpanStatusCode.UNSET],
      [undefined, 'tool_error', SpanStatusCode.ERROR],
    ]);
    expect(clients().map(({ attributes }) => attributes['error.type'])).toEqual([undefined, 'tool_error']);
  });

  it('of a result fetched again links to the run that made it', async () => {
    const first = await router.tool('once', {});
    const retry = { requestState: stateOf(first), inputResponses: { a: yes } };
    await router.tool('once', {}, { retry });
    await router.tool('once', {}, { retry });
    const [, ran, fetched] = servers();
    expect(fetched?.attributes['roundhouse.replay.outcome']).toBe('done');
    expect(linksOf(fetched)).toContainEqual([ran?.spanContext().spanId, 'mrtr.original_execution']);
  });

  it('has no link when the state was tampered with, and no name from a tool nobody serves', async () => {
    const first = await router.tool('flow', {});
    exporter.reset();
    await router.tool('flow', {}, { retry: { requestState: `${stateOf(first)}x`, inputResponses: { a: yes } } });
    await router.tool('made-up-name', {});
    expect(servers().flatMap(linksOf)).toEqual([]);
    expect(servers().map(({ name }) => name)).not.toContain('tools/call made-up-name');
  });

  it('is one for each message, whatever becomes of it', async () => {
    await router.call('tools/list', {});
    await router.call('server/discover', {});
    await router.call('tools/list', { cursor: 'bad' });
    await router.tool('made-up-name', {});
    await router.tool('flow', {}, { retry: { requestState: 'bad', inputResponses: {} } });
    await router.tool('flow', {}, { capabilities: {} });
    expect(servers().map(({ name, status }) => [name, status.code])).toEqual([
      ['tools/list', SpanStatusCode.UNSET],
      ['server/discover', SpanStatusCode.UNSET],
      ['tools/list', SpanStatusCode.UNSET],
      ['tools/call', SpanStatusCode.UNSET],
      ['tools/call', SpanStatusCode.UNSET],
      ['tools/call flow', SpanStatusCode.ERROR],
    ]);
    expect(servers().map(({ attributes }) => attributes['rpc.response.status_code'])).toEqual([
      undefined,
      undefined,
      '-32602',
      '-32602',
      '-32602',
      '-32021',
    ]);
  });

  it('is only that of the HTTP request when what came was no message', async () => {
    await router.send({ headers: standardHeaders('tools/list', {}), body: '{' });
    await router.send({ verb: 'GET', path: '/mcp?token=abc' });
    await router.call('no/such', {});
    await router.call('tools/list', {}, { headers: { host: 'evil.example' } });
    expect(servers()).toEqual([]);
    expect(
      https().map(({ name, attributes, status }) => [
        name,
        attributes['http.response.status_code'],
        attributes['rpc.response.status_code'],
        attributes['url.path'],
        status.code,
      ]),
    ).toEqual([
      ['POST', 400, '-32700', '/mcp', SpanStatusCode.UNSET],
      ['GET', 405, '-32600', '/mcp', SpanStatusCode.UNSET],
      ['POST', 404, '-32601', '/mcp', SpanStatusCode.UNSET],
      ['POST', 403, '-32600', '/mcp', SpanStatusCode.UNSET],
    ]);
  });

  it.each(['garbage', PARENT.replace('00-', 'ff-'), `00-${'0'.repeat(32)}-1a2b3c4d5e6f7081-01`])(
    'is not harmed by traceparent %j',
    async (traceparent) => {
      const answer = await router.tool(
        'flow',
        {},
        { meta: { traceparent, tracestate: 'x'.repeat(5_000), baggage: ',,;;==' } },
      );
      expect(answer.status).toBe(200);
    },
  );
});
