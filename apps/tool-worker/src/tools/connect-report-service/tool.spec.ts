import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallReply, CallRequest, Principal } from '@roundhouse/contracts';
import { SpecFlow, SpecWorker, textsOf } from '@roundhouse/worker-kit/testing';
import { FileLedger } from '../../ledger/ledger.js';
import { foldConnection } from './connection.js';
import { CONNECTIONS_LEDGER_FILE, CONNECTION_TTL_MS, OPEN_MAX } from './connections.js';
import { ReportsModule } from './reports.module.js';
import { ReportPage } from './testing/report-page.js';
import { ASKS_MAX, ConnectReportServiceTool } from './tool.js';

let directory: string;
let page: ReportPage;
let now: number;

beforeEach(async () => {
  now = Date.parse('2026-07-28T12:00:00Z');
  directory = mkdtempSync(join(tmpdir(), 'reports-'));
  page = await ReportPage.start(directory, { nowMs: () => now });
});
afterEach(async () => {
  await page.stop();
  rmSync(directory, { recursive: true });
});

const alice = { kind: 'user', issuer: 'development', subject: 'alice' } as const;
const parts = () => ({
  tools: [ConnectReportServiceTool],
  imports: [ReportsModule.with({ pageUrl: page.url, directory, nowMs: () => now })],
});
const flowOf = (report: unknown = 'delays', base: Partial<CallRequest> = {}) =>
  new SpecFlow(parts, 'connect_report_service', { body: JSON.stringify({ report }), principal: alice, ...base });
const answer = (action: string) => ({ report_page: { action } });
const addressOf = (reply: CallReply): string =>
  reply.kind === 'input_required' ? String(reply.asks['report_page']?.params?.['url']) : JSON.stringify(reply);
const press = (address: string, decision: string, { user = 'alice', headers = {} } = {}) =>
  fetch(address, {
    method: 'POST',
    headers: { Cookie: `user=${user}`, ...headers },
    body: new URLSearchParams({ decision }),
  });
const lines = () => new FileLedger(join(directory, CONNECTIONS_LEDGER_FILE)).read();
const transitions = async () => (await lines()).map((line) => line['to'] ?? 'begin');
const recordOf = async (address: string) => foldConnection(await lines(), address.slice(page.url.length), now);
const CONNECTED = 'The report service is connected. The report “delays” can be read now.';

describe('connect_report_service', () => {
  it('asks by url and goes on, on other replicas, once the page says that it is done', async () => {
    const flow = flowOf();
    const address = addressOf(await flow.next());
    expect((await press(address, 'allow')).status).toBe(200);
    expect(textsOf(await flow.next(answer('accept')))).toEqual([CONNECTED]);
    expect(await recordOf(address)).toMatchObject({ status: 'completed', owner: { subject: 'alice' }, mode: 'url' });
  });

  it('takes accept for consent only, and asks again while the page is not finished', async () => {
    const flow = flowOf();
    const address = addressOf(await flow.next());
    for (const again of [await flow.next(answer('accept')), await flow.next(answer('accept'))]) {
      expect(addressOf(again)).toBe(address);
      expect(JSON.stringify(again)).toContain('not connected yet');
    }
    expect(await recordOf(address)).toMatchObject({ status: 'consented', version: 1 });
    await press(address, 'allow');
    expect(textsOf(await flow.next(answer('accept')))).toEqual([CONNECTED]);
    expect(await transitions()).toEqual(['begin', 'consented', 'completed']);
  });

  it(`gives up after ${ASKS_MAX} asks`, async () => {
    const flow = flowOf();
    await flow.next();
    for (let asked = 1; asked < ASKS_MAX; asked += 1) {
      expect((await flow.next(answer('accept'))).kind).toBe('input_required');
    }
    expect(textsOf(await flow.next(answer('accept')))[0]).toMatch(
      /not finished after 5 questions\. Nothing was connected/,
    );
  });

  it('never asks in a form, and its address tells nothing but an id that cannot be guessed', async () => {
    const replies = [await flowOf().next(), await flowOf().next()];
    expect(JSON.stringify(replies)).not.toContain('requestedSchema');
    const [one = '', other = ''] = replies.map(addressOf);
    expect(one).not.toBe(other);
    expect(one.slice(page.url.length)).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(one).not.toMatch(/alice|delays|token|secret/);
  });

  it('keeps no argument in its record, only a digest', async () => {
    await flowOf('salaries').next();
    expect(JSON.stringify(await lines())).not.toContain('salaries');
  });

  it.each([1, 2])('ends on decline of ask %d, and what the page says later changes nothing', async (asks) => {
    const flow = flowOf();
    const address = addressOf(await flow.next());
    if (asks === 2) await flow.next(answer('accept'));
    expect(textsOf(await flow.next(answer('decline')))).toEqual(['Connecting was declined. Nothing was connected.']);
    expect(await (await press(address, 'allow')).text()).toContain('declined');
    expect(await recordOf(address)).toMatchObject({ status: 'declined' });
  });

  it('changes nothing on cancel, and the same page can still be used', async () => {
    const flow = flowOf();
    const first = await flow.next();
    const address = addressOf(first);
    expect(textsOf(await flow.next(answer('cancel')))[0]).toMatch(/Nothing was connected; it can still be answered/);
    expect(await transitions()).toEqual(['begin']);
    await press(address, 'allow');
    const continuation = first.kind === 'input_required' ? first.continuation : '';
    const resumed = flowOf('delays', { continuation, round: 2, answers: answer('accept') });
    expect(textsOf(await resumed.next())).toEqual([CONNECTED]);
  });

  it('tells how to start over when the page was refused', async () => {
    const flow = flowOf();
    await press(addressOf(await flow.next()), 'refuse');
    expect(textsOf(await flow.next(answer('accept')))[0]).toMatch(/access was refused\. Call again to start over/);
  });

  it('does not wake a page that has expired', async () => {
    const flow = flowOf();
    const address = addressOf(await flow.next());
    await flow.next(answer('accept'));
    now += CONNECTION_TTL_MS;
    expect((await press(address, 'allow')).status).toBe(410);
    expect(textsOf(await flow.next(answer('accept')))[0]).toMatch(/expired\. Nothing was connected; call again/);
    expect(await recordOf(address)).toMatchObject({ status: 'expired' });
  });

  it('keeps what was completed in time, however late it is asked for', async () => {
    const flow = flowOf();
    await press(addressOf(await flow.next()), 'allow');
    now += CONNECTION_TTL_MS;
    expect(textsOf(await flow.next(answer('accept')))).toEqual([CONNECTED]);
  });

  it('asks who is not signed in nothing', async () => {
    expect(textsOf(await flowOf('delays', { principal: { kind: 'anonymous' } }).next())).toEqual([
      'Only a caller who is signed in can connect the report service.',
    ]);
    expect(await lines()).toEqual([]);
  });

  it('lets nobody go on with the page of another', async () => {
    const first = await flowOf().next();
    await press(addressOf(first), 'allow');
    const continuation = first.kind === 'input_required' ? first.continuation : '';
    const others: Principal[] = [
      { kind: 'user', issuer: 'development', subject: 'bob' },
      { kind: 'user', issuer: 'elsewhere', subject: 'alice' },
    ];
    for (const principal of others) {
      const stolen = flowOf('delays', { principal, continuation, round: 2, answers: answer('accept') });
      expect(textsOf(await stolen.next())[0]).not.toContain('is connected');
    }
  });

  it(`opens at most ${OPEN_MAX} pages for one person, and counts none that has ended`, async () => {
    const flows = Array.from({ length: OPEN_MAX }, () => flowOf());
    for (const flow of flows) await flow.next();
    expect(textsOf(await flowOf().next())[0]).toContain('pages open already');
    await flows[0]?.next(answer('decline'));
    expect((await flowOf().next()).kind).toBe('input_required');
    expect((await flowOf('delays', { principal: { ...alice, subject: 'bob' } }).next()).kind).toBe('input_required');
  });

  it.each([{}, { elicitation: {} }, { elicitation: { form: {} } }])(
    'names what a client with %j lacks, and leaves no form in its place',
    async (clientCapabilities) => {
      expect(await flowOf('delays', { clientCapabilities }).next()).toMatchObject({
        code: 'missing_capability',
        requiredCapabilities: { elicitation: { url: {} } },
      });
    },
  );

  it.each([null, '', '  ', 5, 'x'.repeat(65)])('refuses the report %j', async (report) => {
    expect(textsOf(await flowOf(report).next())[0]).toMatch(/^Invalid arguments/);
  });

  it('is declared as what it is', async () => {
    const worker = await SpecWorker.start({
      tools: [ConnectReportServiceTool],
      imports: [ReportsModule.with({ pageUrl: 'https://reports.example/connect/', directory: undefined })],
    });
    const [entry] = worker.controller.describe().tools;
    expect(entry).toMatchObject({ name: 'connect_report_service' });
  });
});

describe('the page', () => {
  const begun = async () => addressOf(await flowOf().next());

  it('tells nobody but the owner that there is a connection', async () => {
    const address = await begun();
    const foreign = await press(address, 'allow', { user: 'bob' });
    const unknown = await press(`${page.url}${'A'.repeat(32)}`, 'allow');
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await foreign.text()).toBe(await unknown.text());
    expect(await recordOf(address)).toMatchObject({ status: 'asked', version: 0 });
  });

  it('wants to know who is there first: the address alone opens nothing', async () => {
    const address = await begun();
    expect((await fetch(address)).status).toBe(401);
    expect((await fetch(address, { method: 'POST', body: 'decision=allow' })).status).toBe(401);
    expect(await recordOf(address)).toMatchObject({ status: 'asked' });
  });

  it('is not completed by being looked at', async () => {
    const address = await begun();
    for (const method of ['GET', 'HEAD']) await fetch(address, { method, headers: { Cookie: 'user=alice' } });
    expect(await recordOf(address)).toMatchObject({ status: 'asked' });
  });

  it('is not pressed from another site', async () => {
    const address = await begun();
    expect((await press(address, 'allow', { headers: { Origin: 'https://evil.example' } })).status).toBe(403);
    expect(await recordOf(address)).toMatchObject({ status: 'asked' });
  });

  it.each([
    ['allow twice', ['allow', 'allow'], 'completed'],
    ['refuse after allow', ['allow', 'refuse'], 'completed'],
    ['allow after refuse', ['refuse', 'allow'], 'failed'],
  ])('%s counts once', async (_, presses, status) => {
    const address = await begun();
    for (const decision of presses) await press(address, decision);
    expect(await recordOf(address)).toMatchObject({ status, version: 1 });
  });

  it('counts one of many presses at the same moment', async () => {
    const address = await begun();
    await Promise.all(Array.from({ length: 8 }, (_, at) => press(address, at % 2 === 0 ? 'allow' : 'refuse')));
    expect(await recordOf(address)).toMatchObject({ version: 1 });
  });

  it('takes a consent that is told after completion for nothing new', async () => {
    const flow = flowOf();
    const address = addressOf(await flow.next());
    await press(address, 'allow');
    await flow.next(answer('accept'));
    expect(await recordOf(address)).toMatchObject({ status: 'completed', version: 1 });
  });

  it.each(['', 'maybe', 'x'.repeat(2_000)])('does not understand the decision %j', async (decision) => {
    const address = await begun();
    expect((await press(address, decision)).status).toBeGreaterThanOrEqual(400);
    expect(await recordOf(address)).toMatchObject({ status: 'asked' });
  });

  it.each(['x', '../x', 'A'.repeat(33), '%00'])('has no connection %j', async (id) => {
    expect((await press(`${page.url}${id}`, 'allow')).status).toBe(404);
  });

  it('leads back only to a page of its own after the sign-in', async () => {
    const signIn = (back: string) =>
      fetch(`${page.origin}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ name: 'alice', back }),
      });
    expect((await signIn('https://evil.example/')).status).toBe(400);
    expect((await signIn(new URL(await begun()).pathname)).status).toBe(303);
  });
});
