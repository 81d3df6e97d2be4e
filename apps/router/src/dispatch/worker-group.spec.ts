import { afterEach, describe, expect, it } from '@jest/globals';
import { NEVER, Subject, of } from 'rxjs';
import { until } from '@roundhouse/testing';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { ScriptedWorker, type ScriptedEntry } from '../testing/scripted-worker.js';

let running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running) await one.stop();
  running = [];
});

/** Replicas of one group behind one router. */
async function groupOf(...replicas: ScriptedWorker[]): Promise<RouterUnderTest> {
  const addresses = await Promise.all(replicas.map((replica) => replica.start()));
  const router = await RouterUnderTest.start([], (config) => ({
    ...config,
    workers: [{ id: 'group', prefix: '', addresses }],
  }));
  running.push(router, ...replicas);
  await until(() => replicas.every(({ described }) => described));
  return router;
}

/** A router that knew the old replica first and the fresh one after it, as in a rolling update. */
async function rollOut(old: ScriptedWorker, fresh: ScriptedWorker): Promise<RouterUnderTest> {
  const addresses = [await old.start(), await fresh.start()];
  await fresh.stop();
  const router = await RouterUnderTest.start([], (config) => ({
    ...config,
    workers: [{ id: 'group', prefix: '', addresses }],
  }));
  running.push(router, old, fresh);
  await until(() => old.described);
  await fresh.start(Number(addresses[1]?.split(':')[1]));
  await until(() => fresh.described);
  return router;
}

const says = (text: string): ScriptedEntry => ({ script: () => completes(text) });
const textOf = async (router: RouterUnderTest, tool = 'who'): Promise<string | undefined> =>
  (await router.tool(tool, {})).body.result?.content?.[0]?.text;

describe('a worker group', () => {
  it('gives a call to the replica that has less under way', async () => {
    const release = new Subject<unknown>();
    const [a, b] = [{ script: () => release }, { script: () => release }].map((who) => new ScriptedWorker({ who })) as [
      ScriptedWorker,
      ScriptedWorker,
    ];
    const router = await groupOf(a, b);
    const pending = Array.from({ length: 10 }, () => textOf(router));
    await until(() => a.calls.length + b.calls.length === 10);
    expect([a.calls.length, b.calls.length]).toEqual([5, 5]);
    release.next({ kind: 'complete', body: '{"content":[{"type":"text","text":"done"}]}' });
    release.complete();
    expect(new Set(await Promise.all(pending))).toEqual(new Set(['done']));
  });

  it('goes on with the rest when one replica dies, and takes it back when it returns', async () => {
    const [a, b] = [new ScriptedWorker({ who: says('a') }), new ScriptedWorker({ who: says('b') })];
    const port = Number((await a.start()).split(':')[1]);
    const router = await RouterUnderTest.start([], (config) => ({
      ...config,
      workers: [{ id: 'group', prefix: '', addresses: [`127.0.0.1:${port}`, '127.0.0.1:1'] }],
    }));
    running.push(router, a, b);
    expect(await textOf(router)).toBe('a');
    await a.stop();
    await until(() => router.parts.catalogue.snapshot.tool('who')?.group.readyCount === 0);
    const gone = await router.tool('who', {});
    expect([gone.status, gone.headers['retry-after'], gone.body.error?.code]).toEqual([503, '1', -32603]);
    await b.start(port);
    await until(() => router.parts.catalogue.snapshot.tool('who')?.group.readyCount === 1);
    expect(await textOf(router)).toBe('b');
  });

  it('sends a call elsewhere when a replica says that it did not start it', async () => {
    const draining = new ScriptedWorker({
      who: { script: () => of({ kind: 'error', code: 'draining', message: 'busy' }) },
    });
    const router = await groupOf(draining, new ScriptedWorker({ who: says('b') }));
    const seen = await Promise.all(Array.from({ length: 20 }, () => textOf(router)));
    expect(seen).toEqual(Array.from({ length: 20 }, () => 'b'));
    expect(draining.calls.length).toBeGreaterThan(0);
  });

  it('answers 503 when every replica says so', async () => {
    const busy = { script: () => of({ kind: 'error', code: 'draining', message: 'busy' }) };
    const router = await groupOf(new ScriptedWorker({ who: busy }), new ScriptedWorker({ who: busy }));
    expect((await router.tool('who', {})).status).toBe(503);
  });

  it('gives nothing new to a replica that drains, and lets it finish', async () => {
    const release = new Subject<unknown>();
    const a = new ScriptedWorker({ who: says('a'), slow: { script: () => release } });
    const b = new ScriptedWorker({ who: says('b'), slow: { script: () => completes('b') } });
    const router = await groupOf(a, b);
    const slow: Promise<string | undefined>[] = [];
    while (a.calls.length === 0) {
      slow.push(textOf(router, 'slow'));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    a.changes.next({ kind: 'draining' });
    await until(() => router.parts.catalogue.snapshot.tool('who')?.group.readyCount === 1);
    const before = a.calls.length;
    expect(await Promise.all(Array.from({ length: 10 }, () => textOf(router)))).toEqual(
      Array.from({ length: 10 }, () => 'b'),
    );
    expect(a.calls).toHaveLength(before);
    release.next({ kind: 'complete', body: '{"content":[{"type":"text","text":"finished"}]}' });
    release.complete();
    expect(await Promise.all(slow)).toContain('finished');
  });

  it('does not send a call again once it may have run', async () => {
    const a = new ScriptedWorker({
      who: {
        script: (_request, connection) => {
          connection.getSocketRef().netSocket.destroy();
          return NEVER;
        },
      },
    });
    const router = await groupOf(a);
    const answer = await router.tool('who', {});
    expect([answer.status, answer.body.error?.code, answer.body.error?.message]).toEqual([
      200,
      -32603,
      'The worker was lost while it ran the call',
    ]);
    expect(a.calls).toHaveLength(1);
  });

  it('sends a tool that only some replicas have to those', async () => {
    const old = new ScriptedWorker({ who: says('old') }, { hash: 'hash-of-the-old-one' });
    const fresh = new ScriptedWorker({ who: says('new'), added: says('added') }, { hash: 'hash-of-the-new-one' });
    const router = await rollOut(old, fresh);
    expect(await Promise.all(Array.from({ length: 20 }, () => textOf(router, 'added')))).toEqual(
      Array.from({ length: 20 }, () => 'added'),
    );
    expect(['old', 'new']).toContain(await textOf(router));
  });

  it('continues a flow among replicas with the catalogue it began with', async () => {
    const flow = (name: string): ScriptedEntry => ({
      script: ({ answers }) => (answers?.['ok'] === undefined ? asks({ ok: confirmAsk(name) }) : completes(name)),
    });
    const old = new ScriptedWorker({ flow: flow('old') }, { hash: 'hash-of-the-old-one' });
    const fresh = new ScriptedWorker({ flow: flow('new') }, { hash: 'hash-of-the-new-one' });
    const addresses = [await old.start(), await fresh.start()];
    await fresh.stop();
    const router = await RouterUnderTest.start([], (config) => ({
      ...config,
      workers: [{ id: 'group', prefix: '', addresses }],
    }));
    running.push(router, old, fresh);
    await until(() => old.described);
    const begun = (await router.tool('flow', {})).body.result;
    await fresh.start(Number(addresses[1]?.split(':')[1]));
    await until(() => router.parts.catalogue.snapshot.tool('flow')?.group.diverges === true);
    const retry = { requestState: begun?.requestState, inputResponses: { ok: accept({ ok: true }) } };
    const answers = await Promise.all(Array.from({ length: 20 }, () => router.tool('flow', {}, { retry })));
    expect(new Set(answers.map(({ body }) => body.result?.content?.[0]?.text))).toEqual(new Set(['old']));
  });
});

describe('several groups', () => {
  it('keep the first of two equal names, and say so [B76]', async () => {
    const router = await RouterUnderTest.start([
      new ScriptedWorker({ who: says('first') }),
      new ScriptedWorker({ who: says('second'), own: says('own') }),
    ]);
    running.push(router);
    expect([await textOf(router), await textOf(router, 'own')]).toEqual(['first', 'own']);
    expect(router.parts.catalogue.snapshot.leftOut).toEqual([
      { group: 'w1', kind: 'tools', name: 'who', why: 'another group serves this name' },
    ]);
  });

  it('take their prefix off before the worker hears the name, and resolve by whole names only [B35, B78]', async () => {
    const [crm, other] = [new ScriptedWorker({ b__c: says('a + b__c') }), new ScriptedWorker({ c: says('a__b + c') })];
    const router = await RouterUnderTest.start([crm, other], (config) => ({
      ...config,
      workers: config.workers.map((group, at) => ({ ...group, prefix: ['a__', 'a__b__'][at] as string })),
    }));
    running.push(router);
    expect(await textOf(router, 'a__b__c')).toBe('a + b__c');
    expect(crm.calls[0]?.target).toBe('b__c');
    expect(router.parts.catalogue.snapshot.leftOut).toHaveLength(1);
  });

  it('lose one bad definition, not the others [B69, B75]', async () => {
    const worker = new ScriptedWorker({
      good: says('good'),
      'has space': says('x'),
      untyped: { definition: { inputSchema: { type: 'string' } } },
      schemaless: { definition: { inputSchema: undefined } },
      header: {
        definition: { inputSchema: { type: 'object', properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
      },
      described: { definition: { description: 5 } },
      renamed: { definition: { name: 'other' } },
      plain: { definition: { inputSchema: { type: 'object' } }, script: () => completes('plain') },
    });
    const router = await RouterUnderTest.start([worker]);
    running.push(router);
    const { body } = await router.call('tools/list', {});
    expect((body.result?.['tools'] as { name: string }[]).map(({ name }) => name)).toEqual(['good', 'plain']);
    expect(router.parts.catalogue.snapshot.leftOut).toHaveLength(6);
  });

  it('serve each its own resources, templates, prompts and completions', async () => {
    const worker = new ScriptedWorker(
      {
        'test://a': {
          script: () =>
            of({
              kind: 'complete',
              body: '{"contents":[{"uri":"test://a","text":"x"}]}',
              cache: { ttlMs: 50, scope: 'public' },
            }),
        },
        'test://t/7/data': {
          script: ({ target }) =>
            of({ kind: 'complete', body: JSON.stringify({ contents: [{ uri: target, text: 't' }] }) }),
        },
        hello: {
          script: ({ method }) =>
            of({
              kind: 'complete',
              body: method === 'prompts/get' ? '{"messages":[]}' : '{"completion":{"values":["v"]}}',
            }),
        },
        'test://gone': { script: () => of({ kind: 'error', code: 'resource_not_found', message: 'gone' }) },
      },
      {
        other: {
          tools: [],
          prompts: [{ name: 'hello', json: '{"name":"hello","description":"d"}' }],
          resources: ['test://a', 'test://gone'].map((uri) => ({
            name: uri,
            json: JSON.stringify({ uri, name: uri }),
          })),
          resourceTemplates: [{ name: 'test://t/{id}/data', json: '{"uriTemplate":"test://t/{id}/data","name":"t"}' }],
        },
      },
    );
    const router = await RouterUnderTest.start([worker]);
    running.push(router);
    const read = async (uri: string) => (await router.call('resources/read', { uri })).body;
    expect((await read('test://a')).result).toMatchObject({
      contents: [{ text: 'x' }],
      ttlMs: 50,
      cacheScope: 'public',
      resultType: 'complete',
    });
    expect((await read('test://t/7/data')).result).toMatchObject({
      contents: [{ uri: 'test://t/7/data' }],
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect((await read('test://gone')).error).toMatchObject({ code: -32602, data: { uri: 'test://gone' } });
    expect((await read('test://t/7/8/data')).error?.code).toBe(-32602);
    expect((await router.call('prompts/get', { name: 'hello' })).body.result).toMatchObject({ messages: [] });
    const ref = { ref: { type: 'ref/prompt', name: 'hello' }, argument: { name: 'a', value: 'v' } };
    expect((await router.call('completion/complete', ref)).body.result).toMatchObject({
      completion: { values: ['v'] },
      resultType: 'complete',
    });
  });

  it.each([
    ['a body that is not JSON', { kind: 'complete', body: '{"content":[}' }],
    ['a body with a raw line break', { kind: 'complete', body: '{"content":["a\nb"]}' }],
    ['two documents', { kind: 'complete', body: '{"content":[]}{}' }],
    ['a resultType of its own', { kind: 'complete', body: '{"content":[],"resultType":"input_required"}' }],
    ['a requestState of its own', { kind: 'complete', body: '{"content":[],"requestState":"x"}' }],
    ['no content', { kind: 'complete', body: '{"structuredContent":{}}' }],
    ['an array', { kind: 'complete', body: '[]' }],
    ['no body', { kind: 'complete' }],
    ['a kind nobody knows', { kind: 'banana' }],
    ['null', null],
    ['a string', 'done'],
    [
      'an ask of a kind nobody knows',
      { kind: 'input_required', asks: { a: { method: 'shell/run' } }, continuation: '' },
    ],
    ['no asks at all', { kind: 'input_required', asks: {}, continuation: '' }],
    ['asks without a continuation', { kind: 'input_required', asks: { a: confirmAsk() } }],
    ['an error nobody knows', { kind: 'error', code: 'oops', message: 'm' }],
    ['a result nested too deeply', { kind: 'complete', body: `{"content":${'['.repeat(500)}${']'.repeat(500)}}` }],
  ])('turn %s into an internal error and go on', async (_what, reply) => {
    const worker = new ScriptedWorker({ odd: { script: () => of(reply) }, good: says('good') });
    const router = await RouterUnderTest.start([worker]);
    running.push(router);
    const answer = await router.tool('odd', {});
    expect([answer.status, answer.body.error?.code, answer.body.error?.message]).toEqual([
      200,
      -32603,
      'The tool failed',
    ]);
    expect(await textOf(router, 'good')).toBe('good');
  });
});
