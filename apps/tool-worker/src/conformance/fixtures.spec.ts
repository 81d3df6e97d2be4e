import { describe, expect, it } from '@jest/globals';
import {
  catalogueSchema,
  type CallItem,
  type CallReply,
  type CallRequest,
  type WatchItem,
} from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf, toRequest, type Round } from '@roundhouse/worker-kit/testing';
import { AskingTools } from './asking-tools.js';
import { ContentTools } from './content-tools.js';
import { LegacyTools } from './legacy-tools.js';
import { NotifyingTools } from './notifying-tools.js';
import { ReadingFixtures } from './reading-fixtures.js';

const tools = [ContentTools, AskingTools, NotifyingTools, LegacyTools, ReadingFixtures];
const start = () => SpecWorker.start({ tools });
/** Calls without a flow leave nothing behind, so one worker serves them all. */
const shared = start();
const call = async (target: string, round: Round = {}) => (await shared).reply(toRequest(target, round));
const read = (target: string, method: CallRequest['method'], body?: unknown) =>
  call(target, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
const bodyOf = (reply: CallReply): unknown => (reply.kind === 'complete' ? JSON.parse(reply.body) : reply);
const asksOf = (reply: CallReply) =>
  reply.kind === 'input_required' ? Object.entries(reply.asks).map(([key, { method }]) => [key, method]) : reply;
const flowOf = (target: string, round: Round = {}) => new SpecFlow(() => ({ tools }), target, round);
const accept = (content: Record<string, unknown>) => ({ action: 'accept', content });
const model = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' };

describe('the fixtures of the conformance suite', () => {
  it('make a catalogue whose first tool takes no arguments and whose first resource can be read', async () => {
    const catalogue = catalogueSchema.parse((await shared).controller.describe());
    expect(catalogue.tools[0]?.name).toBe('test_simple_text');
    expect(catalogue.resources[0]?.name).toBe('test://static-text');
    for (const { json } of [...catalogue.tools, ...catalogue.prompts])
      expect((JSON.parse(json) as { description: string }).description).not.toBe('');
    const annotated = catalogue.tools.filter(({ json }) => json.includes('x-mcp-header')).map(({ name }) => name);
    expect(annotated).toEqual(['test_x_mcp_header']);
  });

  it.each<[string, unknown[]]>([
    ['test_simple_text', [{ type: 'text', text: 'This is a simple text response for testing.' }]],
    ['test_image_content', [{ type: 'image', data: expect.any(String), mimeType: 'image/png' }]],
    ['test_audio_content', [{ type: 'audio', data: expect.any(String), mimeType: 'audio/wav' }]],
    [
      'test_embedded_resource',
      [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    ],
    [
      'test_multiple_content_types',
      [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: expect.any(String), mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: '{"test":"data","value":123}',
          },
        },
      ],
    ],
    ['test_x_mcp_header', [{ type: 'text', text: 'region none, level none' }]],
    ['test_logging_tool', [{ type: 'text', text: 'Logging was tried.' }]],
    ['test_streaming_elicitation', [{ type: 'text', text: 'Nothing had to be asked.' }]],
  ])('%s returns what the suite asks for', async (tool, content) => {
    expect(bodyOf(await call(tool))).toEqual({ content });
  });

  it('test_error_handling is a result that is an error', async () => {
    expect(bodyOf(await call('test_error_handling'))).toEqual({
      content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
      isError: true,
    });
  });

  it.each([
    [true, [0, 50, 100]],
    [false, []],
  ])('test_tool_with_progress reports only when asked (%s)', async (wantsProgress, progress) => {
    const items = await (await shared).items(toRequest('test_tool_with_progress', { wantsProgress }));
    expect(items.filter((item) => item.kind === 'progress').map((item) => item.progress)).toEqual(progress);
  });

  it.each<[CallRequest['logLevel'], number]>([
    ['debug', 3],
    ['error', 1],
    [undefined, 0],
  ])('test_logging_tool logs from %s up', async (logLevel, lines) => {
    const items: CallItem[] = await (
      await shared
    ).items(toRequest('test_logging_tool', { ...(logLevel && { logLevel }) }));
    expect(items.filter(({ kind }) => kind === 'log')).toHaveLength(lines);
  });

  it('test_tool_with_logging logs three lines in order', async () => {
    const items = await (await shared).items(toRequest('test_tool_with_logging', { logLevel: 'info' }));
    expect(items.flatMap((item) => (item.kind === 'log' ? [item.data] : []))).toEqual([
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ]);
  });

  it.each<[true | undefined, string[]]>([
    [true, ['close_stream', 'complete']],
    [undefined, ['complete']],
  ])(
    'test_reconnection closes its stream where it may (%s) and answers all the same',
    async (mayCloseStream, kinds) => {
      const items = await (
        await shared
      ).items(toRequest('test_reconnection', { ...(mayCloseStream && { mayCloseStream }) }));
      expect(items.map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  it.each([
    ['test_trigger_tool_change', 'tools'],
    ['test_trigger_prompt_change', 'prompts'],
  ])('%s tells that %s have changed', async (tool, list) => {
    const worker = await start();
    const items: WatchItem[] = [];
    worker.controller.watch(worker.context).subscribe((item) => items.push(item));
    await worker.reply(toRequest(tool));
    expect(items.slice(1)).toEqual([{ kind: 'list_changed', list }]);
  });

  it('json_schema_2020_12_tool publishes its schema as it stands and checks by it', async () => {
    const entry = (await shared).controller.describe().tools.find(({ name }) => name === 'json_schema_2020_12_tool');
    expect(JSON.parse(entry?.json ?? '')).toMatchObject({
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: { address: { $anchor: 'addressDef' } },
        properties: { address: { $ref: '#/$defs/address' } },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        additionalProperties: false,
      },
    });
    expect(textsOf(await call('json_schema_2020_12_tool', { body: '{"name":"x"}' }))[0]).toMatch(/^Invalid arguments/);
    expect(textsOf(await call('json_schema_2020_12_tool', { body: '{"email":"x"}' }))).toEqual([
      'Called with 1 arguments.',
    ]);
  });
});

describe('the fixtures that ask', () => {
  const name = accept({ name: 'Alice' });

  it('test_input_required_result_elicitation takes its answer in a first call and ignores other keys', async () => {
    const tool = 'test_input_required_result_elicitation';
    const first = await call(tool);
    expect(asksOf(first)).toEqual([['user_name', 'elicitation/create']]);
    expect(first).toMatchObject({ continuation: '' });
    expect(textsOf(await call(tool, { answers: { user_name: name, extra: name } }))).toEqual(['Hello, Alice!']);
    const noAnswers: Round['answers'][] = [
      { wrong: name },
      { user_name: accept({ name: 5 }) },
      { user_name: accept({}) },
    ];
    for (const answers of noAnswers) {
      expect((await call(tool, { ...(answers && { answers }) })).kind).toBe('input_required');
    }
  });

  it.each<[string, [string, string][], Record<string, Record<string, unknown>>, string]>([
    [
      'test_input_required_result_sampling',
      [['capital_question', 'sampling/createMessage']],
      { capital_question: model },
      'Paris',
    ],
    [
      'test_input_required_result_list_roots',
      [['client_roots', 'roots/list']],
      { client_roots: { roots: [{ uri: 'file:///a' }] } },
      'The client has 1 roots.',
    ],
    [
      'test_input_required_result_request_state',
      [['confirm', 'elicitation/create']],
      { confirm: accept({ ok: true }) },
      'state-ok',
    ],
    [
      'test_input_required_result_tampered_state',
      [['confirm', 'elicitation/create']],
      { confirm: accept({ ok: true }) },
      'state-ok',
    ],
    ['test_missing_capability', [['capital_question', 'sampling/createMessage']], { capital_question: model }, 'Paris'],
    [
      'test_input_required_result_multiple_inputs',
      [
        ['user_name', 'elicitation/create'],
        ['capital_question', 'sampling/createMessage'],
        ['client_roots', 'roots/list'],
      ],
      { user_name: name, capital_question: model, client_roots: { roots: [] } },
      'Alice; Paris; 0 roots',
    ],
  ])('%s asks, keeps state and completes', async (tool, asks, answers, said) => {
    const flow = flowOf(tool);
    const first = await flow.next();
    expect(asksOf(first)).toEqual(asks);
    expect(first).toMatchObject({ continuation: expect.stringContaining('"v":1') });
    expect(textsOf(await flow.next(answers))).toEqual([said]);
  });

  it('test_input_required_result_multi_round asks twice with different state', async () => {
    const flow = flowOf('test_input_required_result_multi_round');
    const first = await flow.next();
    const second = await flow.next({ step1: name });
    expect([asksOf(first), asksOf(second)]).toEqual([
      [['step1', 'elicitation/create']],
      [['step2', 'elicitation/create']],
    ]);
    expect(second.kind === 'input_required' && second.continuation).not.toBe(
      first.kind === 'input_required' && first.continuation,
    );
    expect(textsOf(await flow.next({ step2: accept({ color: 'blue' }) }))).toEqual(['Alice likes blue.']);
  });

  it('test_input_required_result_capabilities asks only what the client can be asked', async () => {
    const tool = 'test_input_required_result_capabilities';
    expect(asksOf(await call(tool, { clientCapabilities: { sampling: {} } }))).toEqual([
      ['capital_question', 'sampling/createMessage'],
    ]);
    expect(asksOf(await call(tool))).toHaveLength(3);
    expect(textsOf(await call(tool, { clientCapabilities: {} }))).toEqual(['The client cannot be asked anything.']);
  });

  it('test_missing_capability says in the catalogue what it needs', async () => {
    const entry = (await shared).controller.describe().tools.find(({ name }) => name === 'test_missing_capability');
    expect(entry?.needs).toEqual({ sampling: {} });
    expect(await call('test_missing_capability', { clientCapabilities: {} })).toMatchObject({
      code: 'missing_capability',
      requiredCapabilities: { sampling: {} },
    });
  });

  it.each(['test_sampling', 'test_elicitation'])('%s asks with what it was given', async (tool) => {
    const body = JSON.stringify({ prompt: 'my words', message: 'my words' });
    expect(JSON.stringify(await call(tool, { body }))).toContain('my words');
  });

  it('test_elicitation_sep1034_defaults has a default on every field', async () => {
    expect(await call('test_elicitation_sep1034_defaults')).toMatchObject({
      asks: {
        defaults: {
          params: {
            requestedSchema: {
              properties: {
                name: { type: 'string', default: 'John Doe' },
                age: { type: 'integer', default: 30 },
                score: { type: 'number', default: 95.5 },
                status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
                verified: { type: 'boolean', default: true },
              },
            },
          },
        },
      },
    });
  });

  it('test_elicitation_sep1330_enums has every kind of select', async () => {
    const values = ['option1', 'option2', 'option3'];
    const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Choice ${number}` }));
    const named = { enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option 1', 'Option 2', 'Option 3'] };
    const reply = await call('test_elicitation_sep1330_enums');
    const asks = reply.kind === 'input_required' ? reply.asks : {};
    expect(asks['enums']?.params?.['requestedSchema']).toEqual({
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: values },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', ...named },
        untitledMulti: { type: 'array', items: { type: 'string', enum: values } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
    });
  });
});

describe('the fixtures that are read', () => {
  it.each<[string, Record<string, unknown>]>([
    ['test://static-text', { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
    ['test://static-binary', { mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) }],
    ['test://watched-resource', { mimeType: 'text/plain', text: expect.any(String) }],
    [
      'test://template/123/data',
      { mimeType: 'application/json', text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}' },
    ],
  ])('%s has its content', async (uri, content) => {
    expect(bodyOf(await read(uri, 'resources/read'))).toEqual({ contents: [{ uri, ...content }] });
  });

  it('the resource that must not exist does not', async () => {
    expect(await read('test://nonexistent-resource-for-conformance-testing', 'resources/read')).toMatchObject({
      code: 'resource_not_found',
    });
  });

  it.each<[string, unknown, string]>([
    ['test_simple_prompt', undefined, '"role":"user"'],
    ['test_prompt_with_arguments', { arg1: 'one', arg2: 'two' }, "arg1='one', arg2='two'"],
    [
      'test_prompt_with_embedded_resource',
      { resourceUri: 'test://x' },
      '"type":"resource","resource":{"uri":"test://x"',
    ],
    ['test_prompt_with_image', undefined, '"mimeType":"image/png"'],
  ])('%s has its messages', async (prompt, args, part) => {
    expect(JSON.stringify(bodyOf(await read(prompt, 'prompts/get', args)))).toContain(part);
  });

  it('test_input_required_result_prompt asks first', async () => {
    const flow = flowOf('test_input_required_result_prompt', { method: 'prompts/get' });
    expect(asksOf(await flow.next())).toEqual([['user_context', 'elicitation/create']]);
    expect(bodyOf(await flow.next({ user_context: accept({ context: 'night' }) }))).toMatchObject({
      messages: [{ content: { text: 'Context: night' } }],
    });
  });

  it('an argument of a prompt has completions', async () => {
    const params = {
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 'test' },
    };
    expect(bodyOf(await read('', 'completion/complete', params))).toEqual({
      completion: { values: ['test', 'testing'] },
    });
  });
});
