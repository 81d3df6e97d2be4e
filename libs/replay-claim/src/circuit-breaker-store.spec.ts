import { beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { FakeClock } from '@roundhouse/testing';
import { CircuitBreakerStore, type BreakerState } from './circuit-breaker-store.js';
import { attempt, digest, itKeepsTheClaimRules, OPEN_CLAIMS_MAX } from './claim-store.contract.js';
import type { ClaimStore } from './claim-store.js';
import { MemoryClaimStore } from './memory-claim-store.js';

const OPEN = { code: 'replay_unavailable', reason: 'replay_circuit_open' };
const PAUSE_MS = 1_000;

const failure = (reason: Reason): RoundhouseError => new RoundhouseError('replay_unavailable', { reason });

/** Fails with whatever the test says until it says otherwise, and counts what reaches it. */
class MoodyStore extends MemoryClaimStore {
  asked = 0;
  mood: Error | undefined;
  private readonly waiting: (() => void)[] = [];
  isSlow = false;

  override async claim(request: Parameters<ClaimStore['claim']>[0]): ReturnType<ClaimStore['claim']> {
    this.asked += 1;
    const { mood } = this;
    if (this.isSlow) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (mood !== undefined) throw mood;
    return super.claim(request);
  }

  answerNext(): void {
    this.waiting.shift()?.();
  }
}

let clock: FakeClock;
let inner: MoodyStore;
let states: BreakerState[];
let store: CircuitBreakerStore;

beforeEach(() => {
  clock = new FakeClock();
  inner = new MoodyStore({ now: clock.now });
  states = [];
  store = new CircuitBreakerStore(inner, {
    failuresMax: 3,
    pauseMs: PAUSE_MS,
    now: clock.now,
    onChange: (state) => states.push(state),
  });
});

const claim = (): Promise<unknown> => store.claim(attempt('owner'));
async function fail(times: number, error: Error = failure('replay_timed_out')): Promise<void> {
  inner.mood = error;
  for (let time = 0; time < times; time += 1) await expect(claim()).rejects.toBe(error);
}

describe('CircuitBreakerStore', () => {
  itKeepsTheClaimRules(async () => {
    const own = new FakeClock();
    const rules = new MemoryClaimStore({ now: own.now, openClaimsPerPrincipalMax: OPEN_CLAIMS_MAX });
    return { store: new CircuitBreakerStore(rules), advance: async (ms) => own.advance(ms) };
  });

  it.each(['replay_timed_out', 'replay_store_failed'] as const)(
    'asks no more after failures in a row by %s',
    async (reason) => {
      await fail(3, failure(reason));
      await expect(claim()).rejects.toMatchObject(OPEN);
      await expect(store.peek(digest('nonce'), digest('arguments'))).rejects.toMatchObject(OPEN);
      await expect(store.epochs()).rejects.toMatchObject(OPEN);
      await expect(store.recall('h'.repeat(22))).rejects.toMatchObject(OPEN);
      await expect(store.once({ id: digest('i'), owner: digest('o'), retainMs: 1 })).rejects.toMatchObject(OPEN);
      expect(inner.asked).toBe(3);
      expect(states).toEqual(['open']);
    },
  );

  it('asks on when the failures were not in a row', async () => {
    await fail(2);
    inner.mood = undefined;
    await claim();
    await fail(2);
    inner.mood = undefined;
    expect(await claim()).toEqual({ status: 'new' });
  });

  it.each([
    ['unsafe settings', failure('replay_store_unsafe')],
    ['replicas that are too few', failure('replay_not_replicated')],
    ['a full store', failure('limit_reached')],
    ['a principal at its limit', new RoundhouseError('overloaded', { reason: 'limit_reached' })],
    ['a bug', new TypeError('undefined is not a function')],
  ])('takes %s for an answer', async (_what, error) => {
    await fail(10, error);
    expect(inner.asked).toBe(10);
    expect(states).toEqual([]);
  });

  it('tries once after the pause, and goes on when that was answered', async () => {
    await fail(3);
    inner.mood = undefined;
    clock.advance(PAUSE_MS - 1);
    await expect(claim()).rejects.toMatchObject(OPEN);
    clock.advance(1);
    expect(await claim()).toEqual({ status: 'new' });
    expect(await claim()).toEqual({ status: 'new' });
    expect(states).toEqual(['open', 'half-open', 'closed']);
  });

  it('pauses again when the try failed', async () => {
    await fail(3);
    clock.advance(PAUSE_MS);
    await fail(1);
    clock.advance(PAUSE_MS - 1);
    await expect(claim()).rejects.toMatchObject(OPEN);
    expect(inner.asked).toBe(4);
    expect(states).toEqual(['open', 'half-open', 'open']);
  });

  it('lets nobody else in while it tries', async () => {
    await fail(3);
    clock.advance(PAUSE_MS);
    inner.mood = undefined;
    inner.isSlow = true;
    const tried = claim();
    await expect(claim()).rejects.toMatchObject(OPEN);
    inner.answerNext();
    expect(await tried).toEqual({ status: 'new' });
    inner.isSlow = false;
    expect(await claim()).toEqual({ status: 'new' });
  });

  it.each([
    ['good', undefined],
    ['bad', failure('replay_timed_out')],
  ])('hears nothing in %s news of what was asked before it opened', async (_what, mood) => {
    inner.isSlow = true;
    inner.mood = mood;
    const early = claim().catch(() => undefined);
    inner.isSlow = false;
    await fail(3);
    clock.advance(PAUSE_MS - 1);
    inner.answerNext();
    await early;
    await expect(claim()).rejects.toMatchObject(OPEN);
    clock.advance(1);
    inner.mood = undefined;
    expect(await claim()).toEqual({ status: 'new' });
  });

  it('starts counting afresh after it closed', async () => {
    await fail(3);
    clock.advance(PAUSE_MS);
    inner.mood = undefined;
    await claim();
    await fail(2);
    inner.mood = undefined;
    expect(await claim()).toEqual({ status: 'new' });
  });

  it('needs no clock and nobody to tell', async () => {
    store = new CircuitBreakerStore(inner, { failuresMax: 1, pauseMs: 0 });
    await fail(1);
    inner.mood = undefined;
    expect(await claim()).toEqual({ status: 'new' });
  });

  it('is reachable as its store is', () => {
    expect(store.isReachable).toBe(true);
  });

  it('closes its store', async () => {
    await claim();
    await store.close();
    expect((await inner.peek(digest('nonce'), digest('other arguments'))).status).toBe('inflight');
  });
});
