import { describe, expect, it } from '@jest/globals';
import type { CallReply, CallRequest } from '@roundhouse/contracts';
import { Call } from './call.js';
import { text } from './content.js';
import { Complete, Prompt, Resource, Tool, type Variables } from './declarations.js';
import { ResourceMissing, ToolFailure } from './failures.js';
import { form, string } from './form.js';
import { SpecFlow, SpecWorker, toRequest } from './test-kit/flow-driver.js';

class Library {
  @Resource({ uri: 'test://text', name: 'text', mimeType: 'text/plain', cache: { ttlMs: 1_000, scope: 'public' } })
  text() {
    return 'static';
  }

  @Resource({ uri: 'test://bytes', name: 'bytes', mimeType: 'image/png' })
  bytes() {
    return Uint8Array.of(1, 2);
  }

  @Resource({ uri: 'test://empty', name: 'empty' })
  empty() {
    return [];
  }

  @Resource({ uri: 'test://throws', name: 'throws' })
  throws(): string {
    throw new Error('secret path');
  }

  @Resource({ uriTemplate: 'test://books/{id}/pages/{page}', name: 'page' })
  page({ id, page }: Variables) {
    if (id === 'gone') return undefined;
    if (id === 'missing') throw new ResourceMissing();
    return `${id}:${page}`;
  }

  @Prompt({ name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }, { name: 'how' }] })
  greet({ who, how }: Variables) {
    return {
      description: 'A greeting',
      messages: [{ role: 'assistant' as const, content: text(`${how ?? 'Hello'} ${who}`) }],
    };
  }

  @Prompt({ name: 'refuses', description: 'Refuses' })
  refuses(): string {
    throw new ToolFailure('not now');
  }

  @Prompt({ name: 'asks', description: 'Asks first' })
  async asks(_: Variables, call: Call) {
    const answer = await call.ask('context', form('Context?', { context: string() }));
    return answer.action === 'accept' ? answer.content.context : answer.action;
  }

  @Complete({ prompt: 'greet', argument: 'who' })
  who(value: string, { arguments: known }: { arguments: Variables }) {
    return Array.from({ length: 150 }, (_, index) => `${value}${known['how'] ?? ''}${index}`);
  }

  @Complete({ uriTemplate: 'test://books/{id}/pages/{page}', argument: 'id' })
  id(value: string) {
    return { values: [`${value}!`], total: 1, hasMore: false };
  }

  @Tool({ name: 'greet', description: 'A tool may have the name of a prompt' })
  tool() {
    return 'tool';
  }
}

async function call(method: CallRequest['method'], target: string, body?: unknown): Promise<CallReply> {
  const worker = await SpecWorker.start({ tools: [Library] });
  return worker.reply(toRequest(target, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }));
}

const bodyOf = (reply: CallReply): unknown => (reply.kind === 'complete' ? JSON.parse(reply.body) : reply);

describe('resources/read', () => {
  it('gives text, with the caching hint beside it', async () => {
    expect(await call('resources/read', 'test://text')).toEqual({
      kind: 'complete',
      body: '{"contents":[{"uri":"test://text","mimeType":"text/plain","text":"static"}]}',
      cache: { ttlMs: 1_000, scope: 'public' },
    });
  });

  it('gives bytes as base64', async () => {
    expect(bodyOf(await call('resources/read', 'test://bytes'))).toEqual({
      contents: [{ uri: 'test://bytes', mimeType: 'image/png', blob: 'AQI=' }],
    });
  });

  it('hands the variables of a template over, decoded', async () => {
    expect(bodyOf(await call('resources/read', 'test://books/a%20b/pages/7'))).toMatchObject({
      contents: [{ text: 'a b:7' }],
    });
  });

  it.each([
    'test://nowhere',
    'test://books/gone/pages/1',
    'test://books/missing/pages/1',
    'test://empty',
    'test://books/a/b/pages/1',
    '',
    '__proto__',
    'test://books/%E0%A4%A/pages/1',
  ])('answers not found for %j, never empty contents', async (uri) => {
    expect(await call('resources/read', uri)).toMatchObject({ kind: 'error', code: 'resource_not_found' });
  });

  it('tells nothing of a bug', async () => {
    expect(await call('resources/read', 'test://throws')).toEqual({
      kind: 'error',
      code: 'failed',
      message: 'The resource could not be read',
    });
  });
});

describe('prompts/get', () => {
  it('hands the arguments over', async () => {
    expect(bodyOf(await call('prompts/get', 'greet', { who: 'Ada' }))).toEqual({
      description: 'A greeting',
      messages: [{ role: 'assistant', content: { type: 'text', text: 'Hello Ada' } }],
    });
  });

  it.each([[undefined], [{}], [{ who: 1 }], [[]], [{ who: 'Ada', how: { a: 1 } }]])(
    'refuses the arguments %j',
    async (body) => {
      expect(await call('prompts/get', 'greet', body)).toMatchObject({ kind: 'error', code: 'invalid_params' });
    },
  );

  it('fails with what the author threw for the log', async () => {
    expect(await call('prompts/get', 'refuses')).toEqual({ kind: 'error', code: 'failed', message: 'not now' });
  });

  it('can ask', async () => {
    const flow = new SpecFlow(() => ({ tools: [Library] }), 'asks', { method: 'prompts/get' });
    expect((await flow.next()).kind).toBe('input_required');
    const last = await flow.next({ context: { action: 'accept', content: { context: 'night' } } });
    expect(bodyOf(last)).toEqual({ messages: [{ role: 'user', content: { type: 'text', text: 'night' } }] });
  });
});

describe('completion/complete', () => {
  const complete = (params: unknown) => call('completion/complete', 'whatever', params);

  it('gives at most 100 values and says that there are more', async () => {
    const ref = { type: 'ref/prompt', name: 'greet' };
    const reply = bodyOf(
      await complete({ ref, argument: { name: 'who', value: 'a' }, context: { arguments: { how: 'b' } } }),
    );
    const { completion } = reply as { completion: { values: string[]; hasMore: boolean } };
    expect(completion.values).toHaveLength(100);
    expect(completion.values[0]).toBe('ab0');
    expect(completion.hasMore).toBe(true);
  });

  it('completes variables of a template', async () => {
    const ref = { type: 'ref/resource', uri: 'test://books/{id}/pages/{page}' };
    expect(bodyOf(await complete({ ref, argument: { name: 'id', value: 'x' } }))).toEqual({
      completion: { values: ['x!'], total: 1, hasMore: false },
    });
  });

  it('has no values for what has no completion', async () => {
    const ref = { type: 'ref/prompt', name: 'greet' };
    expect(bodyOf(await complete({ ref, argument: { name: '__proto__', value: '' } }))).toEqual({
      completion: { values: [] },
    });
  });

  it.each([
    { type: 'ref/prompt', name: 'constructor' },
    { type: 'ref/resource', uri: 'test://books/{id}' },
  ])('does not know %j', async (ref) => {
    expect(await complete({ ref, argument: { name: 'who', value: '' } })).toMatchObject({ code: 'unknown_target' });
  });

  it.each([
    [undefined],
    [{}],
    [{ ref: { type: 'ref/prompt' }, argument: {} }],
    [{ ref: { type: 'ref/tool', name: 'greet' }, argument: { name: 'a', value: 'b' } }],
  ])('refuses the params %j', async (params) => {
    expect(await complete(params)).toMatchObject({ code: 'invalid_params' });
  });
});

describe('an unknown name', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', '', 'asks'])('%j is no tool', async (name) => {
    expect(await call('tools/call', name)).toMatchObject({ kind: 'error', code: 'unknown_target' });
  });

  it('is told apart by method', async () => {
    expect(bodyOf(await call('tools/call', 'greet'))).toMatchObject({ content: [{ text: 'tool' }] });
    expect(await call('prompts/get', 'nothing')).toMatchObject({ code: 'unknown_target' });
    expect(await call('tasks/get' as never, 'greet')).toMatchObject({ code: 'unknown_target' });
  });
});
