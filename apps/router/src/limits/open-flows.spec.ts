import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BudgetAnswer, BudgetRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { MemoryBudgetStore } from '@roundhouse/replay-claim';
import { FakeClock } from '@roundhouse/testing';
import type { Access } from '../access/access.js';
import type { Flow } from '../rounds/flow-sealer.js';
import { randomId } from '../rounds/random-id.js';
import { BudgetExchange } from './budget-exchange.js';
import { OpenBudget } from './open-budget.js';
import { OpenFlows, PRINCIPALS_MAX } from './open-flows.js';

const LIFE_MS = 3_600_000;
let clock: FakeClock;
let store: MemoryBudgetStore;
let exchanges: BudgetExchange[];
let isAway: boolean;
let max: number | undefined;
beforeEach(() => {
  clock = new FakeClock(1_800_000_000_000);
  store = new MemoryBudgetStore({ now: clock.now, wallNow: clock.now });
  [exchanges, isAway, max] = [[], false, 4];
});
afterEach(() => {
  for (const exchange of exchanges) exchange.stop();
});

/** A router of its own; what it reports is told when the test says so, not when a timer does. */
function router(name = 'a'): { flows: OpenFlows; told: () => Promise<void> } {
  const share = async (request: BudgetRequest): Promise<BudgetAnswer> => {
    if (isAway) throw new RoundhouseError('replay_unavailable');
    return store.share(request);
  };
  const exchange = new BudgetExchange({ router: name.repeat(22), share });
  exchanges.push(exchange);
  const flows = new OpenFlows({
    ...{ perPrincipalMax: () => max, flowLifeMs: LIFE_MS, audience: 'x', now: clock.now },
    report: (budget) => exchange.report(budget, 'now'),
  });
  const told = async (): Promise<void> => {
    for (let at = 0; at < 4; at += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { flows, told };
}

const access = (subject: string): Access => ({
  principal: { kind: 'user', issuer: 'https://login.example', subject },
  scopes: undefined,
  claims: {},
  expiresAtMs: Infinity,
});
const fresh = (): Flow => ({ flowId: randomId(), startedAtMs: clock.now(), round: 1, claims: undefined });
const later = (flow: Flow): Flow => ({ ...flow, round: flow.round + 1, claims: {} as NonNullable<Flow['claims']> });

function open(flows: OpenFlows, who = 'alice'): Flow {
  flows.assertRoom(access(who));
  const flow = fresh();
  flows.opened(access(who), flow);
  return flow;
}
const refusalOf = (run: () => unknown): string => {
  try {
    run();
    return 'ok';
  } catch (error) {
    const { code, retryAfterS, facts } = RoundhouseError.from(error);
    return `${code} ${retryAfterS} ${facts['limit']}`;
  }
};
const REFUSED = 'rate_limited 30 openFlowsPerPrincipalMax';

describe('open flows of one principal', () => {
  it('are refused beyond the limit, and those of another are not', () => {
    const { flows } = router();
    for (let at = 0; at < 4; at += 1) open(flows);
    expect(refusalOf(() => open(flows))).toBe(REFUSED);
    expect(refusalOf(() => open(flows, 'bob'))).toBe('ok');
  });

  it('are counted on all routers together', async () => {
    const [a, b] = [router('a'), router('b')];
    for (let at = 0; at < 3; at += 1) open(a.flows);
    await a.told();
    open(b.flows);
    await b.told();
    expect(refusalOf(() => open(b.flows))).toBe(REFUSED);
  });

  it('make room when one ends, on whichever router', async () => {
    const [a, b] = [router('a'), router('b')];
    const opened = Array.from({ length: 4 }, () => open(a.flows));
    await a.told();
    b.flows.roundEnded(access('alice'), later(opened[0] as Flow), 'complete');
    await b.told();
    expect(refusalOf(() => open(a.flows))).toBe(REFUSED);
    // Who is refused has asked: by the next time it is known that there is room.
    await a.told();
    expect(refusalOf(() => open(a.flows))).toBe('ok');
  });

  it('make room once, however often the last round is sent', () => {
    const { flows } = router();
    const [first] = Array.from({ length: 4 }, () => open(flows));
    for (let at = 0; at < 9; at += 1) flows.roundEnded(access('alice'), later(first as Flow), 'complete');
    expect(refusalOf(() => open(flows))).toBe('ok');
    expect(refusalOf(() => open(flows))).toBe(REFUSED);
  });

  it.each<[string, (flows: OpenFlows, flow: Flow) => void]>([
    ['asked again', (flows, flow) => flows.roundEnded(access('alice'), later(flow), 'input_required')],
    ['got a stored result', (flows, flow) => flows.roundEnded(access('alice'), later(flow), 'refetched')],
    ['was refused for now', (flows, flow) => flows.roundFailed(access('alice'), later(flow), error('overloaded'))],
    [
      'lacked a capability',
      (flows, flow) => flows.roundFailed(access('alice'), later(flow), error('missing_capability')),
    ],
    ['brought a spent state', (flows, flow) => flows.roundFailed(access('alice'), later(flow), error('state_refused'))],
    ['never asked', (flows, flow) => flows.roundEnded(access('alice'), flow, 'complete')],
  ])('stay open after a round that %s', (_name, happen) => {
    const { flows } = router();
    const [flow] = Array.from({ length: 4 }, () => open(flows));
    happen(flows, flow as Flow);
    expect(refusalOf(() => open(flows))).toBe(REFUSED);
  });

  it.each(['worker_failed', 'too_many_rounds', 'state_too_large', 'flow_changed', 'outcome_unknown'] as const)(
    'are over after %s',
    (code) => {
      const { flows } = router();
      const [flow] = Array.from({ length: 4 }, () => open(flows));
      flows.roundFailed(access('alice'), later(flow as Flow), error(code));
      expect(refusalOf(() => open(flows))).toBe('ok');
      expect(flows.tally.totals).toEqual({ opened: 5, finished: 0, failed: 1 });
    },
  );

  it('stop counting when their life is over, though nobody ended them', () => {
    const { flows } = router();
    for (let at = 0; at < 4; at += 1) open(flows);
    clock.advance(LIFE_MS - 1_000);
    expect(refusalOf(() => open(flows))).toBe(REFUSED);
    clock.advance(121_000);
    expect(refusalOf(() => open(flows))).toBe('ok');
  });

  it('count though the router that knew of them died', async () => {
    const [a, b] = [router('a'), router('b')];
    for (let at = 0; at < 4; at += 1) open(a.flows);
    await a.told();
    clock.advance(60_000);
    open(b.flows);
    await b.told();
    expect(refusalOf(() => open(b.flows))).toBe(REFUSED);
  });

  it('are counted by each router for itself while the store is away', async () => {
    const [a, b] = [router('a'), router('b')];
    isAway = true;
    for (let at = 0; at < 4; at += 1) open(a.flows);
    await a.told();
    expect(refusalOf(() => open(a.flows))).toBe(REFUSED);
    expect(refusalOf(() => open(b.flows))).toBe('ok');
  });

  it('are all told when the store is back, those of before included', () => {
    const slots = { lifeMs: LIFE_MS, slotMs: 60_000 };
    const budget = new OpenBudget({ key: 'k', slots, now: clock.now, report: () => undefined });
    budget.opened(clock.now(), 4);
    budget.ask();
    budget.unanswered();
    clock.advance(120_000);
    budget.opened(clock.now(), 4);
    expect(budget.ask().open?.map(({ net }) => net)).toEqual([1, 1]);
  });

  it('go by a limit that changes, with those that are open already', () => {
    const { flows } = router();
    for (let at = 0; at < 4; at += 1) open(flows);
    max = 5;
    expect(refusalOf(() => open(flows))).toBe('ok');
    max = 2;
    expect(refusalOf(() => open(flows))).toBe(REFUSED);
    max = undefined;
    expect(refusalOf(() => open(flows))).toBe('ok');
  });

  it('are remembered of no more principals than may be', () => {
    const { flows } = router();
    for (let at = 0; at < PRINCIPALS_MAX + 100; at += 1) open(flows, `user-${at}`);
    expect(flows.principals).toBe(PRINCIPALS_MAX);
  });
});

function error(code: RoundhouseError['code']): RoundhouseError {
  return new RoundhouseError(code);
}
