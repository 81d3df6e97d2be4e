import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Injectable } from '@nestjs/common';
import type { CallRequest } from '@roundhouse/contracts';
import { Call } from './call.js';
import { Tool } from './declarations.js';
import { ToolFailure } from './failures.js';
import { boolean, form } from './form.js';
import { SpecWorker, toRequest } from './test-kit/flow-driver.js';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
afterEach(() => exporter.reset());

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

@Injectable()
class Tools {
  @Tool({ name: 'now', description: 'Answers at once' })
  now() {
    return 'secret result';
  }

  @Tool({ name: 'later', description: 'Answers later' })
  async later() {
    return 'done';
  }

  @Tool({ name: 'fails', description: 'Says that it failed' })
  async fails(): Promise<string> {
    throw new ToolFailure('secret reason');
  }

  @Tool({ name: 'asks', description: 'Asks' })
  async asks(_: unknown, call: Call) {
    await call.ask('sure', form('Sure?', { ok: boolean() }));
    return 'done';
  }
}

async function run(tool: string, rest: Partial<CallRequest> = {}) {
  const worker = await SpecWorker.start({ tools: [Tools] });
  const request = { ...toRequest(tool), trace: { traceparent: TRACEPARENT }, ...rest };
  await new Promise<void>((complete) => {
    worker.controller.call(request, worker.context).subscribe({ complete });
  });
  return exporter.getFinishedSpans();
}

describe('the span of a run', () => {
  it('is a server’s, hangs under the router’s, and says which flow and round it is of', async () => {
    const [span] = await run('now', { flowId: 'flow', round: 3 });
    expect([span?.name, span?.kind, span?.parentSpanContext?.spanId]).toEqual([
      'tools/call now',
      SpanKind.SERVER,
      'b'.repeat(16),
    ]);
    expect(span?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'now',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'tcp',
      'roundhouse.flow.id': 'flow',
      'roundhouse.mrtr.round': 3,
    });
    expect(JSON.stringify(span?.attributes)).not.toContain('secret');
  });

  it.each([
    ['later', undefined, undefined, SpanStatusCode.UNSET],
    ['asks', 'input_required', undefined, SpanStatusCode.UNSET],
    ['fails', undefined, 'tool_error', SpanStatusCode.ERROR],
  ])('of %s ends as %s, %s', async (tool, resultType, errorType, status) => {
    const [span] = await run(tool);
    expect([span?.attributes['mcp.result.type'], span?.attributes['error.type'], span?.status.code]).toEqual([
      resultType,
      errorType,
      status,
    ]);
    expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain('secret');
  });

  it.each([
    ['the router does not record', { traceparent: TRACEPARENT.replace(/01$/, '00') }],
    ['there is no context', {}],
    ['the context is broken', { traceparent: 'broken-01' }],
  ])('is not made when %s', async (_when, carrier) => {
    expect(await run('now', { trace: carrier })).toEqual([]);
  });

  it('is not made for what nobody serves, so that no name comes from a caller', async () => {
    expect(await run('no_such_tool')).toEqual([]);
  });
});
