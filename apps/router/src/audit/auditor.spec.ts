import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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
  worker = new ScriptedWorker({
    echo: { script: () => completes(MARK) },
    closed: { script: () => completes('never') },
    once: {
      entry: { singleUse: true },
      script: ({ answers }) => (answers?.['confirm'] ? completes('done') : asks({ confirm: confirmAsk(MARK) })),
    },
  });
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
    const [line] = await lines(1);
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      event: 'decision',
      outcome: 'allowed',
      principal: expect.stringMatching(/^[\w-]{43}$/),
      method: 'tools/call',
      target: 'echo',
      catalogue: expect.any(String),
      arguments: expect.stringMatching(/^[\w-]{43}$/),
      flow: expect.any(String),
      round: 1,
    });
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
    const answered = { requestState: state, inputResponses: { confirm: accept({ ok: true, note: MARK }) } };
    await call('once', answered);
    await call('once', answered);
    const seen = await lines(3);
    expect(seen.map(({ round }) => round)).toEqual([1, 2, 2]);
    expect(new Set(seen.map(({ flow }) => flow)).size).toBe(1);
  });

  it('has a line for a state in other hands, and for who is not known', async () => {
    const state = (await call('once')).body.result?.requestState;
    await call('once', { requestState: state, inputResponses: { confirm: accept({ ok: true }) } }, 'bob');
    await router.tool('echo', {}, { headers: { 'x-roundhouse-principal': 'a b' } });
    const [, theirs, unknown] = await lines(3);
    expect(theirs).toMatchObject({ outcome: 'refused', code: 'state_refused', reason: 'state_other_principal' });
    expect(unknown).toMatchObject({ outcome: 'refused', code: 'unauthenticated', reason: 'principal_malformed' });
    expect(unknown).not.toHaveProperty('principal');
  });

  it('has no line for what is no decision', async () => {
    await router.call('tools/list', {}, { principal: 'alice' });
    await call('absent');
    await router.send({ headers: { 'x-roundhouse-principal': 'alice' }, body: '{' });
    await call('echo');
    expect(await lines(1)).toHaveLength(1);
  });

  it('holds no secret, argument, answer or state', async () => {
    const state = (await call('once')).body.result?.requestState as string;
    await call('once', { requestState: state, inputResponses: { confirm: accept({ ok: true, note: MARK }) } });
    await call(`${MARK}-absent`);
    await lines(2);
    const text = readFileSync(file, 'utf8');
    for (const secret of [MARK, Buffer.from(MARK).toString('base64'), 'alice', state.slice(0, 20)])
      expect(text).not.toContain(secret);
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
