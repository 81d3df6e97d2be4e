import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BUDGETS_PER_MESSAGE_MAX, PATTERN, type BudgetAsk } from '@roundhouse/contracts';
import { RpcClient, RpcRefusal, type RunningService } from '@roundhouse/service-kit';
import { replayConfig } from './config.js';
import { startReplay } from './start-replay.js';

const ROUTER = 'r'.repeat(22);
const RATE = { perSecond: 0.001, burst: 3, owed: 1, want: 5 };
const KEY = 'k'.repeat(43);

describe('BudgetsController over the wire', () => {
  let service: RunningService;
  let client: RpcClient;

  beforeEach(async () => {
    const env = { ROUNDHOUSE_REPLAY_STORE: 'memory', ROUNDHOUSE_REPLAY_RPC_PORT: '0', ROUNDHOUSE_LOG_LEVEL: 'silent' };
    service = await startReplay(replayConfig.load(env));
    client = new RpcClient(service.address);
  });
  afterEach(async () => {
    client.close();
    await service.close();
  });

  const share = (message: object): Promise<unknown> => client.ask(PATTERN.budget, message, 5_000);

  it('grants what is left, and tells what the others run', async () => {
    await share({ router: 'o'.repeat(22), budgets: [{ key: KEY, running: 4 }] });
    expect(await share({ router: ROUTER, budgets: [{ key: KEY, rate: RATE, running: 1 }] })).toEqual({
      budgets: [{ granted: 2, left: 0, waitMs: expect.any(Number), runningElsewhere: 4, openElsewhere: 0 }],
    });
  });

  it('passes over what a newer router may say', async () => {
    const budgets = [{ key: KEY, rate: { ...RATE, later: 1 }, later: 1 }];
    expect(await share({ router: ROUTER, budgets, later: 1 })).toMatchObject({ budgets: [{ granted: 2 }] });
  });

  const ask = (change: Partial<BudgetAsk>): object => ({ router: ROUTER, budgets: [{ key: KEY, ...change }] });
  it.each([
    ['nothing', {}],
    ['no keys', { router: ROUTER, budgets: [] }],
    ['too many keys', { router: ROUTER, budgets: Array(BUDGETS_PER_MESSAGE_MAX + 1).fill({ key: KEY }) }],
    ['a router that is none', { router: 'r', budgets: [{ key: KEY }] }],
    ['a key that would leave its bucket', ask({ key: `${'k'.repeat(42)}}` })],
    ['no rate at all', ask({ rate: { ...RATE, perSecond: 0 } })],
    ['an endless rate', ask({ rate: { ...RATE, perSecond: 1e12 } })],
    ['a burst that is a fraction', ask({ rate: { ...RATE, burst: 0.5 } })],
    ['a debt below zero', ask({ rate: { ...RATE, owed: -5 } })],
    ['calls below zero', ask({ running: -1 })],
  ])('refuses %s', async (_what, message) => {
    const refused = share(message);
    await expect(refused).rejects.toBeInstanceOf(RpcRefusal);
    await expect(refused).rejects.toMatchObject({ detail: { code: 'invalid_request' } });
  });
});
