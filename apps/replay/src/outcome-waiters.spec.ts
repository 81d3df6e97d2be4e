import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryClaimStore, type PeekAnswer } from '@roundhouse/replay-claim';
import { FakeClock } from '@roundhouse/testing';
import { OutcomeWaiters } from './outcome-waiters.js';

const CLAIM = { claimId: 'c'.repeat(43), fingerprint: 'f'.repeat(43) };
const OWNER = 'owner of the claim';
const LEASE_MS = 60_000;
const RUNNING = { status: 'inflight', leaseLeftMs: expect.any(Number) };

/** The in-memory store, counting looks; a look can be held back or made to fail. */
class WatchedStore extends MemoryClaimStore {
  readonly lookedAtMs: number[] = [];
  failure: Error | undefined;
  gate: Promise<void> | undefined;

  constructor(private readonly clock: FakeClock) {
    super({ now: clock.now });
  }

  get looks(): number {
    return this.lookedAtMs.length;
  }

  override async peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    this.lookedAtMs.push(this.clock.now());
    await this.gate;
    if (this.failure) throw this.failure;
    return super.peek(claimId, fingerprint);
  }
}

describe('OutcomeWaiters', () => {
  let clock: FakeClock;
  let store: WatchedStore;
  let waiters: OutcomeWaiters;

  beforeEach(async () => {
    clock = new FakeClock();
    store = new WatchedStore(clock);
    waiters = new OutcomeWaiters(store, { waitersMax: 5, timers: clock });
    await store.claim({ ...CLAIM, owner: OWNER, leaseMs: LEASE_MS, retainMs: 2 * LEASE_MS });
  });

  const wait = (waitMs: number, other: Partial<typeof CLAIM> = {}) => waiters.wait({ ...CLAIM, ...other, waitMs });
  const settle = () => store.settle({ claimId: CLAIM.claimId, owner: OWNER, result: 'outcome', retainMs: LEASE_MS });

  /** Lets time pass in small steps, so that what a timer starts can finish before the next one. */
  async function pass(ms: number): Promise<void> {
    await nextTurn();
    for (let left = ms; left > 0; left -= 10) {
      clock.advance(Math.min(10, left));
      await nextTurn();
    }
  }

  async function holdLooks(): Promise<() => void> {
    let letGo = (): void => undefined;
    store.gate = new Promise((resolve) => {
      letGo = resolve;
    });
    return letGo;
  }

  it('answers at once when the outcome is there already', async () => {
    await settle();
    expect(await wait(25_000)).toEqual({ status: 'done', result: 'outcome' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers when the outcome arrives', async () => {
    const answer = wait(25_000);
    await pass(1_000);
    await settle();
    await pass(250);
    expect(await answer).toEqual({ status: 'done', result: 'outcome' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('answers inflight when the time is over, and leaves nothing behind', async () => {
    const answer = wait(1_000);
    await pass(1_000);
    expect(await answer).toEqual(RUNNING);
    expect(waiters.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
    const { looks } = store;
    await pass(1_000);
    expect(store.looks).toBe(looks);
  });

  it('looks soon at first, then less and less often', async () => {
    const startMs = clock.now();
    const answer = wait(1_100);
    await pass(1_100);
    await answer;
    expect(store.lookedAtMs.map((ms) => ms - startMs)).toEqual([0, 20, 60, 140, 300, 550, 800, 1_050]);
  });

  it('shares one look among all that wait for one claim', async () => {
    const alone = wait(1_000);
    await pass(1_000);
    await alone;
    const looksOfOne = store.looks;
    const crowd = Array.from({ length: 5 }, () => wait(1_000));
    await pass(1_000);
    await Promise.all(crowd);
    expect(store.looks).toBe(2 * looksOfOne);
  });

  it('answers each at the end of its own time', async () => {
    const ended: string[] = [];
    const short = wait(100).then(() => ended.push('short'));
    const long = wait(500).then(() => ended.push('long'));
    await pass(100);
    expect(ended).toEqual(['short']);
    await pass(400);
    expect(ended).toEqual(['short', 'long']);
    await Promise.all([short, long]);
  });

  it('answers conflict to other answers without disturbing those that wait', async () => {
    const twin = wait(25_000);
    await pass(100);
    expect(await wait(25_000, { fingerprint: 'o'.repeat(43) })).toEqual({ status: 'conflict' });
    await settle();
    await pass(250);
    expect(await twin).toEqual({ status: 'done', result: 'outcome' });
  });

  it('answers unknown when the lease of the silent owner is over', async () => {
    const answer = wait(LEASE_MS + 1_000);
    await pass(LEASE_MS + 250);
    expect(await answer).toEqual({ status: 'unknown' });
  });

  it('answers inflight with no lease left as soon as the claim was given back', async () => {
    const answer = wait(25_000);
    await pass(100);
    await store.release({ claimId: CLAIM.claimId, owner: OWNER });
    await pass(250);
    expect(await answer).toEqual({ status: 'inflight', leaseLeftMs: 0 });
  });

  it('looks once and waits for nothing when asked to wait for no time', async () => {
    expect(await wait(0)).toEqual(RUNNING);
    expect(store.looks).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects all that wait when the store fails, and looks anew for the next', async () => {
    const failure = new Error('store failed');
    const first = wait(25_000);
    const second = wait(25_000);
    await pass(100);
    store.failure = failure;
    const outcomes = Promise.allSettled([first, second]);
    await pass(250);
    expect(await outcomes).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
    ]);
    expect(waiters.size).toBe(0);
    store.failure = undefined;
    await settle();
    expect(await wait(25_000)).toEqual({ status: 'done', result: 'outcome' });
  });

  it('refuses to let more wait than its limit, and lets others in when some have left', async () => {
    const crowd = Array.from({ length: 5 }, () => wait(100));
    await expect(wait(100)).rejects.toMatchObject({ code: 'overloaded', reason: 'limit_reached' });
    await pass(100);
    await Promise.all(crowd);
    const next = wait(100);
    await pass(100);
    expect(await next).toEqual(RUNNING);
  });

  it('answers those whose time was over before the first look came back', async () => {
    const letGo = await holdLooks();
    const answer = wait(100);
    await pass(200);
    expect(waiters.size).toBe(1);
    letGo();
    expect(await answer).toEqual(RUNNING);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps a new crowd together when the last look of an old one comes back late', async () => {
    const old = wait(100);
    await pass(50);
    const letGo = await holdLooks();
    await pass(50);
    await old;
    store.gate = undefined;
    const first = wait(1_000);
    await nextTurn();
    await settle();
    letGo();
    await nextTurn();
    const { looks } = store;
    const second = wait(1_000);
    expect(store.looks).toBe(looks);
    await pass(250);
    expect(await Promise.all([first, second])).toEqual([
      { status: 'done', result: 'outcome' },
      { status: 'done', result: 'outcome' },
    ]);
  });

  it('answers everybody when it stops, and lets nobody wait any more', async () => {
    const early = wait(25_000);
    await pass(100);
    const letGo = await holdLooks();
    const unseen = wait(25_000, { claimId: 'n'.repeat(43) });
    waiters.stop();
    expect(await early).toEqual(RUNNING);
    letGo();
    expect(await unseen).toEqual({ status: 'inflight', leaseLeftMs: 0 });
    expect(await wait(25_000)).toEqual(RUNNING);
    expect(clock.pendingTimers).toBe(0);
  });
});
