import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallRequest } from '@roundhouse/contracts';
import { META } from '@roundhouse/protocol';
import { EMPTY, NEVER, Subject, concat, filter, firstValueFrom, from, of, throwError } from 'rxjs';
import { RouterUnderTest, type Answer, type CallOptions } from '../testing/router-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { ScriptedWorker, type Script } from '../testing/scripted-worker.js';

/** Asks once, then says what it was told. */
const confirmOnce: Script = ({ answers }) =>
  answers?.['confirm'] === undefined
    ? asks({ confirm: confirmAsk() }, 'kept "as is" ☃')
    : completes(JSON.stringify(answers));

/** Asks two things one after the other. */
const twoRounds: Script = ({ answers }) => {
  if (answers?.['first'] === undefined) return asks({ first: confirmAsk('first?') });
  if (answers['second'] === undefined) return asks({ second: confirmAsk('second?') });
  return completes(JSON.stringify(answers));
};

const big: Script = () => asks({ confirm: confirmAsk() }, 'x'.repeat(20_000));

let release: Subject<unknown>;
const slow: Script = ({ answers }) => (answers?.['confirm'] === undefined ? asks({ confirm: confirmAsk() }) : release);

const worker = new ScriptedWorker(
  {
    plain: { script: confirmOnce },
    once: { entry: { singleUse: true }, script: confirmOnce },
    other: { entry: { singleUse: true }, script: confirmOnce },
    twice: { entry: { singleUse: true }, script: twoRounds },
    slow: { entry: { singleUse: true }, script: slow },
    hasty: {
      entry: { singleUse: true, timeoutMs: 30 },
      script: ({ answers }) => (answers?.['confirm'] ? NEVER : asks({ confirm: confirmAsk() })),
    },
    dies: {
      entry: { singleUse: true },
      script: ({ answers }, connection) => {
        if (answers?.['confirm'] === undefined) return asks({ confirm: confirmAsk() });
        connection.getSocketRef().netSocket.destroy();
        return NEVER;
      },
    },
    open: {
      entry: { answers: 'open' },
      script: ({ answers }) => (answers?.['confirm'] ? completes('answered') : asks({ confirm: confirmAsk() })),
    },
    both: {
      script: ({ answers }) =>
        answers?.['b'] ? completes(JSON.stringify(answers)) : asks({ a: confirmAsk(), b: confirmAsk() }),
    },
    greedy: { script: () => asks({ c: confirmAsk('again?') }, 'x'.repeat(300_000)) },
    endless: { script: () => asks({ again: confirmAsk('again?') }) },
    secret: {
      script: () =>
        asks({
          pw: {
            method: 'elicitation/create',
            params: { message: 'm', requestedSchema: { type: 'object', properties: { password: { type: 'string' } } } },
          },
        }),
    },
    linker: {
      script: () =>
        asks({
          go: {
            method: 'elicitation/create',
            params: { mode: 'url', message: 'm', url: 'https://example.com/connect' },
          },
        }),
    },
    mute: { script: () => EMPTY },
    throws: { script: () => throwError(() => new Error('inner MARK_SECRET words')) },
    patient: { script: () => NEVER },
  },
  { title: 'Notes' },
);

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());
beforeEach(() => {
  release = new Subject();
});

const stateOf = (answer: Answer): string => answer.body.result?.requestState as string;
const textOf = (answer: Answer): string | undefined => answer.body.result?.content?.[0]?.text;
const yes = { confirm: accept({ ok: true }) };
const REFUSED = {
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } },
};

async function begin(
  tool: string,
  options: CallOptions = { principal: 'alice' },
  args: unknown = { n: 1 },
): Promise<string> {
  return stateOf(await router.tool(tool, args, options));
}

interface RetryOptions extends CallOptions {
  args?: unknown;
}
async function retry(
  tool: string,
  state: unknown,
  responses: unknown,
  { args = { n: 1 }, ...options }: RetryOptions = {},
): Promise<Answer> {
  return router.tool(tool, args, {
    principal: 'alice',
    ...options,
    retry: { requestState: state, inputResponses: responses },
  });
}

describe('a round trip', () => {
  it('asks under the asker’s name, and finishes with the answer and the continuation as it was', async () => {
    const first = await router.tool('plain', { n: 1 }, { principal: 'alice' });
    expect(first.body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { method: 'elicitation/create', params: { message: '[Notes] Sure?' } } },
      requestState: expect.stringMatching(/^v1\.[\w-]+$/),
    });
    expect(first.body.result).not.toHaveProperty('ttlMs');
    const second = await retry('plain', stateOf(first), yes, { id: 2 });
    expect([second.body.id, textOf(second)]).toEqual([2, '{"confirm":{"action":"accept","content":{"ok":true}}}']);
    expect(worker.calls.at(-1)?.continuation).toBe('kept "as is" ☃');
  });

  it('passes earlier answers on to later rounds', async () => {
    const state = await begin('twice');
    const second = await retry('twice', state, { first: accept({ ok: true }) });
    const third = await retry('twice', stateOf(second), { second: { action: 'decline' } });
    expect(JSON.parse(textOf(third) ?? '')).toEqual({ first: accept({ ok: true }), second: { action: 'decline' } });
  });

  it('tells decline and cancel apart from accept', async () => {
    expect(textOf(await retry('plain', await begin('plain'), { confirm: { action: 'decline' } }))).toContain('decline');
    expect(textOf(await retry('plain', await begin('plain'), { confirm: { action: 'cancel' } }))).toContain('cancel');
  });

  it('gives the worker one flow id, rising rounds and an idempotency key only when it was claimed', async () => {
    const from = worker.calls.length;
    const second = await retry('twice', await begin('twice'), { first: accept({ ok: true }) });
    await retry('twice', stateOf(second), { second: accept({ ok: true }) });
    const calls = worker.calls.slice(from);
    expect(new Set(calls.map(({ flowId }) => flowId)).size).toBe(1);
    expect(calls.map(({ round }) => round)).toEqual([1, 2, 3]);
    expect(calls.map(({ idempotencyKey }) => typeof idempotencyKey)).toEqual(['undefined', 'string', 'string']);
    expect(calls[1]?.idempotencyKey).not.toBe(calls[2]?.idempotencyKey);
  });

  it('accepts arguments in another spelling', async () => {
    const state = await begin('plain', { principal: 'alice' }, { a: 1, b: { c: 'é', d: 2 } });
    const answer = await retry('plain', state, yes, { args: { b: { d: 2.0, c: '\u00e9' }, a: 1 } });
    expect(textOf(answer)).toContain('accept');
  });

  it('counts answers without a state as not given', async () => {
    const answer = await router.tool('plain', { n: 1 }, { principal: 'alice', retry: { inputResponses: yes } });
    expect(answer.body.result?.['resultType']).toBe('input_required');
  });

  it.each([undefined, null])('takes requestState %j as a first call', async (state) => {
    expect((await retry('plain', state, yes)).body.result?.['resultType']).toBe('input_required');
  });

  it('seals nothing for a tool whose answers are open, and takes them without a state', async () => {
    const first = await router.tool('open', {});
    expect(first.body.result).not.toHaveProperty('requestState');
    expect(textOf(await router.tool('open', {}, { retry: { inputResponses: yes } }))).toBe('answered');
  });
});

describe('answers [B25]', () => {
  it.each([
    ['is missing', {}],
    ['is under another key', { other: accept({ ok: true }) }],
    ['lacks its content', { confirm: { action: 'accept' } }],
    ['lacks a required field', { confirm: accept({}) }],
    ['has a field of another type', { confirm: accept({ ok: 'yes' }) }],
    ['has a field nobody asked for', { confirm: accept({ ok: true, extra: 1 }) }],
    ['has an action nobody knows', { confirm: { action: 'approve', content: { ok: true } } }],
    ['is only inherited', JSON.parse('{"__proto__":{"confirm":{"action":"accept","content":{"ok":true}}}}')],
  ])('are asked for again when one %s', async (_what, responses) => {
    const state = await begin('once');
    const before = worker.calls.length;
    const again = await retry('once', state, responses);
    expect(again.body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { confirm: { params: { message: '[Notes] Sure?' } } },
    });
    expect(stateOf(again)).not.toBe(state);
    expect(worker.calls).toHaveLength(before);
    expect(textOf(await retry('once', stateOf(again), yes))).toContain('accept');
  });

  it.each([
    [[]],
    ['x'],
    [5],
    [true],
    [{ confirm: null }],
    [{ confirm: 12345 }],
    [{ confirm: 'accept' }],
    [{ confirm: [] }],
  ])('of the wrong shape are refused: %j', async (responses) => {
    const state = await begin('once');
    const answer = await retry('once', state, responses);
    expect([answer.status, answer.body.error?.code]).toEqual([200, -32602]);
    expect(textOf(await retry('once', state, yes))).toContain('accept');
  });

  it('beyond the ones asked for are ignored', async () => {
    expect(textOf(await retry('plain', await begin('plain'), { ...yes, extra: { x: 1 } }))).toBe(
      '{"confirm":{"action":"accept","content":{"ok":true}}}',
    );
  });

  it('that are valid are kept while the rest is asked for again', async () => {
    const again = await retry('both', await begin('both'), { a: accept({ ok: true }) });
    expect(Object.keys(again.body.result?.inputRequests ?? {})).toEqual(['b']);
    const done = await retry('both', stateOf(again), { b: accept({ ok: false }) });
    expect(JSON.parse(textOf(done) ?? '')).toEqual({ a: accept({ ok: true }), b: accept({ ok: false }) });
  });

  it('are refused when the retry can no longer be asked', async () => {
    const answer = await retry('plain', await begin('plain'), {}, { capabilities: {} });
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32021]);
  });

  it('cannot be asked for for ever', async () => {
    let state = await begin('plain');
    let answer: Answer | undefined;
    for (let round = 0; round < 20 && state !== undefined; round += 1) {
      answer = await retry('plain', state, {});
      state = stateOf(answer);
    }
    expect(answer?.body.error).toMatchObject({ code: -32603, message: 'The flow asked too many times' });
  });
});

describe('a state [B19, B20, B24]', () => {
  const bad: [string, (state: string) => unknown][] = [
    ['with a flipped first byte', (state) => `v1.${state[3] === 'A' ? 'B' : 'A'}${state.slice(4)}`],
    [
      'with a flipped middle byte',
      (state) => `${state.slice(0, 90)}${state[90] === 'A' ? 'B' : 'A'}${state.slice(91)}`,
    ],
    [
      'with a flipped last byte',
      (state) => `${state.slice(0, -3)}${state.at(-3) === 'A' ? 'B' : 'A'}${state.slice(-2)}`,
    ],
    ['cut short', (state) => state.slice(0, -1)],
    ['made longer', (state) => `${state}A`],
    ['with padding', (state) => `${state}=`],
    ['with a space', (state) => ` ${state}`],
    ['in capitals', (state) => state.toUpperCase()],
    ['with another version', (state) => state.replace('v1.', 'v2.')],
    ['without its version', (state) => state.slice(3)],
    ['doubled', (state) => state + state],
    ['with a suffix', (state) => `${state}-TAMPERED`],
    ['that is empty', () => ''],
    ['that is the word null', () => 'null'],
    ['that is a number', () => 0],
    ['that is an object', () => ({})],
    ['that is a list', () => []],
    ['that is a boolean', () => true],
    ['with a zero character', () => 'v1.\u0000'],
    ['with a lone surrogate', () => 'v1.\ud800'],
    ['of a mebibyte', () => `v1.${'A'.repeat(1024 * 1024)}`],
  ];

  it.each(bad)('%s is refused with the same bytes before any worker hears of it', async (_what, spoil) => {
    const state = await begin('once');
    const before = worker.calls.length;
    const answer = await retry('once', spoil(state), yes);
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify(REFUSED)]);
    expect(worker.calls).toHaveLength(before);
    expect(textOf(await retry('once', state, yes))).toContain('accept');
  });

  const drift: [string, RetryOptions & { tool?: string }][] = [
    ['another principal', { principal: 'bob' }],
    ['no principal', { headers: { 'x-roundhouse-principal': undefined } }],
    ['another tool', { tool: 'other' }],
    ['another argument value', { args: { n: 1000 } }],
    ['one more argument', { args: { n: 1, m: 2 } }],
    ['no arguments', { args: {} }],
  ];
  it.each(drift)('for %s is refused with the same bytes', async (_what, { tool = 'once', ...options }) => {
    const state = await begin('once');
    const before = worker.calls.length;
    const answer = await retry(tool, state, yes, options);
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify(REFUSED)]);
    expect(worker.calls).toHaveLength(before);
    expect(textOf(await retry('once', state, yes))).toContain('accept');
  });

  it('of an anonymous caller is refused to a named one', async () => {
    const state = stateOf(await router.tool('once', { n: 1 }));
    expect((await retry('once', state, yes)).text).toBe(JSON.stringify(REFUSED));
  });

  it('of another deployment with another audience is refused', async () => {
    const elsewhere = await RouterUnderTest.start([
      new ScriptedWorker({ once: { entry: { singleUse: true }, script: confirmOnce } }),
    ]);
    const state = stateOf(await elsewhere.tool('once', { n: 1 }, { principal: 'alice' }));
    await elsewhere.stop();
    expect((await retry('once', state, yes)).text).toBe(JSON.stringify(REFUSED));
  });

  it('that would grow over its limit ends the flow clearly', async () => {
    const answer = await router.tool('greedy', {});
    expect(answer.body.error).toMatchObject({ code: -32603, message: 'The flow grew too large to continue' });
  });
});

describe('a confirmed round of a single-use tool', () => {
  it('runs once however often it is sent, and gives every sender the same result', async () => {
    const state = await begin('once');
    const before = worker.calls.length;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => retry('once', state, yes, { id: at })));
    expect(worker.calls).toHaveLength(before + 1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.result))).size).toBe(1);
    expect(answers.map(({ body }) => body.id)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  it('refuses other answers once one was given', async () => {
    const state = await begin('once');
    await retry('once', state, yes);
    for (const responses of [{ confirm: accept({ ok: false }) }, { confirm: { action: 'decline' } }]) {
      expect((await retry('once', state, responses)).text).toBe(JSON.stringify(REFUSED));
    }
    expect(textOf(await retry('once', state, yes))).toContain('accept');
  });

  it('is spent by a decline', async () => {
    const state = await begin('once');
    await retry('once', state, { confirm: { action: 'decline' } });
    expect((await retry('once', state, yes)).text).toBe(JSON.stringify(REFUSED));
  });

  it('is not spent by a cancel, which itself runs once', async () => {
    const state = await begin('once');
    const before = worker.calls.length;
    const cancels = await Promise.all([1, 2, 3].map(() => retry('once', state, { confirm: { action: 'cancel' } })));
    expect(new Set(cancels.map(({ text }) => text)).size).toBe(1);
    expect(worker.calls).toHaveLength(before + 1);
    expect(textOf(await retry('once', state, yes))).toContain('accept');
  });

  it('gives the next question out again under the same state', async () => {
    const state = await begin('twice');
    const [one, two] = [
      await retry('twice', state, { first: accept({ ok: true }) }),
      await retry('twice', state, { first: accept({ ok: true }) }),
    ];
    expect(stateOf(one)).toBe(stateOf(two));
  });

  it('is finished and stored although its caller went away', async () => {
    const state = await begin('slow');
    const params = { arguments: { n: 1 }, requestState: state, inputResponses: yes };
    await router.abandon(
      'slow',
      params,
      () => worker.calls.at(-1)?.target === 'slow' && worker.calls.at(-1)?.round === 2,
    );
    const again = retry('slow', state, yes);
    release.next({ kind: 'complete', body: '{"content":[{"type":"text","text":"finished"}]}' });
    release.complete();
    expect(textOf(await again)).toBe('finished');
    expect(worker.cancelled).not.toContain(worker.calls.at(-1)?.callId);
    expect(textOf(await retry('slow', state, yes))).toBe('finished');
  });

  it('that may have run has an unknown outcome, and keeps it', async () => {
    const state = await begin('hasty');
    const before = worker.calls.length;
    for (let n = 0; n < 3; n += 1) {
      const answer = await retry('hasty', state, yes);
      expect(answer.body.error).toMatchObject({ code: -32603, data: { reason: 'outcome_unknown' } });
    }
    expect(worker.calls).toHaveLength(before + 1);
  });
});

describe('a worker that misbehaves [B27]', () => {
  it.each(['mute', 'throws'])('%s fails the call without its words', async (tool) => {
    const answer = await router.tool(tool, {});
    expect([answer.status, answer.body.error?.code]).toEqual([200, -32603]);
    expect(answer.text).not.toContain('MARK_SECRET');
  });

  it('may not ask for a secret by form', async () => {
    expect((await router.tool('secret', {})).body.error?.code).toBe(-32603);
  });

  it('may not ask what the client cannot show', async () => {
    const answer = await router.tool('linker', {}, { capabilities: { elicitation: { form: {} } } });
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32021]);
    expect(answer.body.error?.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
  });
});

describe('notices', () => {
  const notices =
    (...items: unknown[]): Script =>
    () =>
      concat(from(items), completes('done'));
  const progress = (value: unknown): object => ({ kind: 'progress', progress: value, total: 10 });
  let fixture: RouterUnderTest;
  const chatty = new ScriptedWorker({
    rising: { script: notices(progress(1), progress(2), progress(2), progress(1), progress(5.5)) },
    logging: {
      script: notices({ kind: 'log', level: 'debug', data: 'd' }, { kind: 'log', level: 'warning', data: { a: 1 } }),
    },
    broken: { script: notices(progress('many')) },
    late: { script: () => concat(completes('done'), of(progress(1))) },
  });
  beforeAll(async () => {
    fixture = await RouterUnderTest.start([chatty]);
  });
  afterAll(() => fixture.stop());
  const values = (answer: Answer) =>
    answer.messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);

  it.each([0, '', 'abc', 7])('carry the caller’s own token %j and strictly rise', async (progressToken) => {
    const answer = await fixture.tool('rising', {}, { meta: { progressToken } });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-cache, no-transform',
    });
    expect(values(answer)).toEqual([1, 2, 5.5].map((value) => ({ progressToken, progress: value, total: 10 })));
    expect(textOf(answer)).toBe('done');
  });

  it('are not sent to a caller that gave no token', async () => {
    const answer = await fixture.tool('rising', {});
    expect([answer.headers['content-type'], textOf(answer)]).toEqual(['application/json', 'done']);
  });

  it('are dropped for a caller that takes no stream', async () => {
    const answer = await fixture.tool(
      'rising',
      {},
      { meta: { progressToken: 1 }, headers: { accept: 'application/json' } },
    );
    expect([answer.headers['content-type'], textOf(answer)]).toEqual(['application/json', 'done']);
  });

  it('of the log reach a caller only at the level it asked for', async () => {
    const answer = await fixture.tool('logging', {}, { meta: { [META.logLevel]: 'warning' } });
    expect(
      answer.messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params),
    ).toEqual([{ level: 'warning', data: { a: 1 } }]);
    expect((await fixture.tool('logging', {})).headers['content-type']).toBe('application/json');
  });

  it('that are nonsense fail the call', async () => {
    expect((await fixture.tool('broken', {}, { meta: { progressToken: 1 } })).body.error?.code).toBe(-32603);
  });

  it('after the reply are dropped', async () => {
    expect(textOf(await fixture.tool('late', {}, { meta: { progressToken: 1 } }))).toBe('done');
  });
});

describe('what a worker is told', () => {
  it('is the caller’s own keys in _meta, and none of the protocol’s', async () => {
    await router.tool(
      'plain',
      { n: 1 },
      { principal: 'alice', meta: { 'com.example/x': { y: 1 }, progressToken: 1, traceparent: 'bad' } },
    );
    const request = worker.calls.at(-1) as CallRequest;
    expect(request.meta).toEqual({ 'com.example/x': { y: 1 } });
    expect(request.principal).toEqual({ kind: 'user', issuer: 'development', subject: 'alice' });
  });

  it('never contains a sealed state or a header', async () => {
    const state = await begin('plain');
    await retry('plain', state, yes, { headers: { authorization: 'Bearer MARK_TOKEN' } });
    expect(JSON.stringify(worker.calls.at(-1))).not.toMatch(/MARK_TOKEN|"v1\./);
  });

  it('is to stop when its caller goes away', async () => {
    const before = worker.calls.length;
    await router.abandon('patient', {}, () => worker.calls.length > before);
    const { callId } = worker.calls.at(-1) as CallRequest;
    expect(await firstValueFrom(worker.onCancel.pipe(filter((id) => id === callId)))).toBe(callId);
    expect(router.parts.inFlight.size).toBe(0);
  });
});

describe('without the replay service', () => {
  let alone: RouterUnderTest;
  const lonely = new ScriptedWorker({
    once: { entry: { singleUse: true }, script: confirmOnce },
    plain: { script: confirmOnce },
    big: { script: big },
  });
  beforeEach(async () => {
    alone = await RouterUnderTest.start([lonely]);
  });
  afterEach(() => alone.stop());

  const unavailable = ({ status, headers, body }: Answer): unknown[] => [
    status,
    headers['retry-after'],
    body.error?.code,
  ];

  it('a single-use call fails closed with 503 before it runs, when the service never was there', async () => {
    await alone.replay.close();
    const before = lonely.calls.length;
    expect(unavailable(await alone.tool('once', {}))).toEqual([503, '1', -32603]);
    expect(lonely.calls).toHaveLength(before);
  });

  it('a single-use call still asks under the last epochs, and its confirmed round fails closed', async () => {
    await alone.tool('once', {});
    await alone.replay.close();
    const state = stateOf(await alone.tool('once', {}));
    const before = lonely.calls.length;
    const answer = await alone.tool('once', {}, { retry: { requestState: state, inputResponses: yes } });
    expect(unavailable(answer)).toEqual([503, '1', -32603]);
    expect(lonely.calls).toHaveLength(before);
  });

  it('a state that needs it is answered with 503, and one that was never to have it ends its flow', async () => {
    const without = await RouterUnderTest.start([new ScriptedWorker({ big: { script: big } })], (config) => ({
      ...config,
      replay: { addresses: [] },
    }));
    expect((await without.tool('big', {})).body.error?.message).toBe('The flow grew too large to continue');
    await without.stop();
    await alone.replay.close();
    expect(unavailable(await alone.tool('big', {}))).toEqual([503, '1', -32603]);
  });

  it('every other round goes on', async () => {
    await alone.replay.close();
    const state = stateOf(await alone.tool('plain', {}));
    expect(textOf(await alone.tool('plain', {}, { retry: { requestState: state, inputResponses: yes } }))).toContain(
      'accept',
    );
  });
});
