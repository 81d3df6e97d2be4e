import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@roundhouse/testing';
import { OPEN_CLAIMS_MAX, attempt, digest, itKeepsTheClaimRules, LEASE_MS, RETAIN_MS } from './claim-store.contract.js';
import { MemoryClaimStore, type MemoryClaimStoreOptions } from './memory-claim-store.js';

const FULL = { code: 'replay_unavailable', reason: 'limit_reached', facts: { store: 'memory' } };

function open(limits: MemoryClaimStoreOptions = {}) {
  const clock = new FakeClock();
  const store = new MemoryClaimStore({ now: clock.now, ...limits });
  const claim = (nonce: string) => store.claim(attempt('owner', { claimId: digest(nonce) }));
  const settle = (nonce: string, result: string) =>
    store.settle({ claimId: digest(nonce), owner: digest('owner'), result, retainMs: RETAIN_MS });
  return { clock, store, claim, settle };
}

describe('MemoryClaimStore', () => {
  itKeepsTheClaimRules(async () => {
    const { store, clock } = open({ openClaimsPerPrincipalMax: OPEN_CLAIMS_MAX });
    return { store, advance: async (ms) => clock.advance(ms) };
  });

  it('refuses new claims when it is full instead of forgetting an old one', async () => {
    const { claim, store } = open({ recordsMax: 2 });
    await claim('one');
    await claim('two');
    await expect(claim('three')).rejects.toMatchObject(FULL);
    expect((await store.claim(attempt('second', { claimId: digest('one') }))).status).toBe('inflight');
    expect((await store.claim(attempt('second', { claimId: digest('two') }))).status).toBe('inflight');
  });

  it('refuses new marks when it is full of them, and makes room from those that have expired', async () => {
    const { store, clock } = open({ recordsMax: 2 });
    const mark = (id: string) => store.once({ id: digest(id), owner: digest('owner'), retainMs: RETAIN_MS });
    await mark('one');
    await mark('two');
    await expect(mark('three')).rejects.toMatchObject(FULL);
    expect(await mark('one')).toBe(true);
    clock.advance(RETAIN_MS);
    expect(await mark('three')).toBe(true);
  });

  it('lets a claim be taken over while it is full: that makes no record more', async () => {
    const { store, clock } = open({ recordsMax: 1 });
    await store.claim(attempt('first'));
    clock.advance(LEASE_MS);
    expect(await store.claim(attempt('second', { rerunAllowed: true }))).toEqual({ status: 'new' });
  });

  it('goes by a clock of its own where it is given none', async () => {
    const store = new MemoryClaimStore();
    await store.claim(attempt('first'));
    const { leaseLeftMs } = (await store.claim(attempt('second'))) as { leaseLeftMs: number };
    expect(leaseLeftMs).toBeGreaterThan(0);
    expect(leaseLeftMs).toBeLessThanOrEqual(LEASE_MS);
  });

  it('forgets a record and a held text at the very moment at which their time is over', async () => {
    const { store, clock, claim } = open();
    await claim('one');
    await store.hold({ handle: 'h'.repeat(22), text: 'held', retainMs: RETAIN_MS });
    clock.advance(RETAIN_MS - 1);
    expect(await store.peek(digest('one'), digest('arguments'))).toEqual({ status: 'unknown' });
    expect(await store.recall('h'.repeat(22))).toBe('held');
    clock.advance(1);
    expect(await store.peek(digest('one'), digest('arguments'))).toEqual({ status: 'inflight', leaseLeftMs: 0 });
    expect(await store.recall('h'.repeat(22))).toBeUndefined();
  });

  it('holds nothing any more once it is closed, and has room again', async () => {
    const { store, claim, settle } = open({ resultCharsMax: 10 });
    await claim('one');
    await settle('one', 'r'.repeat(5));
    await store.hold({ handle: 'h'.repeat(22), text: 'x'.repeat(5), retainMs: RETAIN_MS });
    await store.close();
    expect(await store.recall('h'.repeat(22))).toBeUndefined();
    expect(await claim('one')).toEqual({ status: 'new' });
    expect(await settle('one', 'r'.repeat(10))).toBe(true);
  });

  it('makes room from records that have expired', async () => {
    const { claim, clock } = open({ recordsMax: 2 });
    await claim('one');
    clock.advance(LEASE_MS);
    await claim('two');
    await expect(claim('three')).rejects.toMatchObject(FULL);
    clock.advance(RETAIN_MS - LEASE_MS);
    expect(await claim('three')).toEqual({ status: 'new' });
    await expect(claim('four')).rejects.toMatchObject(FULL);
  });

  it('looks for expired records at most once a second while it is full', async () => {
    const { claim, store, clock } = open({ recordsMax: 1 });
    await store.claim(attempt('owner', { leaseMs: 500, retainMs: 500 }));
    await expect(claim('one')).rejects.toMatchObject(FULL);
    clock.advance(999);
    await expect(claim('one')).rejects.toMatchObject(FULL);
    clock.advance(1);
    expect(await claim('one')).toEqual({ status: 'new' });
  });

  it('refuses a result beyond its limit for all results and leaves the claim open', async () => {
    const { claim, settle, store } = open({ resultCharsMax: 10 });
    await claim('one');
    await claim('two');
    expect(await settle('one', 'r'.repeat(6))).toBe(true);
    await expect(settle('two', 'r'.repeat(5))).rejects.toMatchObject(FULL);
    expect(await settle('two', 'r'.repeat(4))).toBe(true);
    expect(await store.peek(digest('two'), digest('arguments'))).toEqual({ status: 'done', result: 'rrrr' });
  });

  it('counts results of expired records no longer', async () => {
    const { claim, settle, clock } = open({ resultCharsMax: 10 });
    await claim('one');
    await settle('one', 'r'.repeat(10));
    clock.advance(RETAIN_MS);
    await claim('two');
    expect(await settle('two', 'r'.repeat(10))).toBe(true);
  });

  it('begins a new epoch in each process', async () => {
    const [before, after] = [open().store, open().store];
    const [epoch] = await before.epochs();
    const claimId = `AA${digest('nonce').slice(2)}`;
    expect(await before.claim(attempt('owner', { claimId, epoch }))).toEqual({ status: 'new' });
    expect(await after.claim(attempt('owner', { claimId, epoch }))).toEqual({ status: 'stale_epoch' });
  });

  it('lets a used claim run again only when its fence was taken down', async () => {
    const [epoch] = await open().store.epochs();
    const claimId = `AA${digest('nonce').slice(2)}`;
    const unfenced = open({ epochFence: false }).store;
    expect(await unfenced.claim(attempt('owner', { claimId, epoch }))).toEqual({ status: 'new' });
  });

  it('counts held texts and results against one limit', async () => {
    const { claim, settle, store, clock } = open({ resultCharsMax: 10 });
    await claim('one');
    await store.hold({ handle: 'h'.repeat(22), text: 'x'.repeat(8), retainMs: 1_000 });
    await expect(settle('one', 'r'.repeat(3))).rejects.toMatchObject(FULL);
    await expect(store.hold({ handle: 'i'.repeat(22), text: 'x'.repeat(3), retainMs: 1 })).rejects.toMatchObject(FULL);
    clock.advance(1_000);
    expect(await settle('one', 'r'.repeat(10))).toBe(true);
  });

  it('counts a held text that replaces another once', async () => {
    const { store } = open({ resultCharsMax: 10 });
    for (let round = 0; round < 3; round += 1)
      await store.hold({ handle: 'h'.repeat(22), text: 'x'.repeat(5), retainMs: 1_000 });
    expect(await store.recall('h'.repeat(22))).toBe('xxxxx');
  });
});
