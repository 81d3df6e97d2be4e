/** What a client of 2025 meets at one router, in front of workers whose every reply is scripted. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NEVER, concat, filter, firstValueFrom, of } from 'rxjs';
import { LegacyUnderTest, isQuestion, isResponse, type LegacyReplyUnderTest } from '../testing/legacy-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type RpcBody } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const URL_ASK = { method: 'elicitation/create', params: { mode: 'url', message: 'Open', url: 'https://example.org/' } };
const SEVERAL = {
  method: 'elicitation/create',
  params: {
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { all: { type: 'array', items: { type: 'string', enum: ['a'] } } } },
  },
};

const worker = new ScriptedWorker({
  plain: { script: () => completes('plain') },
  twice: {
    script: ({ answers = {} }) =>
      'first' in answers && 'second' in answers
        ? completes(JSON.stringify(answers))
        : asks('first' in answers ? { second: confirmAsk('And?') } : { first: confirmAsk() }),
  },
  forever: { script: () => asks({ again: confirmAsk() }) },
  by_url: { script: ({ answers }) => (answers === undefined ? asks({ page: URL_ASK }) : completes('opened')) },
  several: { script: () => asks({ all: SEVERAL }) },
  both: {
    script: ({ answers }) => (answers === undefined ? asks({ a: confirmAsk(), b: confirmAsk() }) : completes('')),
  },
  silent: { script: () => NEVER },
  counts: {
    script: ({ answers }) =>
      concat(
        of({ kind: 'progress', progress: 1, total: 2 }, { kind: 'progress', progress: 2, total: 2 }),
        answers === undefined ? asks({ sure: confirmAsk() }) : completes('counted'),
      ),
  },
  headed: {
    script: () => completes('headed'),
    definition: { inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } } },
  },
  shaped: {
    script: () => of({ kind: 'complete', body: '{"content":[],"structuredContent":[1]}' }),
    definition: { title: 'Shaped', outputSchema: { type: 'array' } },
  },
});

let router: RouterUnderTest;
let client: LegacyUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker], (config) => ({ ...config, flow: { ...config.flow, roundsMax: 3 } }));
  client = await LegacyUnderTest.begin(router, { capabilities: { elicitation: { form: {}, url: {} } } });
});
afterAll(() => router.stop());

const settled = async (reply: LegacyReplyUnderTest): Promise<RpcBody> => reply.next(isResponse);
const bodyOf = async (reply: LegacyReplyUnderTest): Promise<RpcBody> => {
  await reply.ended;
  return reply.messages[0] ?? {};
};

describe('the handshake', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2025-11-25'],
    ['1.0', '2025-11-25'],
  ])('is asked for %s and answers %s', async (asked, settledOn) => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const before = new LegacyUnderTest(router, '', {});
    const reply = await before.request('initialize', params);
    expect(await bodyOf(reply)).toMatchObject({ result: { protocolVersion: settledOn, serverInfo: {} } });
    expect(reply.headers['mcp-session-id']).toMatch(/^[\x21-\x7e]{64,600}$/);
  });

  it.each([
    ['no version', { capabilities: {}, clientInfo: { name: 'c' } }],
    ['a version that is a number', { protocolVersion: 20251125, capabilities: {}, clientInfo: { name: 'c' } }],
    ['no capabilities', { protocolVersion: '2025-11-25', clientInfo: { name: 'c' } }],
    ['no name', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }],
  ])('with %s makes no session', async (_what, params) => {
    const reply = await new LegacyUnderTest(router, '', {}).request('initialize', params);
    expect((await bodyOf(reply)).error?.code).toBe(-32602);
    expect(reply.headers['mcp-session-id']).toBeUndefined();
  });
});

describe('a session', () => {
  it('is demanded of every request', async () => {
    const reply = await new LegacyUnderTest(router, '', {}).request('tools/list');
    expect([reply.status, (await bodyOf(reply)).id]).toEqual([400, 1]);
  });

  it('is one principal’s, and no other’s although he has its id', async () => {
    const alice = await LegacyUnderTest.begin(router, { principal: 'alice' });
    expect((await alice.as('bob').request('ping')).status).toBe(404);
    expect((await new LegacyUnderTest(router, alice.sessionId, {}).request('ping')).status).toBe(404);
    expect((await alice.request('ping')).status).toBe(200);
  });

  it.each(['x', '../../other', '*', '{sess}:1', 'v1.', `v1.${'A'.repeat(300)}`, 'A'.repeat(9_000)])(
    'is refused when nobody sealed it: %.20s',
    async (id) => {
      const reply = await new LegacyUnderTest(router, id, {}).request('ping');
      expect([400, 404]).toContain(reply.status);
      expect((await bodyOf(reply)).error?.code).toBe(-32600);
    },
  );

  it.each(['2025-06-18', '1900-01-01', ''])('refuses the version header %p', async (version) => {
    const reply = await client.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': version });
    expect(reply.status).toBe(400);
  });

  it('is served without a version header', async () => {
    const reply = await client.send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': undefined });
    expect(await bodyOf(reply)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('has ended when its client ended it', async () => {
    const mine = await LegacyUnderTest.begin(router);
    expect((await mine.send(undefined, {}, 'DELETE')).status).toBe(204);
    expect((await mine.request('ping')).status).toBe(404);
    expect((await mine.send(undefined, {}, 'DELETE')).status).toBe(404);
    expect((await mine.send(undefined, {}, 'GET')).status).toBe(404);
  });

  it('is nothing to a modern request, which is served as one', async () => {
    const answer = await router.tool('plain', {}, { headers: { 'mcp-session-id': 'stray' } });
    expect(answer.body.result?.['resultType']).toBe('complete');
  });
});

describe('errors', () => {
  it.each([
    ['an unknown method', 'no/such', {}, 200, -32601],
    ['server/discover', 'server/discover', {}, 200, -32601],
    ['subscriptions/listen', 'subscriptions/listen', {}, 200, -32601],
    ['an unknown tool', 'tools/call', { name: 'no such' }, 200, -32602],
    ['a missing resource', 'resources/read', { uri: 'no:such' }, 200, -32002],
    ['a level that is none', 'logging/setLevel', { level: 'loud' }, 200, -32602],
    ['a subscription to nothing', 'resources/subscribe', {}, 200, -32602],
  ])('of %s are as the revision knows them', async (_what, method, params, status, code) => {
    const reply = await client.request(method, params);
    expect([reply.status, (await bodyOf(reply)).error?.code]).toEqual([status, code]);
  });

  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
    ['an empty batch', []],
    ['a response without a question', { jsonrpc: '2.0', id: 'x', result: {} }],
    ['an error without a question', { jsonrpc: '2.0', id: 1, error: { code: -1, message: '' } }],
    ['a request with params as a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
  ])('%s is refused', async (_what, message) => {
    const reply = await client.send(message);
    expect([reply.status, (await bodyOf(reply)).error?.code]).toEqual([400, -32600]);
  });

  it('a GET without a session is told what there is instead of HTTP+SSE', async () => {
    const answer = await router.send({ verb: 'GET', headers: { accept: 'text/event-stream' } });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect(answer.body.error?.message).toContain('POST initialize');
  });
});

describe('a call', () => {
  it('without questions is answered at once, as the revision knows results', async () => {
    const reply = await client.tool('plain');
    expect(await bodyOf(reply)).toEqual({
      ...{ jsonrpc: '2.0', id: expect.any(Number) },
      result: { content: [{ type: 'text', text: 'plain' }] },
    });
    expect(worker.calls.at(-1)?.revision).toBe('2026-07-28');
  });

  it('needs no mirrored headers', async () => {
    const reply = await client.tool('headed', { arguments: { r: 'eu' } });
    expect((await bodyOf(reply)).result?.content?.[0]?.text).toBe('headed');
  });

  it('takes no state and no answers from its client', async () => {
    const reply = await client.tool('twice', { requestState: 'v1.x', inputResponses: { first: accept({ ok: true }) } });
    const question = await reply.next(isQuestion);
    expect(question.params?.['message']).toContain('Sure?');
    await client.answer(question, { action: 'cancel' });
    await client.answer(await reply.next((message) => isQuestion(message) && message.id !== question.id), {
      action: 'cancel',
    });
    await settled(reply);
  });

  it('has no output that is no object', async () => {
    const reply = await client.tool('shaped');
    expect((await bodyOf(reply)).result).toEqual({ content: [] });
    const { result } = await bodyOf(await client.request('tools/list'));
    const tools = result?.['tools'] as Record<string, unknown>[];
    expect(tools.find(({ name }) => name === 'shaped')).toEqual({
      ...{ name: 'shaped', title: 'Shaped', description: 'shaped', inputSchema: { type: 'object' } },
    });
  });

  it('asks as often as it must, and the worker sees all answers under their keys', async () => {
    const reply = await client.tool('twice');
    const first = await reply.next(isQuestion);
    expect(first).toMatchObject({ method: 'elicitation/create', params: { requestedSchema: { type: 'object' } } });
    expect((await client.answer(first, accept({ ok: true }))).status).toBe(202);
    const second = await reply.next((message) => isQuestion(message) && message.id !== first.id);
    expect((await client.answer(second, { action: 'decline' })).status).toBe(202);
    const { result } = await settled(reply);
    expect(JSON.parse(result?.content?.[0]?.text ?? '')).toEqual({
      first: { action: 'accept', content: { ok: true } },
      second: { action: 'decline' },
    });
    expect(reply.messages.every((message) => !JSON.stringify(message).includes('input_required'))).toBe(true);
  });

  it('asks again for what an answer does not say, and ends when it is never said', async () => {
    const reply = await client.tool('forever');
    const seen = new Set<unknown>();
    for (let round = 1; round < 3; round += 1) {
      const question = await reply.next((message) => isQuestion(message) && !seen.has(message.id));
      seen.add(question.id);
      await client.answer(question, accept({ ok: 'not a boolean' }));
    }
    expect((await settled(reply)).error?.code).toBe(-32603);
  });

  it('by url carries an id of its own', async () => {
    const reply = await client.tool('by_url');
    const question = await reply.next(isQuestion);
    expect(question.params).toMatchObject({
      mode: 'url',
      url: 'https://example.org/',
      elicitationId: expect.any(String),
    });
    await client.answer(question, { action: 'accept' });
    expect((await settled(reply)).result?.content?.[0]?.text).toBe('opened');
  });

  it('counts its progress over all rounds, and only upwards', async () => {
    const reply = await client.tool('counts', { _meta: { progressToken: 0 } });
    await client.answer(await reply.next(isQuestion), accept({ ok: true }));
    await settled(reply);
    const told = reply.messages.filter(({ method }) => method === 'notifications/progress');
    expect(told.map(({ params }) => [params?.['progressToken'], params?.['progress'], params?.['total']])).toEqual([
      [0, 1, 2],
      [0, 2, 2],
      [0, 3, 4],
      [0, 4, 4],
    ]);
  });

  it.each([
    ['-1, refused', { code: -1, message: 'User rejected sampling request' }],
    ['-32601', { code: -32601, message: 'Method not found' }],
    ['nonsense', 'no'],
  ])('ends as the tool’s failure when its client answers with the error %s', async (_what, error) => {
    const reply = await client.tool('both');
    const question = await reply.next(isQuestion);
    expect((await client.send({ jsonrpc: '2.0', id: question.id, error })).status).toBe(202);
    const { result } = await settled(reply);
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).not.toContain('rejected');
    const withdrawn = reply.messages.filter(({ method }) => method === 'notifications/cancelled');
    expect(withdrawn).toHaveLength(1);
  });

  it('is not asked in a way its revision does not have', async () => {
    const older = await LegacyUnderTest.begin(router, { revision: '2025-06-18' });
    const { result } = await bodyOf(await older.tool('several'));
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('choice of several') }] });
  });

  it.each([
    ['declared nothing', { capabilities: {} }, 'both', 'elicitation.form'],
    ['declared forms only', {}, 'by_url', 'elicitation.url'],
    [
      'is older than urls',
      { revision: '2025-06-18', capabilities: { elicitation: { url: {} } } },
      'by_url',
      'elicitation.url',
    ],
    ['is older than forms', { revision: '2025-03-26', capabilities: { elicitation: {} } }, 'both', 'elicitation.form'],
  ])('of a client that %s is told what is missing, before anything is asked', async (_who, terms, tool, missing) => {
    const mine = await LegacyUnderTest.begin(router, terms);
    const { result } = await bodyOf(await mine.tool(tool));
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(missing) }] });
  });

  it('of a client that takes no stream cannot ask', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'both', arguments: {} } };
    const reply = await client.send(message, { accept: 'application/json' });
    expect((await bodyOf(reply)).result).toMatchObject({ isError: true });
  });
});

describe('a client that takes no stream', () => {
  const json = { accept: 'application/json' };
  const call = (name: string, args: object = {}) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: args },
  });

  it('is told which address to open, and goes on with the same call', async () => {
    const asked = await bodyOf(await client.send(call('by_url'), json));
    expect(asked.error).toEqual({
      code: -32042,
      message: expect.any(String),
      data: {
        elicitations: [
          { mode: 'url', message: expect.any(String), url: 'https://example.org/', elicitationId: expect.any(String) },
        ],
      },
    });
    const other = await bodyOf(await client.send(call('by_url', { another: 1 }), json));
    expect(other.error?.code).toBe(-32042);
    const stranger = await LegacyUnderTest.begin(router, { capabilities: { elicitation: { url: {} } } });
    expect((await bodyOf(await stranger.send(call('by_url'), json))).error?.code).toBe(-32042);
    const again = await bodyOf(await client.send(call('by_url'), json));
    expect(again.result?.content?.[0]?.text).toBe('opened');
    const anew = await bodyOf(await client.send(call('by_url'), json));
    expect(anew.error?.code).toBe(-32042);
  });

  it.each([
    ['by a form', { elicitation: { form: {}, url: {} } }, 'both'],
    ['by url when it opens none', { elicitation: { form: {} } }, 'by_url'],
  ])('is never asked %s', async (_how, capabilities, tool) => {
    const mine = await LegacyUnderTest.begin(router, { capabilities });
    expect((await bodyOf(await mine.send(call(tool), json))).result).toMatchObject({ isError: true });
  });
});

describe('an answer', () => {
  it('of another session, of nobody, or a second one is refused', async () => {
    const stranger = await LegacyUnderTest.begin(router);
    const reply = await client.tool('by_url');
    const question = await reply.next(isQuestion);
    expect((await stranger.answer(question, { action: 'accept' })).status).toBe(400);
    expect((await client.answer({ id: 'made up' }, { action: 'accept' })).status).toBe(400);
    expect((await client.answer({ id: 7 }, { action: 'accept' })).status).toBe(400);
    expect((await client.answer(question, { action: 'accept' })).status).toBe(202);
    expect((await client.answer(question, { action: 'accept' })).status).toBe(400);
    await settled(reply);
    expect((await client.answer(question, { action: 'accept' })).status).toBe(400);
  });

  it('that never comes ends the call when the state that waits for it ends, and the question is withdrawn', async () => {
    const hasty = await RouterUnderTest.start(
      [new ScriptedWorker({ ask: { script: () => asks({ a: confirmAsk() }) } })],
      (config) => ({
        ...config,
        flow: { ...config.flow, formTtlMs: 50 },
      }),
    );
    try {
      const mine = await LegacyUnderTest.begin(hasty);
      const reply = await mine.tool('ask');
      expect((await settled(reply)).result).toMatchObject({ isError: true });
      expect(reply.messages.at(-2)).toMatchObject({ method: 'notifications/cancelled' });
    } finally {
      await hasty.stop();
    }
  });
});

describe('a cancellation', () => {
  it('stops the worker and leaves the stream without an answer', async () => {
    const before = worker.calls.length;
    const pending = client.request('tools/call', { name: 'silent', arguments: {} }, 'stop me');
    while (worker.calls.length === before) await new Promise((resolve) => setImmediate(resolve));
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'stop me' } };
    expect((await client.send(cancelled)).status).toBe(202);
    const reply = await pending;
    await reply.ended;
    expect(reply.messages).toEqual([]);
    const { callId } = worker.calls.at(-1) ?? {};
    expect(await firstValueFrom(worker.onCancel.pipe(filter((cancelled) => cancelled === callId)))).toBe(callId);
  });

  it('while a person is asked leaves nothing that could be answered', async () => {
    const reply = await client.request('tools/call', { name: 'both', arguments: {} }, 'asked');
    const question = await reply.next(isQuestion);
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'asked' } });
    await reply.ended;
    expect((await client.answer(question, accept({ ok: true }))).status).toBe(400);
  });

  it.each([{ requestId: 'unknown' }, { requestId: null }, {}])('of %p is accepted and does nothing', async (params) => {
    const reply = await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    expect(reply.status).toBe(202);
  });

  it('is not what a lost line means', async () => {
    const before = worker.cancelled.length;
    const reply = await client.tool('by_url');
    const question = await reply.next(isQuestion);
    reply.close();
    expect((await client.answer(question, { action: 'accept' })).status).toBe(202);
    const resumed = await client.send(undefined, { 'last-event-id': reply.eventIds[0] }, 'GET');
    expect((await settled(resumed)).result?.content?.[0]?.text).toBe('opened');
    expect(worker.cancelled).toHaveLength(before);
  });

  it('is no way to send one request twice at once', async () => {
    const reply = await client.request('tools/call', { name: 'both', arguments: {} }, 'same');
    await reply.next(isQuestion);
    const again = await client.request('tools/call', { name: 'plain', arguments: {} }, 'same');
    expect([again.status, (await bodyOf(again)).error?.code]).toEqual([409, -32600]);
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } });
  });
});

describe('a stream that is taken up again', () => {
  it('gives what was said since, to its session alone', async () => {
    const stranger = await LegacyUnderTest.begin(router);
    const reply = await client.tool('by_url');
    const question = await reply.next(isQuestion);
    const [primed = '', asked = ''] = reply.eventIds;
    const take = (who: LegacyUnderTest, id: string) => who.send(undefined, { 'last-event-id': id }, 'GET');
    expect((await take(stranger, primed)).status).toBe(400);
    for (const id of ['0', 'garbage', `${primed}99`, `${primed.slice(0, -2)}`, `x${primed}`])
      expect((await take(client, id)).status).toBe(400);
    const resumed = await take(client, asked);
    await client.answer(question, { action: 'accept' });
    const { result } = await settled(resumed);
    expect(resumed.messages).toHaveLength(1);
    expect(result?.content?.[0]?.text).toBe('opened');
    expect((await take(client, asked)).status).toBe(400);
  });

  it('is not offered in 2025-06-18: there are no event ids', async () => {
    const older = await LegacyUnderTest.begin(router, { revision: '2025-06-18' });
    const reply = await older.tool('counts', { _meta: { progressToken: 1 } });
    await reply.next(({ method }) => method === 'notifications/progress');
    expect(reply.eventIds).toEqual([]);
    await older.answer(await reply.next(isQuestion), { action: 'cancel' });
    await settled(reply);
  });
});

describe('the stream of a GET', () => {
  it('tells of changed lists and of followed resources, without an envelope', async () => {
    const mine = await LegacyUnderTest.begin(router);
    await mine.request('resources/subscribe', { uri: 'test://a' });
    const stream = await mine.send(undefined, {}, 'GET');
    worker.changes.next({ kind: 'list_changed', list: 'tools' });
    worker.changes.next({ kind: 'resource_updated', uri: 'test://b' });
    worker.changes.next({ kind: 'resource_updated', uri: 'test://a' });
    expect(await stream.next(({ method }) => method === 'notifications/tools/list_changed')).toEqual({
      ...{ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} },
    });
    await mine.request('resources/subscribe', { uri: 'test://c' });
    await mine.request('resources/unsubscribe', { uri: 'test://a' });
    worker.changes.next({ kind: 'resource_updated', uri: 'test://a' });
    worker.changes.next({ kind: 'resource_updated', uri: 'test://c' });
    await stream.next(({ params }) => params?.['uri'] === 'test://c');
    const told = stream.messages.filter(({ method }) => method === 'notifications/resources/updated');
    expect(told.map(({ params }) => params)).toEqual([{ uri: 'test://a' }, { uri: 'test://c' }]);
    stream.close();
  });

  it('is one a session: a newer one takes its place', async () => {
    const mine = await LegacyUnderTest.begin(router);
    const first = await mine.send(undefined, {}, 'GET');
    const second = await mine.send(undefined, {}, 'GET');
    await first.ended;
    worker.changes.next({ kind: 'list_changed', list: 'prompts' });
    await second.next(({ method }) => method === 'notifications/prompts/list_changed');
    expect(first.messages).toEqual([]);
    expect((await mine.send(undefined, {}, 'DELETE')).status).toBe(204);
    await second.ended;
  });

  it('needs a client that takes one', async () => {
    expect((await client.send(undefined, { accept: 'application/json' }, 'GET')).status).toBe(406);
  });
});

describe('a batch of 2025-03-26', () => {
  it('is answered in parts, each with its own id, and fails in parts', async () => {
    const older = await LegacyUnderTest.begin(router, { revision: '2025-03-26' });
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'plain', arguments: {} } },
      { jsonrpc: '2.0', id: 2, method: 'no/such' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'three', method: 'tools/list' },
    ];
    const stream = await older.send(batch);
    await stream.ended;
    const together = await older.send(batch, { accept: 'application/json' });
    await together.ended;
    for (const responses of [stream.messages, together.messages.flat()]) {
      const byId = new Map(responses.map((response) => [response.id, response]));
      expect([...byId.keys()].sort()).toEqual([1, 2, 'three']);
      expect(byId.get(1)?.result?.content?.[0]?.text).toBe('plain');
      expect(byId.get(2)?.error?.code).toBe(-32601);
      expect(byId.get('three')?.result?.['tools']).toEqual(expect.any(Array));
    }
  });

  it.each([
    ['with initialize', [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }]],
    ['of nothing', []],
    ['of too many', Array.from({ length: 65 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))],
    ['of scalars', [1, 2]],
    ['in a batch', [[{ jsonrpc: '2.0', id: 1, method: 'ping' }]]],
  ])('%s is refused', async (_what, batch) => {
    const older = await LegacyUnderTest.begin(router, { revision: '2025-03-26' });
    expect((await older.send(batch)).status).toBe(400);
  });
});

describe('a router that serves no older clients', () => {
  it('tells an older client what it serves', async () => {
    const modern = await RouterUnderTest.start([new ScriptedWorker({})], (config) => ({
      ...config,
      legacy: { ...config.legacy, revisions: [] },
    }));
    try {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      const reply = await new LegacyUnderTest(modern, '', {}).request('initialize', params);
      expect([reply.status, (await bodyOf(reply)).error?.code]).toEqual([400, -32022]);
      expect((await new LegacyUnderTest(modern, 'x', {}).send(undefined, {}, 'GET')).status).toBe(405);
    } finally {
      await modern.stop();
    }
  });
});
