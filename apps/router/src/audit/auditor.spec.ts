import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NEVER, of } from 'rxjs';
import type { RouterConfig } from '../config.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type Answer } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const MARK = 'MARK_secret_7d1c';
const POLICY = `
policy:
  rules:
    - { name: nobody, tools: [closed], when: 'principal.subject == "root"' }
`;

let folder: string;
let file: string;
let worker: ScriptedWorker;
let router: RouterUnderTest;

async function start(audit: Partial<RouterConfig['audit']>): Promise<void> {
  worker = new ScriptedWorker(
    {
      echo: { script: () => completes(MARK) },
      closed: { script: () => completes('never') },
      sad: { script: () => of({ kind: 'complete', body: `{"content":[],"isError":true}`, isError: true }) },
      broken: { script: () => of({ kind: 'error', code: 'failed', message: MARK }) },
      stuck: { script: () => NEVER },
      once: {
        entry: { singleUse: true },
        script: ({ answers }) => (answers?.['confirm'] ? completes('done') : asks({ confirm: confirmAsk(MARK) })),
      },
    },
    {
      other: { prompts: [{ name: 'greet', json: '{"name":"greet"}' }] },
    },
  );
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    policy: { ...config.policy, file: join(folder, 'policy.yaml') },
    audit: { ...config.audit, sink: 'file', file, ...audit },
  }));
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'auditor-'));
  writeFileSync(join(folder, 'policy.yaml'), POLICY);
});
afterAll(() => rmSync(folder, { recursive: true }));

type Line = Record<string, unknown>;
const read = (): Line[] => {
  try {
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  } catch {
    return [];
  }
};
async function lines(count: number): Promise<Line[]> {
  while (read().length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  return read();
}
const call = (name: string, retry = {}, principal: string | undefined = 'alice'): Promise<Answer> =>
  router.tool(name, { note: MARK }, { principal, retry });

describe('the audit of a router', () => {
  beforeAll(async () => {
    file = join(folder, 'audit.jsonl');
    await start({});
  });
  afterAll(() => router.stop());
  beforeEach(() => rmSync(file, { force: true }));

  it('tells who called what, and nothing of what was said', async () => {
    await call('echo');
    const [line, outcome] = await lines(2);
    const shared = {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      call: expect.stringMatching(/^[\w-]{22}$/),
      method: 'tools/call',
      target: 'echo',
      flow: expect.any(String),
      round: 1,
    };
    expect(outcome).toEqual({ ...shared, event: 'outcome', outcome: 'complete', call: line?.['call'] });
    expect(line).toEqual({
      ...shared,
      event: 'decision',
      outcome: 'allowed',
      principal: expect.stringMatching(/^[\w-]{43}$/),
      catalogue: expect.any(String),
      arguments: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('tells what came of each call, in a line of its own', async () => {
    await call('sad');
    await call('broken');
    const state = (await call('once')).body.result?.requestState;
    const answered = { requestState: state, inputResponses: { confirm: accept({ ok: true }) } };
    await call('once', answered);
    await call('once', answered);
    const ends = (await lines(10)).filter(({ event }) => event === 'outcome');
    expect(ends.map(({ target, round, outcome, code }) => [target, round, outcome, code])).toEqual([
      ['sad', 1, 'tool_error', undefined],
      ['broken', 1, 'failed', 'worker_failed'],
      ['once', 1, 'input_required', undefined],
      ['once', 2, 'complete', undefined],
      ['once', 2, 'refetched', undefined],
    ]);
  });

  it('tells that a caller went away', async () => {
    await router.abandon('stuck', { arguments: {} }, () => worker.calls.some(({ target }) => target === 'stuck'));
    expect((await lines(2))[1]).toMatchObject({ event: 'outcome', outcome: 'failed', reason: 'client_gone' });
  });

  it('names the rule that refused', async () => {
    await call('closed');
    expect(await lines(1)).toEqual([
      expect.objectContaining({
        ...{ outcome: 'refused', code: 'not_permitted', reason: 'policy_condition', rule: 'nobody', target: 'closed' },
      }),
    ]);
  });

  it('has a line for each round, of one flow, and for each time a stored result is given out', async () => {
    const state = (await call('once')).body.result?.requestState;
    const answered = { requestState: state, inputResponses: { confirm: accept({ ok: true }) } };
    await call('once', answered);
    await call('once', answered);
    const seen = (await lines(6)).filter(({ event }) => event === 'decision');
    expect(seen.map(({ round }) => round)).toEqual([1, 2, 2]);
    expect(new Set(seen.map(({ flow }) => flow)).size).toBe(1);
  });

  it('has a line for a state in other hands, and for who is not known', async () => {
    const state = (await call('once')).body.result?.requestState;
    await call('once', { requestState: state, inputResponses: { confirm: accept({ ok: true }) } }, 'bob');
    await router.tool('echo', {}, { headers: { 'x-roundhouse-principal': 'a b' } });
    const [, , theirs, unknown] = await lines(4);
    expect(theirs).toMatchObject({ outcome: 'refused', code: 'state_refused', reason: 'state_other_principal' });
    expect(unknown).toMatchObject({ outcome: 'refused', code: 'unauthenticated', reason: 'principal_malformed' });
    expect(unknown).not.toHaveProperty('principal');
  });

  it('has no line for what is no decision', async () => {
    await router.call('tools/list', {}, { principal: 'alice' });
    await call('absent');
    await router.send({ headers: { 'x-roundhouse-principal': 'alice' }, body: '{' });
    await call('echo');
    expect(await lines(2)).toHaveLength(2);
  });

  it('holds no secret, argument, answer or state', async () => {
    const state = (await call('once')).body.result?.requestState as string;
    await call('once', { requestState: state, inputResponses: { confirm: accept({ ok: true, note: MARK }) } });
    await call(`${MARK}-absent`);
    await lines(4);
    const text = readFileSync(file, 'utf8');
    for (const secret of [MARK, Buffer.from(MARK).toString('base64'), 'alice', state.slice(0, 20)])
      expect(text).not.toContain(secret);
  });
});

describe('the audit of a router that is about all', () => {
  beforeAll(async () => {
    file = join(folder, 'all.jsonl');
    await start({ about: 'all' });
  });
  afterAll(() => router.stop());
  beforeEach(() => rmSync(file, { force: true }));

  it.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'has a line for %s',
    async (method) => {
      await router.call(method, {}, { principal: 'alice' });
      expect(await lines(1)).toEqual([expect.objectContaining({ event: 'decision', outcome: 'allowed', method })]);
    },
  );

  it('has a line for a completion, with what it is for and not what was typed', async () => {
    const ref = { type: 'ref/prompt', name: 'greet' };
    await router.call('completion/complete', { ref, argument: { name: 'who', value: MARK } }, { principal: 'alice' });
    const [line] = await lines(1);
    expect(line).toMatchObject({ outcome: 'allowed', method: 'completion/complete', target: 'greet' });
    expect(readFileSync(file, 'utf8')).not.toContain(MARK);
  });

  it('has a line for a stream, and not what is followed', async () => {
    const notifications = { resourceSubscriptions: [`notes://${MARK}`], toolsListChanged: true };
    const stream = router.call('subscriptions/listen', { notifications }, { principal: 'alice' });
    expect(await lines(1)).toEqual([expect.objectContaining({ outcome: 'allowed', method: 'subscriptions/listen' })]);
    expect(readFileSync(file, 'utf8')).not.toContain(MARK);
    router.parts.streams.endAll();
    await stream;
  });

  it('has no line for a completion that nobody serves', async () => {
    const ref = { type: 'ref/prompt', name: 'absent' };
    await router.call('completion/complete', { ref, argument: { name: 'who', value: '' } }, { principal: 'alice' });
    await router.call('tools/list', {}, { principal: 'alice' });
    expect(await lines(1)).toHaveLength(1);
  });
});

describe('a router whose audit cannot be written', () => {
  beforeAll(() => {
    file = join(folder, 'absent', 'audit.jsonl');
  });

  it('refuses calls where that is wanted, and forwards none', async () => {
    await start({ onFailure: 'block' });
    await call('echo');
    let answer = await call('echo');
    while (answer.status === 200) answer = await call('echo');
    const before = worker.calls.length;
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect((await call('echo')).status).toBe(503);
    expect(worker.calls.length).toBe(before);
    expect((await router.call('tools/list', {}, { principal: 'alice' })).status).toBe(200);
    await router.stop();
  });

  it('goes on where that is wanted', async () => {
    await start({ onFailure: 'drop' });
    for (let at = 0; at < 20; at += 1) expect((await call('echo')).status).toBe(200);
    await router.stop();
  });
});
