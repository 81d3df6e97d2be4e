import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { RouterUnderTest, type Answer } from '../testing/router-under-test.js';
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
});
const PARENT = '00-5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5-1a2b3c4d5e6f7081-01';
const yes = accept({ ok: true });

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());
afterEach(() => exporter.reset());

const stateOf = (answer: Answer): string => answer.body.result?.requestState as string;
const servers = (): ReadableSpan[] => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
const linksOf = (span: ReadableSpan | undefined): unknown[] =>
  (span?.links ?? []).map(({ context, attributes }) => [context.spanId, attributes?.['roundhouse.link.kind']]);

async function playFlow(
  tool: string,
  options: { meta?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<void> {
  const first = await router.tool(tool, {}, options);
  const second = await router.tool(
    tool,
    {},
    { ...options, retry: { requestState: stateOf(first), inputResponses: { a: yes } } },
  );
  await router.tool(tool, {}, { ...options, retry: { requestState: stateOf(second), inputResponses: { b: yes } } });
}

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

  it('has the client’s span as parent when there is one, and the links all the same', async () => {
    await playFlow('flow', { meta: { traceparent: PARENT } });
    const [first, second] = servers();
    expect(second?.parentSpanContext?.spanId).toBe('1a2b3c4d5e6f7081');
    expect(second?.spanContext().traceId).toBe('5f0c1f6d2b3a4c5d8e9fa0b1c2d3e4f5');
    expect(linksOf(second)).toEqual([[first?.spanContext().spanId, 'mrtr.previous_round']]);
  });

  it('takes its parent from the headers when the body names none', async () => {
    await router.tool('flow', {}, { headers: { traceparent: PARENT } });
    expect(servers()[0]?.parentSpanContext?.spanId).toBe('1a2b3c4d5e6f7081');
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
    const [client] = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(client?.parentSpanContext?.spanId).toBe(servers()[0]?.spanContext().spanId);
    expect(worker.calls.at(-1)?.trace.traceparent).toContain(client?.spanContext().spanId);
  });

  it('has a child that names the replica which ran the call', async () => {
    await router.tool('flow', {});
    const [client] = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(client?.attributes['server.address']).toMatch(/^127\.0\.0\.1:\d+$/);
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
