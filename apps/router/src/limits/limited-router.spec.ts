import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type Answer } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const POLICY = `
policy:
  limits:
    - { name: rate, perSecond: 0.01, burst: 10 }
    - { name: running, concurrent: 1 }
    - { name: scarce, tools: [scarce], by: tool, perSecond: 0.01, burst: 1 }
  openFlowsPerPrincipalMax: 2
`;

const release = new Subject<unknown>();
let folder: string;
let worker: ScriptedWorker;
let router: RouterUnderTest;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'limits-'));
  writeFileSync(join(folder, 'policy.yaml'), POLICY);
  worker = new ScriptedWorker({
    echo: { script: () => completes('served') },
    slow: { script: () => release },
    scarce: { script: () => completes('scarce') },
    ask: { script: ({ round }) => (round === 1 ? asks({ sure: confirmAsk() }) : completes('done')) },
  });
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    policy: { ...config.policy, file: join(folder, 'policy.yaml') },
    limits: { ...config.limits, streamsPerPrincipalMax: 1 },
  }));
});
afterAll(async () => {
  await router.stop();
  rmSync(folder, { recursive: true });
});

const call = (principal: string, name = 'echo', headers = {}): Promise<Answer> =>
  router.tool(name, {}, { principal, headers });
const forwarded = (at: number): Record<string, string> => ({
  'x-forwarded-for': `10.0.0.${at}`,
  forwarded: `for=10.0.0.${at}`,
  'x-real-ip': `10.0.0.${at}`,
});

describe('a router with limits', () => {
  it('refuses who sends too much, with a body and a time, and nobody else; addresses change nothing [B108]', async () => {
    const answers: Answer[] = [];
    for (let at = 0; at < 30; at += 1) answers.push(await call('alice', 'echo', forwarded(at)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const { status, headers, text } = answers.at(-1) as Answer;
    expect([status, text]).toEqual([
      429,
      '{"jsonrpc":"2.0","error":{"code":-32603,"message":"Too many requests; send it again later"}}',
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(1);
    expect((await call('bob')).status).toBe(200);
  });

  it('refuses before it reads the body', async () => {
    const headers = { 'x-roundhouse-principal': 'alice', 'content-type': 'text/plain' };
    expect((await router.send({ headers, body: 'x'.repeat(100_000) })).status).toBe(429);
  });

  it('refuses a call beyond those under way, and forwards nothing of it', async () => {
    const slow = call('carol', 'slow');
    while (!worker.calls.some(({ target }) => target === 'slow')) await new Promise((resolve) => setImmediate(resolve));
    const before = worker.calls.length;
    const { status, headers, body } = await call('carol');
    expect([status, headers['retry-after'], body.error?.code]).toEqual([429, '1', -32603]);
    expect(worker.calls.length).toBe(before);
    release.next({ kind: 'complete', body: '{"content":[]}' });
    release.complete();
    expect((await slow).status).toBe(200);
    expect((await call('carol')).status).toBe(200);
  });

  it('leaves the slot of a call whose client went away', async () => {
    await router.abandon('echo', { arguments: {} }, () => true);
    expect((await call('dave')).status).toBe(200);
    expect((await call('dave')).status).toBe(200);
  });

  it('sheds what a tool may not do for all, as overload', async () => {
    const answers = [await call('erin', 'scarce'), await call('frank', 'scarce'), await call('grace', 'scarce')];
    expect(answers.map(({ status }) => status)).toContain(503);
    const shed = answers.find(({ status }) => status === 503);
    expect(Number(shed?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('leaves no more questions open for one principal than it may have, until one is answered', async () => {
    const first = await call('judy', 'ask');
    await call('judy', 'ask');
    const { status, headers, body } = await call('judy', 'ask');
    expect([status, headers['retry-after'], body.error?.code]).toEqual([429, '30', -32603]);
    expect((await call('judy')).status).toBe(200);
    expect((await call('mallory', 'ask')).body.result).toHaveProperty('requestState');
    const retry = {
      requestState: first.body.result?.requestState,
      inputResponses: { sure: accept({ ok: true }) },
    };
    for (let times = 0; times < 2; times += 1)
      expect((await router.tool('ask', {}, { principal: 'judy', retry })).body.result).toHaveProperty('content');
    expect((await call('judy', 'ask')).body.result).toHaveProperty('requestState');
    expect((await call('judy', 'ask')).status).toBe(429);
    expect(router.parts.limits.flows.tally).toMatchObject({ totals: { opened: 4, finished: 1, failed: 0 } });
    expect(router.parts.limits.flows.tally.openByAge()['1m']).toBe(3);
  });

  it('opens no more streams for one principal than it may have', async () => {
    const listen = (principal: string): Promise<Answer> =>
      router.call('subscriptions/listen', { notifications: { toolsListChanged: true } }, { principal });
    const first = listen('heidi');
    while (router.parts.streams.size < 1) await new Promise((resolve) => setImmediate(resolve));
    expect((await listen('heidi')).body.error).toMatchObject({ message: 'Too many open subscriptions' });
    const other = listen('ivan');
    while (router.parts.streams.size < 2) await new Promise((resolve) => setImmediate(resolve));
    router.parts.streams.endAll();
    await Promise.all([first, other]);
    const again = listen('heidi');
    while (router.parts.streams.size < 1) await new Promise((resolve) => setImmediate(resolve));
    router.parts.streams.endAll();
    expect((await again).status).toBe(200);
  });
});
