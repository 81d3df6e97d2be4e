import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BudgetAnswer, BudgetRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { MemoryBudgetStore } from '@roundhouse/replay-claim';
import { FakeClock } from '@roundhouse/testing';
import type { Access } from '../access/access.js';
import type { Route } from '../catalogue/route.js';
import { BudgetExchange } from './budget-exchange.js';
import { BUDGETS_MAX, CallLimits } from './call-limits.js';
import { limitsSchema, type LimitSettings } from './limit-settings.js';

let clock: FakeClock;
let store: MemoryBudgetStore;
let exchanges: BudgetExchange[];
let isAway: boolean;
beforeEach(() => {
  clock = new FakeClock();
  store = new MemoryBudgetStore({ now: clock.now });
  [exchanges, isAway] = [[], false];
});
afterEach(() => {
  for (const exchange of exchanges) exchange.stop();
});

/** A router of its own, on the store that all of them share. */
function router(settings: unknown, name = 'a'): CallLimits {
  const limits: readonly LimitSettings[] = limitsSchema.parse(settings);
  const share = async (request: BudgetRequest): Promise<BudgetAnswer> => {
    if (isAway) throw new RoundhouseError('replay_unavailable');
    return store.share(request);
  };
  const exchange = new BudgetExchange({ router: name.repeat(22), share });
  exchanges.push(exchange);
  return new CallLimits({ limits: () => limits, audience: 'x', report: exchange.report, now: clock.now });
}

const access = (subject: string): Access => ({
  principal: { kind: 'user', issuer: 'https://login.example', subject },
  scopes: undefined,
  claims: {},
  expiresAtMs: Infinity,
});
const route = (publicName: string): Route => ({ kind: 'tools', publicName }) as Route;

const outcomeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return 'ok';
  } catch (error) {
    const { code, retryAfterS } = RoundhouseError.from(error);
    return `${code} ${retryAfterS}`;
  }
};
/** One after the other, as a client sends them. */
async function outcomes(count: number, run: () => unknown): Promise<string[]> {
  const seen: string[] = [];
  for (let at = 0; at < count; at += 1) seen.push(await outcomeOf(run));
  return seen;
}
const served = (seen: readonly string[]): number => seen.filter((one) => one === 'ok').length;
const settled = async (): Promise<void> => {
  for (let at = 0; at < 4; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

const PER_PRINCIPAL = [{ name: 'all', perSecond: 0.5, burst: 10 }];

describe('limits of a rate', () => {
  it('let a burst through and refuse the rest, saying when to come again', async () => {
    const limits = router(PER_PRINCIPAL);
    const burst = Array.from({ length: 15 }, () => outcomeOf(() => limits.admit(access('alice'))));
    const seen = await Promise.all(burst);
    expect(served(seen)).toBe(10);
    expect(seen.at(-1)).toBe('rate_limited 2');
  });

  it('leave another alone', async () => {
    const limits = router(PER_PRINCIPAL);
    await Promise.all(Array.from({ length: 50 }, () => outcomeOf(() => limits.admit(access('alice')))));
    expect(await outcomes(3, () => limits.admit(access('bob')))).toEqual(['ok', 'ok', 'ok']);
  });

  it('are of all routers together', async () => {
    const routers = ['a', 'b', 'c'].map((name) => router(PER_PRINCIPAL, name));
    const burst = Array.from({ length: 60 }, (_, at) => outcomeOf(() => routers[at % 3]?.admit(access('alice'))));
    const seen = await Promise.all(burst);
    expect(served(seen)).toBeGreaterThanOrEqual(10);
    // Each router lets an eighth of the burst through before it has asked.
    expect(served(seen)).toBeLessThanOrEqual(13);
  });

  it('hold in the long run, whatever was let through on credit', async () => {
    const routers = ['a', 'b', 'c'].map((name) => router([{ name: 'all', perSecond: 5, burst: 10 }], name));
    let count = 0;
    for (let tick = 0; tick < 400; tick += 1) {
      clock.advance(50);
      for (const limits of routers) if ((await outcomeOf(() => limits.admit(access('alice')))) === 'ok') count += 1;
      await settled();
    }
    // 20 s at 5 a second, and the burst at the beginning.
    expect(count).toBeGreaterThanOrEqual(95);
    expect(count).toBeLessThanOrEqual(115);
  });

  it('are kept by a router of its own while the store is away, and nobody is refused for that', async () => {
    isAway = true;
    const limits = router(PER_PRINCIPAL);
    expect(served(await outcomes(15, () => limits.admit(access('alice'))))).toBe(10);
    expect(await outcomeOf(() => limits.admit(access('bob')))).toBe('ok');
  });

  it('do not count for what they are not about', async () => {
    const limits = router([{ name: 'heavy', tools: ['heavy_*'], perSecond: 0.001, burst: 1 }]);
    expect(served(await outcomes(20, () => limits.admit(access('alice'))))).toBe(20);
    expect(served(await outcomes(20, () => limits.enter(access('alice'), route('light'))))).toBe(20);
    const heavy = await outcomes(3, async () => {
      await limits.enter(access('alice'), route('heavy_1'));
      await settled();
    });
    expect(heavy[0]).toBe('ok');
    expect(served(heavy)).toBe(1);
  });

  it('of a tool are shared by its callers, who have done nothing wrong', async () => {
    const limits = router([{ name: 'one', tools: ['one'], by: 'tool', perSecond: 0.001, burst: 1 }]);
    await limits.enter(access('alice'), route('one'));
    await settled();
    expect(await outcomeOf(() => limits.enter(access('bob'), route('one')))).toMatch(/^overloaded /);
  });

  it('of each caller of each tool leave other tools and other callers alone', async () => {
    const limits = router([{ name: 'each', tools: ['*'], by: 'principalAndTool', perSecond: 0.001, burst: 1 }]);
    await limits.enter(access('alice'), route('one'));
    await settled();
    expect(await outcomeOf(() => limits.enter(access('alice'), route('one')))).toMatch(/^rate_limited /);
    expect(await outcomeOf(() => limits.enter(access('alice'), route('two')))).toBe('ok');
    expect(await outcomeOf(() => limits.enter(access('bob'), route('one')))).toBe('ok');
  });
});

describe('limits of calls under way', () => {
  const TWO = [{ name: 'two', concurrent: 2 }];

  it('refuse a third until one is over', async () => {
    const limits = router(TWO);
    const leave = await limits.enter(access('alice'), route('t'));
    await limits.enter(access('alice'), route('t'));
    expect(await outcomeOf(() => limits.enter(access('alice'), route('t')))).toBe('rate_limited 1');
    expect(await outcomeOf(() => limits.enter(access('bob'), route('t')))).toBe('ok');
    leave();
    expect(await outcomeOf(() => limits.enter(access('alice'), route('t')))).toBe('ok');
  });

  it('give back what was taken when a later limit refuses', async () => {
    const limits = router([...TWO, { name: 'rate', tools: ['*'], perSecond: 0.001, burst: 1 }]);
    (await limits.enter(access('alice'), route('t')))();
    await settled();
    for (let at = 0; at < 5; at += 1)
      expect(await outcomeOf(() => limits.enter(access('alice'), route('t')))).toMatch(/^rate_limited [1-9]\d+/);
  });
});

describe('the limits of a router', () => {
  it('remember no more callers than they may', () => {
    const limits = router([{ name: 'all', perSecond: 1 }]);
    for (let at = 0; at < BUDGETS_MAX + 500; at += 1) void limits.admit(access(`user-${at}`));
    expect(limits.size).toBe(BUDGETS_MAX);
  });

  it.each([
    ['nothing at all', [{ name: 'a' }]],
    ['no rate at all', [{ name: 'a', perSecond: 0 }]],
    ['a rate below zero', [{ name: 'a', perSecond: -1 }]],
    ['a burst without a rate', [{ name: 'a', burst: 1, concurrent: 1 }]],
    ['each tool, and names none', [{ name: 'a', by: 'tool', perSecond: 1 }]],
    ['the same name twice', [...PER_PRINCIPAL, ...PER_PRINCIPAL]],
    ['a key that is unknown', [{ name: 'a', perSeconds: 1 }]],
    ['an empty list of tools', [{ name: 'a', tools: [], perSecond: 1 }]],
  ])('are refused when one limits %s', (_what, settings) => {
    expect(limitsSchema.safeParse(settings).success).toBe(false);
  });
});
