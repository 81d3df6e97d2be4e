import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { PATTERN } from '@roundhouse/contracts';
import { RpcClient, type RunningService } from '@roundhouse/service-kit';
import { replayConfig } from './config.js';
import { startReplay } from './start-replay.js';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const FLOW_ID = 'f'.repeat(22);
const TRACE = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, flowId: FLOW_ID };
const [claimId, owner] = ['c'.repeat(43), 'owner-of-the-claim'];
const CLAIM = { claimId, owner, fingerprint: 'd'.repeat(43), leaseMs: 60_000, retainMs: 60_000 };

let service: RunningService;
let client: RpcClient;
beforeAll(async () => {
  const config = replayConfig.load({ ROUNDHOUSE_REPLAY_STORE: 'memory', ROUNDHOUSE_LOG_LEVEL: 'silent' });
  service = await startReplay({ ...config, listen: { host: '127.0.0.1', port: 0 } });
  client = new RpcClient(service.address);
});
afterEach(() => exporter.reset());
afterAll(async () => {
  client.close();
  await service.close();
});

const ask = (pattern: string, message: object): Promise<unknown> => client.ask(pattern, message, 5_000);

describe('the span of a claim', () => {
  it('hangs under the router’s, names the flow, and tells the answer', async () => {
    await ask(PATTERN.claim, { ...CLAIM, trace: TRACE });
    await ask(PATTERN.settle, { claimId, owner, result: 'sealed result', retainMs: 60_000, trace: TRACE });
    await ask(PATTERN.claim, { ...CLAIM, owner: 'owner-of-the-twin', trace: TRACE });
    await ask(PATTERN.claim, { ...CLAIM, fingerprint: 'e'.repeat(43), trace: TRACE });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name, attributes }) => [name, attributes['roundhouse.replay.outcome']])).toEqual([
      ['roundhouse.replay.claim', 'new'],
      ['roundhouse.replay.settle', undefined],
      ['roundhouse.replay.claim', 'done'],
      ['roundhouse.replay.claim', 'conflict'],
    ]);
    for (const { kind, parentSpanContext, attributes } of spans) {
      expect([kind, parentSpanContext?.spanId]).toEqual([SpanKind.SERVER, 'b'.repeat(16)]);
      expect(Object.keys(attributes).sort()).toEqual(
        expect.arrayContaining(['network.transport', 'roundhouse.flow.id']) as unknown,
      );
      expect(JSON.stringify(attributes)).not.toMatch(/sealed result|c{43}|owner/);
    }
  });

  it.each([
    ['the router records nothing', undefined],
    ['its flag says so', { ...TRACE, traceparent: TRACE.traceparent.replace(/01$/, '00') }],
    ['it is broken', { traceparent: 7, flowId: FLOW_ID }],
    ['the flow has no id of ours', { ...TRACE, flowId: 'x'.repeat(5_000) }],
    ['it is no object', 'trace'],
  ])('is not made when %s, and the claim is answered', async (_when, carried) => {
    expect(await ask(PATTERN.claim, { ...CLAIM, trace: carried })).toMatchObject({ status: expect.any(String) });
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('is an error when the store fails', async () => {
    const tooMany = Array.from({ length: 2 }, (_, at) => ({
      ...CLAIM,
      claimId: `${at}`.padStart(43, 'c'),
      principal: 'p'.repeat(43),
    }));
    const limited = await startReplay({
      ...replayConfig.load({ ROUNDHOUSE_REPLAY_STORE: 'memory', ROUNDHOUSE_LOG_LEVEL: 'silent' }),
      listen: { host: '127.0.0.1', port: 0 },
      openClaimsPerPrincipalMax: 1,
    });
    const own = new RpcClient(limited.address);
    const answers = await Promise.allSettled(
      tooMany.map((claim) => own.ask(PATTERN.claim, { ...claim, trace: TRACE }, 5_000)),
    );
    own.close();
    await limited.close();
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(exporter.getFinishedSpans().map(({ status }) => status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.ERROR,
    ]);
  });
});
