import { afterEach, describe, expect, it } from '@jest/globals';
import { Subject, of } from 'rxjs';
import { until } from '@roundhouse/testing';
import { accept, asks, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type Answer } from '../testing/router-under-test.js';
import { ScriptedWorker, type Script } from '../testing/scripted-worker.js';

const DONE = { kind: 'complete', body: '{"content":[]}' };
let worker: ScriptedWorker;
let router: RouterUnderTest;
let open: Subject<unknown>[];

afterEach(() => router.stop());

/** A worker that says how much it runs, and answers when the test says so. */
async function start(callsMax: number, more: Record<string, Script> = {}): Promise<void> {
  open = [];
  const hold: Script = () => {
    const reply = new Subject<unknown>();
    open.push(reply);
    return reply;
  };
  const once: Script = (request) =>
    request.round === 1 ? asks({ sure: confirmAsk() }) : hold(request, undefined as never);
  worker = new ScriptedWorker(
    {
      slow: { script: hold },
      once: { entry: { singleUse: true }, script: once },
      ...Object.fromEntries(Object.entries(more).map(([name, script]) => [name, { script }])),
    },
    { other: { callsMax } },
  );
  router = await RouterUnderTest.start([worker]);
}

const call = (principal = 'alice', name = 'slow'): Promise<Answer> => router.tool(name, {}, { principal });
const waiting = (): number => router.parts.catalogue.snapshot.tool('slow')?.group.waitingCount ?? -1;
function finishOne(): void {
  const reply = open.shift();
  reply?.next(DONE);
  reply?.complete();
}
async function finishAll(pending: readonly Promise<Answer>[]): Promise<Answer[]> {
  const all = Promise.all(pending);
  let isOver = false;
  void all.finally(() => (isOver = true));
  await until(() => {
    finishOne();
    return isOver;
  });
  return all;
}
/** So many run and so many wait. */
async function fill(running: number, queued: number, principal = 'alice'): Promise<Promise<Answer>[]> {
  const pending = Array.from({ length: running + queued }, () => call(principal));
  await until(() => worker.calls.length === running && waiting() === queued);
  return pending;
}

describe('a group that runs as much as it can', () => {
  it('lets twice as many wait, and refuses the rest before a worker hears of them', async () => {
    await start(2);
    const pending = await fill(2, 4);
    const shed = await call();
    expect([shed.status, shed.headers['retry-after'], shed.body.error?.message]).toEqual([
      503,
      '1',
      'Overloaded; send it again later',
    ]);
    expect(worker.calls.length).toBe(2);
    expect((await finishAll(pending)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(worker.calls.length).toBe(6);
  });

  it('never gives a worker more than it said', async () => {
    let running = 0;
    let most = 0;
    const busy: Script = () => {
      running += 1;
      most = Math.max(most, running);
      const reply = new Subject<unknown>();
      setTimeout(() => {
        running -= 1;
        reply.next(DONE);
        reply.complete();
      }, 20);
      return reply;
    };
    await start(3, { busy });
    const answers = await Promise.all(Array.from({ length: 9 }, () => call('alice', 'busy')));
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(most).toBeLessThanOrEqual(3);
  });

  it('gives turns to principals', async () => {
    await start(1);
    const pending = await fill(1, 2, 'mallory');
    const bob = call('bob');
    // Full: the newest of whoever has the most makes way.
    const shed = (await Promise.race(pending.map((one, at) => one.then(() => at)))) > 0;
    await until(() => waiting() === 2);
    finishOne();
    finishOne();
    finishOne();
    await until(() => worker.calls.length === 2);
    finishOne();
    await until(() => worker.calls.length === 3);
    const order = worker.calls.map(({ principal }) => (principal.kind === 'user' ? principal.subject : ''));
    expect([shed, order]).toEqual([true, ['mallory', 'mallory', 'bob']]);
    await finishAll([bob, ...pending]);
  });

  it('refuses who waited a second', async () => {
    await start(1);
    const pending = await fill(1, 1);
    const waited = (await pending[1]) as Answer;
    expect([waited.status, waited.headers['retry-after'], worker.calls.length]).toEqual([503, '1', 1]);
    await finishAll(pending);
  });

  it('forgets who went away while waiting', async () => {
    await start(1);
    const pending = await fill(1, 0);
    await router.abandon('slow', { arguments: {} }, () => waiting() === 1);
    await until(() => waiting() === 0);
    await finishAll(pending);
    expect(worker.calls.length).toBe(1);
  });

  it('spends no confirmation of a call that it refuses', async () => {
    await start(1);
    const asked = await call('alice', 'once');
    const retry = { requestState: asked.body.result?.requestState, inputResponses: { sure: accept({ ok: true }) } };
    worker.calls.length = 0;
    const pending = await fill(1, 2);
    expect((await router.tool('once', {}, { principal: 'alice', retry })).status).toBe(503);
    await finishAll(pending);
    const again = router.tool('once', {}, { principal: 'alice', retry });
    expect((await finishAll([again]))[0]?.body.result).toHaveProperty('content');
  });

  it('lets calls wait that a worker turned away because other routers fill it, and gives it less', async () => {
    let running = 0;
    const shared: Script = () => {
      if (running === 2) return of({ kind: 'error', code: 'draining', message: 'busy' });
      running += 1;
      const reply = new Subject<unknown>();
      open.push(reply);
      reply.subscribe({ complete: () => (running -= 1) });
      return reply;
    };
    await start(5, { shared });
    const pending = [call('alice', 'shared'), call('bob', 'shared')];
    await until(() => running === 2);
    pending.push(call('carol', 'shared'));
    await until(() => worker.calls.length === 3 && waiting() === 1);
    pending.push(call('dave', 'shared'));
    await until(() => waiting() === 2);
    expect(worker.calls.length).toBe(3);
    expect((await finishAll(pending)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
