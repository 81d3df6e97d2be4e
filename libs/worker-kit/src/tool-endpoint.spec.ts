import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import type { CallReply } from '@roundhouse/contracts';
import { Call } from './call.js';
import { audio, embedded, image, resourceLink, structured, text } from './content.js';
import { Tool } from './declarations.js';
import { ToolFailure } from './failures.js';
import { SpecWorker, textsOf, toRequest } from './test-kit/flow-driver.js';

const Order = z.object({
  title: z.string().max(20),
  count: z.int().min(1).default(1),
  tags: z.record(z.string(), z.string()).optional(),
});
const Receipt = z.object({ id: z.string() });
const depth = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

class Tools {
  @Tool({ name: 'order', description: 'Echoes its input', input: Order })
  order(input: z.output<typeof Order>) {
    return JSON.stringify(input);
  }

  @Tool({
    name: 'any',
    description: 'Takes anything',
    rawInputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
  })
  any(input: Readonly<Record<string, unknown>>) {
    return Object.keys(input).join();
  }

  @Tool({
    name: 'receipt',
    description: 'Has an output schema',
    input: z.object({ leak: z.boolean() }),
    output: Receipt,
  })
  receipt({ leak }: { leak: boolean }) {
    return structured(leak ? { id: 7, password: 'hunter2' } : { id: 'r1', password: 'hunter2' });
  }

  @Tool({ name: 'unstructured', description: 'Forgets its structured content', output: Receipt })
  unstructured() {
    return 'plain';
  }

  @Tool({ name: 'fails', description: 'Fails for the caller' })
  fails(): string {
    throw new ToolFailure('There is no such order');
  }

  @Tool({ name: 'throws', description: 'Has a bug' })
  async throws(): Promise<string> {
    throw new Error('secret connection string');
  }

  @Tool({ name: 'broken', description: 'Returns what it must not' })
  broken() {
    return undefined as unknown as string;
  }

  @Tool({ name: 'blocks', description: 'Returns blocks' })
  blocks() {
    return [
      text('a', { audience: ['user'] }),
      image(Uint8Array.of(1, 2), 'image/png'),
      audio('UklG', 'audio/wav'),
      embedded({ uri: 'test://x', text: 'x' }),
      resourceLink({ uri: 'test://y', name: 'y' }),
    ];
  }

  @Tool({ name: 'own_members', description: 'Tries to write what only the router writes' })
  ownMembers() {
    return {
      content: [text('x')],
      meta: { 'example/a': 1 },
      resultType: 'input_required',
      _meta: {},
      ttlMs: 1,
      cacheScope: 'public',
    } as never;
  }

  @Tool({ name: 'huge', description: 'Returns too much' })
  huge() {
    return 'x'.repeat(300);
  }

  @Tool({
    name: 'bad_schema',
    description: 'Has a check that throws',
    input: z.object({
      a: z.string().refine(() => {
        throw new Error('bug');
      }),
    }),
  })
  badSchema() {
    return 'never';
  }

  @Tool({ name: 'context', description: 'Tells what it knows' })
  context(_: unknown, call: Call) {
    const { round, flowId, idempotencyKey, principal, meta } = call;
    return JSON.stringify({
      round,
      flowId,
      idempotencyKey,
      principal,
      meta,
      hasTime: call.deadlineMs > 0,
      form: call.can('elicitation.form'),
      url: call.can('elicitation.url'),
    });
  }
}

let log: jest.SpiedFunction<typeof Logger.prototype.error>;
beforeEach(() => {
  log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
});
afterEach(() => log.mockRestore());

async function call(target: string, body?: string, limits = {}): Promise<CallReply> {
  const worker = await SpecWorker.start({ tools: [Tools], limits });
  return worker.reply(toRequest(target, body === undefined ? {} : { body }));
}

const isError = (reply: CallReply) =>
  reply.kind === 'complete' && (JSON.parse(reply.body) as { isError?: boolean }).isError;

describe('arguments', () => {
  it('reads absent arguments as an empty object', async () => {
    expect(textsOf(await call('any'))).toEqual(['']);
  });

  it('applies the defaults of the schema', async () => {
    expect(textsOf(await call('order', '{"title":"x"}'))).toEqual(['{"title":"x","count":1}']);
  });

  it('names what is wrong by path and never repeats a value', async () => {
    const reply = await call('order', '{"title":"my secret title that is far too long","count":-77}');
    expect(isError(reply)).toBe(true);
    const [problem] = textsOf(reply);
    expect(problem).toMatch(/^Invalid arguments\ntitle: .*\ncount: /);
    expect(problem).not.toMatch(/secret|77/);
  });

  it('names what is wrong with a raw schema', async () => {
    expect(textsOf(await call('any', '{"n":"hunter2"}'))).toEqual(['Invalid arguments\nn: must be integer']);
  });

  it.each(['[]', '"x"', 'null', '1', '{', ''])('refuses %j as arguments', async (body) => {
    expect(await call('any', body)).toMatchObject({ kind: 'error', code: 'invalid_params' });
  });

  it.each(['order', 'any'])('leaves __proto__ and constructor harmless in %s', async (tool) => {
    const body =
      '{"title":"x","__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"tags":{"__proto__":"y"}}';
    expect((await call(tool, body)).kind).toBe('complete');
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it.each([100, 5_000])('survives arguments nested %d deep', async (levels) => {
    expect((await call('any', depth(levels))).kind).toBe('complete');
  });

  it("costs one call when the author's check throws", async () => {
    expect(await call('bad_schema', '{"a":"x"}')).toMatchObject({ kind: 'error', code: 'failed' });
  });

  it('keeps the list of problems short', async () => {
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`.repeat(200), index]));
    const [problem] = textsOf(await call('order', JSON.stringify({ title: 'x', tags })));
    expect(problem?.length).toBeLessThan(2_000);
    expect(problem).toMatch(/and 42 more$/);
  });
});

describe('results', () => {
  it('holds the blocks in their order', async () => {
    const reply = (await call('blocks')) as Extract<CallReply, { kind: 'complete' }>;
    expect(JSON.parse(reply.body)).toEqual({
      content: [
        { type: 'text', text: 'a', annotations: { audience: ['user'] } },
        { type: 'image', data: 'AQI=', mimeType: 'image/png' },
        { type: 'audio', data: 'UklG', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'test://x', text: 'x' } },
        { type: 'resource_link', uri: 'test://y', name: 'y' },
      ],
    });
  });

  it('sends of structured content only what the schema names, also as text', async () => {
    const reply = (await call('receipt', '{"leak":false}')) as Extract<CallReply, { kind: 'complete' }>;
    expect(JSON.parse(reply.body)).toEqual({
      content: [{ type: 'text', text: '{"id":"r1"}' }],
      structuredContent: { id: 'r1' },
    });
  });

  it.each([
    ['receipt', '{"leak":true}'],
    ['unstructured', '{}'],
  ])('turns a result of %s that breaks its own schema into an error', async (tool, body) => {
    const reply = await call(tool, body);
    expect(isError(reply)).toBe(true);
    expect(textsOf(reply)).toEqual(['The result did not match its declared schema']);
    expect(JSON.stringify(log.mock.calls)).not.toContain('hunter2');
  });

  it('tells the caller the message of a ToolFailure and logs nothing', async () => {
    const reply = await call('fails');
    expect(isError(reply)).toBe(true);
    expect(textsOf(reply)).toEqual(['There is no such order']);
    expect(log).not.toHaveBeenCalled();
  });

  it.each(['throws', 'broken'])('tells the caller nothing of a bug in %s and logs its stack', async (tool) => {
    const reply = await call(tool);
    expect(isError(reply)).toBe(true);
    expect(textsOf(reply)).toEqual(['The tool failed']);
    expect(log).toHaveBeenCalledTimes(1);
    expect(String(log.mock.calls[0]?.[1])).toMatch(/Error: .*\n\s+at /);
  });

  it('leaves to the router what only the router writes', async () => {
    const reply = (await call('own_members')) as Extract<CallReply, { kind: 'complete' }>;
    expect(reply).toEqual({
      kind: 'complete',
      body: '{"content":[{"type":"text","text":"x"}]}',
      meta: { 'example/a': 1 },
    });
  });

  it('replaces a result that is too large', async () => {
    const reply = await call('huge', undefined, { resultCharsMax: 200 });
    expect(textsOf(reply)).toEqual(['The result was too large']);
  });
});

describe('the call', () => {
  it('tells what the router said', async () => {
    const worker = await SpecWorker.start({ tools: [Tools] });
    const request = toRequest('context', {
      round: 3,
      flowId: 'f',
      idempotencyKey: 'k',
      meta: { 'example/a': 1 },
      clientCapabilities: { elicitation: {} },
    });
    expect(JSON.parse(textsOf(await worker.reply(request))[0] ?? '')).toEqual({
      round: 3,
      flowId: 'f',
      idempotencyKey: 'k',
      principal: { kind: 'anonymous' },
      meta: { 'example/a': 1 },
      hasTime: true,
      form: true,
      url: false,
    });
  });
});
