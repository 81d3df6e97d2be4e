import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { completes } from '../testing/replies.js';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const worker = new ScriptedWorker({ echo: { script: () => completes('done') } });
let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());
afterEach(() => exporter.reset());

/** Keys of a client's own, some of them looking like those of a trace. */
const vendorKey = fc.oneof(
  fc.constantFrom('com.example/traceparent', 'Traceparent', 'traceparent2', 'com.example/x', 'toString'),
  fc.stringMatching(/^[a-z]{1,8}\.[a-z]{1,8}\/[a-z]{1,8}$/),
);
const vendor = fc.dictionary(vendorKey, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 6 });
const sampledParent = fc.stringMatching(/^00-[1-9a-f]{32}-[1-9a-f]{16}-01$/);
const traceKeys = fc.record(
  { traceparent: fc.oneof(sampledParent, fc.string()), tracestate: fc.string(), baggage: fc.string() },
  { requiredKeys: [] },
);
/** Arguments that name trace keys themselves: they are the tool's, whatever they are called. */
const args = fc.record(
  {
    traceparent: fc.jsonValue({ maxDepth: 1 }),
    _meta: fc.record({ traceparent: fc.string() }),
    x: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
);

describe('what a worker gets', () => {
  it('is the client’s _meta without the trace keys, its arguments to the byte, and the router’s own span as parent', async () => {
    await fc.assert(
      fc.asyncProperty(vendor, traceKeys, args, async (own, incoming, given) => {
        exporter.reset();
        const answer = await router.tool('echo', given, { meta: { ...own, ...incoming } });
        expect(answer.status).toBe(200);
        const call = worker.calls.at(-1);
        // As it was written: JSON has no -0.
        expect(call?.meta ?? {}).toEqual(JSON.parse(JSON.stringify(own)));
        expect(call?.body).toBe(JSON.stringify(given));
        const client = exporter.getFinishedSpans().find(({ attributes }) => attributes['server.port'] !== undefined);
        expect(call?.trace.traceparent).toContain(client?.spanContext().spanId);
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  it('has none of the keys that are the protocol’s or the trace’s among the client’s own', async () => {
    await router.tool('echo', {}, { meta: { traceparent: 'x', tracestate: 'y', baggage: 'k=v', 'a.b/c': 1 } });
    expect(Object.keys(worker.calls.at(-1)?.meta ?? {})).toEqual(['a.b/c']);
  });

  it('has the client’s baggage to the byte, with and without a parent', async () => {
    const baggage = 'tenant=a%20b; prop , user=x';
    await router.tool('echo', {}, { meta: { baggage } });
    expect(worker.calls.at(-1)?.trace.baggage).toBe(baggage);
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    await router.tool('echo', {}, { meta: { traceparent, baggage } });
    expect(worker.calls.at(-1)?.trace.baggage).toBe(baggage);
    await router.tool('echo', {}, { headers: { baggage } });
    expect(worker.calls.at(-1)?.trace.baggage).toBe(baggage);
  });

  it('has a sampled parent only when the router records', async () => {
    await router.tool('echo', {}, { meta: { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00` } });
    expect(worker.calls.at(-1)?.trace.traceparent).toMatch(new RegExp(`^00-${'1'.repeat(32)}-[0-9a-f]{16}-00$`));
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
