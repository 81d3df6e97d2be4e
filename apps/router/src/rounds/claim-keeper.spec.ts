import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RESULT_BYTES_MAX } from '@roundhouse/contracts';
import { Subject } from 'rxjs';
import type { ClaimRequest } from '@roundhouse/contracts';
import { Keyset, StateSealer } from '@roundhouse/sealed-state';
import { RouterUnderTest, type Answer, type CallOptions } from '../testing/router-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { ScriptedWorker, type Script } from '../testing/scripted-worker.js';
import { Claim } from './claim-keeper.js';
import type { ReplayClient } from './replay-client.js';

/** Runs of `again` under way, the first one first. */
const runs: Subject<unknown>[] = [];
const underWay: Script = ({ answers }) => {
  if (answers?.['confirm'] === undefined) return asks({ confirm: confirmAsk() });
  const run = new Subject<unknown>();
  runs.push(run);
  return run;
};

const worker = new ScriptedWorker({
  once: {
    entry: { singleUse: true },
    script: ({ answers }) => (answers?.['confirm'] ? completes('accept') : asks({ confirm: confirmAsk() })),
  },
  secret: {
    entry: { singleUse: true },
    script: ({ answers }) =>
      answers?.['confirm'] ? completes('MARK_result') : asks({ confirm: confirmAsk('MARK_question') }, 'MARK_kept'),
  },
  long: {
    entry: { singleUse: true },
    script: ({ answers }) =>
      answers?.['confirm'] ? completes('x'.repeat(RESULT_BYTES_MAX)) : asks({ confirm: confirmAsk() }),
  },
  again: {
    entry: { singleUse: true },
    definition: { annotations: { idempotentHint: true } },
    script: underWay,
  },
  neverAgain: {
    entry: { singleUse: true },
    definition: { annotations: { readOnlyHint: false, idempotentHint: false } },
    script: underWay,
  },
});

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker]);
});
afterAll(() => router.stop());

const textOf = (answer: Answer): string | undefined => answer.body.result?.content?.[0]?.text;
const yes = { confirm: accept({ ok: true }) };
const REFUSED = {
  jsonrpc: '2.0',
  id: 1,
  error: { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } },
};

async function begin(tool: string): Promise<string> {
  return (await router.tool(tool, {}, { principal: 'alice' })).body.result?.requestState as string;
}

async function retry(tool: string, state: string, responses: unknown, options: CallOptions = {}): Promise<Answer> {
  const sent = { requestState: state, inputResponses: responses };
  return router.tool(tool, {}, { principal: 'alice', ...options, retry: sent });
}

const ended = (run: Subject<unknown> | undefined, text: string): void => {
  run?.next({ kind: 'complete', body: JSON.stringify({ content: [{ type: 'text', text }] }) });
  run?.complete();
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};
beforeEach(() => {
  runs.length = 0;
});

describe('a round whose owner went silent', () => {
  /** Longer than the lease: the call's own time and ten seconds. */
  const LEASE_OVER_MS = 71_000;
  it('runs again when running twice is as good as once, and both callers get what is stored', async () => {
    const state = await begin('again');
    const first = retry('again', state, yes);
    await until(() => runs.length === 1);
    router.claims.passTime(LEASE_OVER_MS);
    const second = retry('again', state, yes);
    await until(() => runs.length === 2);
    ended(runs[1], 'second');
    expect(textOf(await second)).toBe('second');
    ended(runs[0], 'first');
    expect(textOf(await first)).toBe('second');
    expect(textOf(await retry('again', state, yes))).toBe('second');
    expect(runs).toHaveLength(2);
  });

  it('never runs again otherwise: its outcome is unknown until the owner tells it after all', async () => {
    const state = await begin('neverAgain');
    const first = retry('neverAgain', state, yes);
    await until(() => runs.length === 1);
    router.claims.passTime(LEASE_OVER_MS);
    const answer = await retry('neverAgain', state, yes);
    expect(answer.body.error).toMatchObject({ code: -32603, data: { reason: 'outcome_unknown' } });
    ended(runs[0], 'late');
    expect(textOf(await first)).toBe('late');
    expect(textOf(await retry('neverAgain', state, yes))).toBe('late');
    expect(runs).toHaveLength(1);
  });
});

describe('an outcome that cannot be sealed', () => {
  it('is still told to the caller who waited for it, and stored nowhere', async () => {
    const sealer = new StateSealer({ keyset: () => new Keyset([]), audience: 'spec', clock: () => 0 });
    const asked: unknown[] = [];
    const replay = { settle: async (request: unknown) => asked.push(request) } as unknown as ReplayClient;
    const request = { claimId: 'c', owner: 'o', retainMs: 1, principal: 'p' } as ClaimRequest;
    const outcome = { result: '{}' };
    expect(await new Claim(request, { replay, sealer }, undefined, Infinity).settle(outcome, undefined)).toBe(outcome);
    expect(asked).toEqual([]);
  });
});

describe('a store that forgot what was spent', () => {
  it('runs nothing twice: a state from before is refused like any other bad one', async () => {
    const [open, used] = [await begin('once'), await begin('once')];
    expect(textOf(await retry('once', used, yes))).toContain('accept');
    router.claims.forgetEverything();
    const before = worker.calls.length;
    for (const state of [open, used, open])
      expect((await retry('once', state, yes)).text).toBe(JSON.stringify(REFUSED));
    expect(worker.calls).toHaveLength(before);
  });

  it('is noticed at once, and the flow can start again', async () => {
    const state = await begin('once');
    router.claims.forgetEverything();
    await retry('once', state, yes);
    expect(textOf(await retry('once', await begin('once'), yes))).toContain('accept');
  });

  it('while a round runs lets its caller have the answer, and nobody run it again', async () => {
    const state = await begin('neverAgain');
    const before = worker.calls.length;
    const answer = retry('neverAgain', state, yes);
    await until(() => runs.length === 1);
    router.claims.forgetEverything();
    ended(runs.at(-1), 'finished');
    expect(textOf(await answer)).toBe('finished');
    expect((await retry('neverAgain', state, yes)).text).toBe(JSON.stringify(REFUSED));
    expect(worker.calls).toHaveLength(before + 1);
  });
});

describe('a result that is too large to keep', () => {
  it('goes to the caller who waits; whoever comes later learns that it ran, and nothing runs again', async () => {
    const state = await begin('long');
    const before = worker.calls.length;
    expect(textOf(await retry('long', state, yes))).toHaveLength(RESULT_BYTES_MAX);
    for (let n = 0; n < 2; n += 1) {
      const { error } = (await retry('long', state, yes)).body;
      expect(error).toMatchObject({
        code: -32603,
        message: 'The call was completed; its result was too large to keep',
      });
    }
    expect(worker.calls).toHaveLength(before + 1);
  });
});

describe('a store that somebody else writes', () => {
  afterEach(() => {
    router.claims.spoil = (result) => result;
  });

  /** What lies in the store under the last claim that was settled. */
  async function settledElsewhere(): Promise<string> {
    await retry('once', await begin('once'), yes);
    return (router.claims.told.at(-1) as { result: string }).result;
  }

  it.each<[string, () => string | Promise<string>]>([
    ['the result of another round', settledElsewhere],
    ['a result in the clear', () => JSON.stringify({ r: '{"resultType":"complete","content":[]}' })],
    ['a state of a client', () => begin('once')],
    ['nothing', () => ''],
  ])('cannot make us give out %s: the outcome is unknown, and nothing runs again', async (_what, forge) => {
    const forged = await forge();
    router.claims.spoil = () => forged;
    const state = await begin('once');
    const before = worker.calls.length;
    await retry('once', state, yes);
    const answer = await retry('once', state, yes);
    expect(answer.body.error).toMatchObject({ code: -32603, data: { reason: 'outcome_unknown' } });
    expect(worker.calls).toHaveLength(before + 1);
  });
});

describe('what the replay service is told', () => {
  it('is no principal, no answer, no argument, no tool and no result: digests and sealed text alone', async () => {
    router.claims.told.length = 0;
    const args = { note: 'MARK_argument' };
    const first = await router.tool('secret', args, { principal: 'MARK_principal' });
    const sent = { requestState: first.body.result?.requestState, inputResponses: { confirm: accept({ ok: true }) } };
    const done = await router.tool('secret', args, { principal: 'MARK_principal', retry: sent });
    expect(textOf(done)).toBe('MARK_result');
    const told = JSON.stringify(router.claims.told);
    expect(router.claims.told.length).toBeGreaterThanOrEqual(2);
    for (const word of ['MARK', 'secret', 'confirm', 'ok', 'accept']) expect(told).not.toContain(`"${word}`);
    expect(told).not.toContain('MARK_');
  });
});
