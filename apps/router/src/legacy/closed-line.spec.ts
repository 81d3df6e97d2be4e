/** Calls whose worker lets the client go while it works (SEP-1699), as a client of 2025 meets them at one router. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Subject, concat, filter, firstValueFrom, of, type Observable } from 'rxjs';
import { LegacyUnderTest, isQuestion, isResponse, type LegacyReplyUnderTest } from '../testing/legacy-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const CLOSE = { kind: 'close_stream' };
const PROGRESS = { kind: 'progress', progress: 1 };

/** What the worker of a call says when a test lets it. */
let says = new Subject<unknown>();
let sent = 0;

const worker = new ScriptedWorker({
  apart: { script: () => concat(of(CLOSE), says) },
  busy: { script: () => concat(of(PROGRESS, CLOSE), says) },
  asking: {
    script: ({ answers }): Observable<unknown> =>
      answers === undefined ? concat(of(CLOSE), asks({ sure: confirmAsk() })) : concat(of(CLOSE), completes('asked')),
  },
  fails: { script: () => concat(of(CLOSE, { kind: 'error', code: 'failed', message: 'no' })) },
});

let router: RouterUnderTest;
let client: LegacyUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
  client = await LegacyUnderTest.begin(router);
});
afterAll(() => router.stop());

const textOf = async (reply: LegacyReplyUnderTest): Promise<string | undefined> =>
  (await reply.next(isResponse)).result?.content?.[0]?.text;
const comeBack = (id: string | undefined, who = client): Promise<LegacyReplyUnderTest> =>
  who.send(undefined, { 'last-event-id': id }, 'GET');
const answers = (text = 'done'): void => says.next({ kind: 'complete', body: JSON.stringify(textResult(text)) });
const textResult = (text: string): object => ({ content: [{ type: 'text', text }] });
const cancel = (requestId: string) =>
  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** Sends a call and waits until its line has ended. */
async function sendAway(name: string, params: object = {}) {
  sent += 1;
  const id = `call ${sent}`;
  says = new Subject();
  const reply = await client.request('tools/call', { name, arguments: {}, ...params }, id);
  await reply.ended;
  return { reply, id, last: reply.eventIds.at(-1) };
}

describe('a client that can come back', () => {
  it('is sent away with an id, and given the answer when it is back', async () => {
    const { reply, id, last } = await sendAway('apart');
    expect([reply.status, reply.messages, reply.eventIds.length]).toEqual([200, [], 2]);
    const back = await comeBack(last);
    answers();
    expect([await textOf(back), back.messages[0]?.id]).toEqual(['done', id]);
    await back.ended;
    expect((await comeBack(last)).status).toBe(400);
  });

  it('is given what was said while it was away, and what was said before only if it did not get it', async () => {
    const { reply, last } = await sendAway('busy', { _meta: { progressToken: 7 } });
    expect(reply.messages).toMatchObject([{ params: { progressToken: 7, progress: 1 } }]);
    says.next({ kind: 'progress', progress: 2 });
    answers('late');
    const back = await comeBack(last);
    await back.ended;
    expect(back.messages).toMatchObject([{ params: { progress: 2 } }, { result: textResult('late') }]);
  });

  it('is sent away again when the worker says so again, by whichever line it reads', async () => {
    const { last } = await sendAway('apart');
    const back = await comeBack(last);
    await until(() => back.eventIds.length === 1);
    says.next({ ...CLOSE, retryMs: 50 });
    await back.ended;
    expect([back.status, back.messages, back.eventIds.at(-1)]).toEqual([200, [], last]);
    says.next(CLOSE);
    const again = await comeBack(back.eventIds.at(-1));
    answers();
    expect(await textOf(again)).toBe('done');
  });

  it('is asked what there is to ask once it is back, and sent away again after its answer', async () => {
    const { last } = await sendAway('asking');
    const back = await comeBack(last);
    const question = await back.next(isQuestion);
    expect((await client.answer(question, accept({ ok: true }))).status).toBe(202);
    await back.ended;
    const again = await comeBack(back.eventIds.at(-1));
    expect(await textOf(again)).toBe('asked');
  });

  it('is told of a failure as of an answer', async () => {
    const { last, id } = await sendAway('fails');
    const back = await comeBack(last);
    expect(await back.next(isResponse)).toMatchObject({ id, error: { code: -32603 } });
  });

  it('may never come back: its call ends all the same', async () => {
    await sendAway('apart');
    expect(router.parts.inFlight.size).toBe(1);
    answers();
    await until(() => router.parts.inFlight.size === 0);
  });

  it('may cancel while it is away; then there is nothing to come back to', async () => {
    const before = worker.cancelled.length;
    const { id, last } = await sendAway('apart');
    expect((await cancel(id)).status).toBe(202);
    const { callId } = worker.calls.at(-1) ?? {};
    expect(await firstValueFrom(worker.onCancel.pipe(filter((cancelled) => cancelled === callId)))).toBe(callId);
    expect(worker.cancelled.length).toBe(before + 1);
    expect((await comeBack(last)).status).toBe(400);
  });

  it('may cancel when it is back; the line ends without an answer', async () => {
    const { id, last } = await sendAway('apart');
    const back = await comeBack(last);
    await cancel(id);
    await back.ended;
    expect(back.messages).toEqual([]);
  });

  it('comes back to its own calls only', async () => {
    const stranger = await LegacyUnderTest.begin(router);
    const { last } = await sendAway('apart');
    for (const id of [last, `${last}9`, '0']) expect((await comeBack(id, stranger)).status).toBe(400);
    answers();
    expect(await textOf(await comeBack(last))).toBe('done');
  });

  it('may not send its request again while the call runs', async () => {
    const { id, last } = await sendAway('apart');
    const again = await client.request('tools/call', { name: 'apart', arguments: {} }, id);
    expect(again.status).toBe(409);
    answers();
    expect(await textOf(await comeBack(last))).toBe('done');
  });
});

describe('a client that cannot come back', () => {
  it.each([
    ['of 2025-06-18', { revision: '2025-06-18' }, {}],
    ['of 2025-03-26', { revision: '2025-03-26' }, {}],
    ['that takes no event streams', {}, { accept: 'application/json' }],
  ])('%s is kept on its line, and its worker is not told that it may let it go', async (_which, terms, headers) => {
    says = new Subject();
    const mine = await LegacyUnderTest.begin(router, terms);
    const before = worker.calls.length;
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'apart', arguments: {} } };
    const pending = mine.send(call, headers);
    await until(() => worker.calls.length > before && says.observed);
    answers();
    expect(await textOf(await pending)).toBe('done');
    expect(worker.calls.at(-1)).not.toHaveProperty('mayCloseStream');
  });

  it('because it is of 2026-07-28, is answered on its line', async () => {
    says = new Subject();
    const before = worker.calls.length;
    const pending = router.tool('apart', {});
    await until(() => worker.calls.length > before && says.observed);
    answers();
    const { status, body } = await pending;
    expect([status, body.result?.content?.[0]?.text]).toEqual([200, 'done']);
    expect(worker.calls.at(-1)).not.toHaveProperty('mayCloseStream');
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
