import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouterUnderTest, type Answer, type CallOptions } from '../testing/router-under-test.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const worker = new ScriptedWorker({
  large: {
    entry: { singleUse: true },
    script: ({ answers, continuation }) =>
      answers?.['confirm']
        ? completes(`${continuation?.length}`)
        : asks({ confirm: confirmAsk() }, 'x'.repeat(200_000)),
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

describe('a state too large to travel', () => {
  it('is small on the wire, and the worker gets its continuation as it was', async () => {
    const state = await begin('large');
    expect(state.length).toBeLessThan(1_000);
    expect(textOf(await retry('large', state, yes))).toBe('200000');
    expect(textOf(await retry('large', state, yes))).toBe('200000');
  });

  it('is bound to its principal like any other', async () => {
    const state = await begin('large');
    expect((await retry('large', state, yes, { principal: 'mallory' })).text).toBe(JSON.stringify(REFUSED));
  });

  it('is refused when what it stands for is gone', async () => {
    const state = await begin('large');
    router.claims.passTime(86_400_000);
    expect((await retry('large', state, yes)).text).toBe(JSON.stringify(REFUSED));
  });
});
