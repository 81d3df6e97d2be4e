/**
 * What every claim store has to do, as one suite: each store's spec runs it. A store is given empty, with a way to let
 * time pass for it, and is closed after each test. Long because it is one contract: a store that passed a part of it would
 * not be a claim store. Never shipped.
 */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  HELD_BYTES_MAX,
  REPLAY_BUCKETS,
  RESULT_BYTES_MAX,
  bucketOf,
  type ClaimAnswer,
  type ClaimRequest,
} from '@roundhouse/contracts';
import fc from 'fast-check';
import { openClaimsPerBucket } from './claim-rules.js';
import type { ClaimStore } from './claim-store.js';

export interface StoreUnderTest {
  readonly store: ClaimStore;
  /** Lets time pass for every record. */
  advance(ms: number): Promise<void>;
}

export const LEASE_MS = 50_000;
export const RETAIN_MS = 100_000;
/** What a store under test is opened with: one claim in each bucket, or a few more. */
export const OPEN_CLAIMS_MAX = 64;
const OPEN_PER_BUCKET = openClaimsPerBucket(OPEN_CLAIMS_MAX);

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** A claim by `owner`; the same words give the same ids. */
export function attempt(owner: string, change: Partial<ClaimRequest> = {}): ClaimRequest {
  const ids = { claimId: digest('nonce'), fingerprint: digest('arguments'), owner: digest(owner) };
  return { ...ids, leaseMs: LEASE_MS, retainMs: RETAIN_MS, ...change };
}

const OTHER = { fingerprint: digest('other arguments') };

export function itKeepsTheClaimRules(open: () => Promise<StoreUnderTest>): void {
  let store: ClaimStore;
  let advance: StoreUnderTest['advance'];

  beforeEach(async () => {
    ({ store, advance } = await open());
  });

  afterEach(async () => {
    await store.close();
  });

  const settle = (owner: string, result = 'outcome', retainMs = RETAIN_MS): Promise<boolean> => {
    const request = attempt(owner);
    return store.settle({ claimId: request.claimId, owner: request.owner, result, retainMs });
  };
  const release = (owner: string): Promise<boolean> => {
    const request = attempt(owner);
    return store.release({ claimId: request.claimId, owner: request.owner });
  };
  const peek = (change: Partial<ClaimRequest> = {}): Promise<ClaimAnswer> => {
    const request = attempt('anyone', change);
    return store.peek(request.claimId, request.fingerprint);
  };
  const claim = (owner: string, change: Partial<ClaimRequest> = {}): Promise<ClaimAnswer> =>
    store.claim(attempt(owner, change));

  describe('claim', () => {
    it('answers new to the first attempt', async () => {
      expect(await claim('first')).toEqual({ status: 'new' });
    });

    it('answers inflight with the lease left while the same attempt runs elsewhere', async () => {
      await claim('first');
      await advance(20_000);
      const answer = await claim('second');
      expect(answer.status).toBe('inflight');
      const { leaseLeftMs } = answer as { leaseLeftMs: number };
      expect(Number.isInteger(leaseLeftMs)).toBe(true);
      expect(leaseLeftMs).toBeLessThanOrEqual(30_000);
      expect(leaseLeftMs).toBeGreaterThan(20_000);
    });

    it('answers new again to the owner whose answer was lost, without a longer lease', async () => {
      await claim('first');
      await advance(30_000);
      expect(await claim('first')).toEqual({ status: 'new' });
      await advance(30_000);
      expect(await claim('first')).toEqual({ status: 'unknown' });
    });

    it('answers done with the result to the same attempt, whoever sends it', async () => {
      await claim('first');
      await settle('first', 'the result');
      expect(await claim('second')).toEqual({ status: 'done', result: 'the result' });
      expect(await claim('first')).toEqual({ status: 'done', result: 'the result' });
    });

    it('answers conflict to other answers while the first attempt runs', async () => {
      await claim('first');
      expect(await claim('second', OTHER)).toEqual({ status: 'conflict' });
      expect(await claim('first', OTHER)).toEqual({ status: 'conflict' });
    });

    it('answers conflict to other answers after the end', async () => {
      await claim('first');
      await settle('first');
      expect(await claim('second', OTHER)).toEqual({ status: 'conflict' });
    });

    it('answers conflict to other answers when the outcome is unknown', async () => {
      await claim('first');
      await advance(LEASE_MS);
      expect(await claim('second', OTHER)).toEqual({ status: 'conflict' });
    });

    it('answers unknown once the owner stayed silent beyond its lease, and never new before the record expires', async () => {
      await claim('first');
      await advance(LEASE_MS);
      expect(await claim('second')).toEqual({ status: 'unknown' });
      expect(await claim('first')).toEqual({ status: 'unknown' });
      await advance(RETAIN_MS - LEASE_MS - 10_000);
      expect(await claim('third')).toEqual({ status: 'unknown' });
    });

    it('answers new when the record has expired', async () => {
      await claim('first');
      await advance(RETAIN_MS + 1);
      expect(await claim('second', OTHER)).toEqual({ status: 'new' });
    });

    it('keeps the record for the whole lease even when asked to keep it shorter', async () => {
      await claim('first', { retainMs: 1 });
      await advance(LEASE_MS - 10_000);
      expect((await claim('second')).status).toBe('inflight');
      await advance(10_001);
      expect(await claim('second')).toEqual({ status: 'new' });
    });

    it('keeps claims apart whose ids differ in one character', async () => {
      const claimId = digest('nonce');
      const neighbour = `${claimId.slice(0, -1)}${claimId.endsWith('A') ? 'B' : 'A'}`;
      expect(await claim('first')).toEqual({ status: 'new' });
      expect(await claim('first', { claimId: neighbour })).toEqual({ status: 'new' });
      expect(await settle('first')).toBe(true);
      expect(await peek({ claimId: neighbour })).toMatchObject({ status: 'inflight' });
    });

    it.each(['__proto__', 'constructor', '{b0}:epoch', 'a:b c\r\n*1', ''])(
      'takes %j for an id like any other',
      async (word) => {
        const odd = { claimId: word, fingerprint: word, owner: `${word} owner of the claim` };
        expect(await claim('', odd)).toEqual({ status: 'new' });
        expect(await store.settle({ claimId: word, owner: odd.owner, result: word, retainMs: RETAIN_MS })).toBe(true);
        expect(await claim('', odd)).toEqual({ status: 'done', result: word });
        expect(await claim('', { ...odd, fingerprint: `${word}x` })).toEqual({ status: 'conflict' });
      },
    );

    it('answers new to exactly one of a hundred attempts at once', async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => claim(`owner ${index}`)));
      expect(answers.filter(({ status }) => status === 'new')).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 'inflight')).toHaveLength(99);
    });

    it('answers conflict to all but one of a hundred attempts with different answers at once', async () => {
      const attempts = Array.from({ length: 100 }, (_, index) =>
        claim(`owner ${index}`, { fingerprint: digest(`arguments ${index}`) }),
      );
      const answers = await Promise.all(attempts);
      expect(answers.filter(({ status }) => status === 'new')).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 'conflict')).toHaveLength(99);
    });
  });

  describe('an epoch', () => {
    const epochOf = async (claimId: string): Promise<string> => (await store.epochs())[bucketOf(claimId)] ?? '';

    it('is there for every bucket, random, and stays', async () => {
      const epochs = await store.epochs();
      expect(epochs).toHaveLength(REPLAY_BUCKETS);
      expect(new Set(epochs).size).toBe(REPLAY_BUCKETS);
      for (const epoch of epochs) expect(epoch).toMatch(/^[\w-]{22}$/);
      await advance(86_400_000);
      expect(await store.epochs()).toEqual(epochs);
    });

    it('that is the one of its bucket lets a claim run', async () => {
      expect(await claim('first', { epoch: await epochOf(digest('nonce')) })).toEqual({ status: 'new' });
    });

    it('of another store, or of another bucket, makes a claim stale, and nothing is claimed', async () => {
      const other = (await store.epochs())[(bucketOf(digest('nonce')) + 1) % REPLAY_BUCKETS];
      expect(await claim('first', { epoch: other })).toEqual({ status: 'stale_epoch' });
      expect(await claim('first', { epoch: 'e'.repeat(22) })).toEqual({ status: 'stale_epoch' });
      expect(await peek()).toEqual({ status: 'inflight', leaseLeftMs: 0 });
    });

    it('is asked for before anything else is told', async () => {
      await claim('first');
      await settle('first');
      expect(await claim('second', { epoch: 'e'.repeat(22) })).toEqual({ status: 'stale_epoch' });
      expect(await claim('second', { ...OTHER, epoch: 'e'.repeat(22) })).toEqual({ status: 'stale_epoch' });
    });

    it('is not asked of a router of the release before', async () => {
      expect(await claim('first', { epoch: undefined })).toEqual({ status: 'new' });
    });
  });

  describe('a silent owner', () => {
    const RERUN = { rerunAllowed: true };

    it('loses its claim to an attempt that may run again, and only when its lease has ended', async () => {
      await claim('first');
      await advance(LEASE_MS - 10_000);
      expect((await claim('second', RERUN)).status).toBe('inflight');
      await advance(10_000);
      expect(await claim('second', RERUN)).toEqual({ status: 'new' });
      expect((await claim('third', RERUN)).status).toBe('inflight');
    });

    it('cannot settle, release or claim what was taken over', async () => {
      await claim('first');
      await advance(LEASE_MS);
      await claim('second', RERUN);
      expect(await settle('first', 'too late')).toBe(false);
      expect(await release('first')).toBe(false);
      expect((await claim('first')).status).toBe('inflight');
      expect(await settle('second', 'in time')).toBe(true);
      expect(await claim('first')).toEqual({ status: 'done', result: 'in time' });
    });

    it('is not replaced by other answers, nor once the outcome is told', async () => {
      await claim('first');
      await advance(LEASE_MS);
      expect(await claim('second', { ...RERUN, ...OTHER })).toEqual({ status: 'conflict' });
      await settle('first', 'late');
      expect(await claim('second', RERUN)).toEqual({ status: 'done', result: 'late' });
    });

    it('is replaced without the record being kept any shorter', async () => {
      await claim('first', { retainMs: 3 * RETAIN_MS });
      await advance(LEASE_MS);
      await claim('second', { ...RERUN, retainMs: 1 });
      await advance(2 * RETAIN_MS);
      expect(await claim('third')).toEqual({ status: 'unknown' });
    });

    it('is replaced for a whole lease, and the record kept as long as it takes', async () => {
      await claim('first');
      await advance(LEASE_MS);
      await claim('second', { ...RERUN, retainMs: 1 });
      await advance(LEASE_MS - 10_000);
      expect((await claim('third', RERUN)).status).toBe('inflight');
      await advance(10_001);
      expect(await claim('third')).toEqual({ status: 'new' });
    });
  });

  describe('the open claims of a principal', () => {
    const LIMITED = { code: 'overloaded', reason: 'limit_reached', facts: { limit: 'open claims' } };
    const ALICE = digest('alice');
    /** Ids of one bucket: their first two characters are the same. */
    const idOf = (index: number): string => `AA${digest(`nonce ${index}`).slice(2)}`;
    const openOne = (index: number, principal = ALICE): Promise<ClaimAnswer> =>
      store.claim(attempt('first', { claimId: idOf(index), principal }));
    const fill = async (): Promise<void> => {
      for (let index = 0; index < OPEN_PER_BUCKET; index += 1) expect(await openOne(index)).toEqual({ status: 'new' });
      await expect(openOne(OPEN_PER_BUCKET)).rejects.toMatchObject(LIMITED);
    };

    it('are limited, and a refused one is not claimed', async () => {
      await fill();
      const { fingerprint } = attempt('first');
      expect(await store.peek(idOf(OPEN_PER_BUCKET), fingerprint)).toEqual({ status: 'inflight', leaseLeftMs: 0 });
    });

    it('do not count against another principal, another bucket, or nobody', async () => {
      await fill();
      expect(await openOne(OPEN_PER_BUCKET, digest('bob'))).toEqual({ status: 'new' });
      expect(await store.claim(attempt('first', { claimId: idOf(99) }))).toEqual({ status: 'new' });
      const elsewhere = `__${digest('nonce').slice(2)}`;
      expect(await store.claim(attempt('first', { claimId: elsewhere, principal: ALICE }))).toEqual({ status: 'new' });
    });

    it.each(['settle', 'release'] as const)('count no longer after a %s', async (end) => {
      await fill();
      const { owner } = attempt('first');
      const told = { claimId: idOf(0), owner, principal: ALICE };
      if (end === 'settle') await store.settle({ ...told, result: 'r', retainMs: RETAIN_MS });
      else await store.release(told);
      expect(await openOne(OPEN_PER_BUCKET)).toEqual({ status: 'new' });
      await expect(openOne(OPEN_PER_BUCKET + 1)).rejects.toMatchObject(LIMITED);
    });

    it('count no longer once their lease has ended', async () => {
      await fill();
      await advance(LEASE_MS);
      expect(await openOne(OPEN_PER_BUCKET)).toEqual({ status: 'new' });
    });

    it('make room as their leases end, one after the other', async () => {
      const open = (index: number, leaseMs: number): Promise<ClaimAnswer> =>
        store.claim(attempt('first', { claimId: idOf(index), principal: ALICE, leaseMs }));
      for (let index = 0; index < OPEN_PER_BUCKET; index += 1)
        expect(await open(index, index < 2 ? LEASE_MS : 10 * LEASE_MS)).toEqual({ status: 'new' });
      await advance(LEASE_MS);
      for (let index = 0; index < 2; index += 1)
        expect(await open(OPEN_PER_BUCKET + index, LEASE_MS)).toEqual({ status: 'new' });
      await expect(open(OPEN_PER_BUCKET + 2, LEASE_MS)).rejects.toMatchObject(LIMITED);
    });

    it('can be asked for again by their owner, and found by their twins, at the limit', async () => {
      await fill();
      expect(await openOne(0)).toEqual({ status: 'new' });
      const twin = await store.claim(attempt('second', { claimId: idOf(0), principal: ALICE }));
      expect(twin.status).toBe('inflight');
    });

    it('are not counted down by a stranger’s settle or release', async () => {
      await fill();
      const told = { claimId: idOf(0), owner: digest('stranger'), principal: ALICE };
      await store.settle({ ...told, result: 'r', retainMs: RETAIN_MS });
      await store.release(told);
      await expect(openOne(OPEN_PER_BUCKET)).rejects.toMatchObject(LIMITED);
    });
  });

  describe('a held text', () => {
    const HANDLE = 'AQIDBAUGBwgJCgsMDQ4PEA';

    it.each([
      ['of the largest size', 'x'.repeat(2 * HELD_BYTES_MAX)],
      ['that is empty', ''],
    ])('%s comes back as often as it is asked for', async (_name, text) => {
      await store.hold({ handle: HANDLE, text, retainMs: RETAIN_MS });
      expect((await store.recall(HANDLE)) === text).toBe(true);
      expect((await store.recall(HANDLE)) === text).toBe(true);
    });

    it('is gone when its time is over', async () => {
      await store.hold({ handle: HANDLE, text: 'held', retainMs: RETAIN_MS });
      await advance(RETAIN_MS - 10_000);
      expect(await store.recall(HANDLE)).toBe('held');
      await advance(10_001);
      expect(await store.recall(HANDLE)).toBeUndefined();
    });

    it('answers to no other handle', async () => {
      await store.hold({ handle: HANDLE, text: 'held', retainMs: RETAIN_MS });
      expect(await store.recall(`B${HANDLE.slice(1)}`)).toBeUndefined();
    });
  });

  describe('a mark of single use', () => {
    const mark = (owner: string, id = 'proof', retainMs = RETAIN_MS): Promise<boolean> =>
      store.once({ id: digest(id), owner: digest(owner), retainMs });

    it('is made by the first who asks, and by nobody else', async () => {
      expect(await mark('first')).toBe(true);
      expect(await mark('second')).toBe(false);
      expect(await mark('third')).toBe(false);
    });

    it('stays with its owner, whose answer may have been lost', async () => {
      await mark('first');
      await mark('second');
      expect(await mark('first')).toBe(true);
      expect(await mark('second')).toBe(false);
    });

    it('is made by exactly one of many at once', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => mark(`owner ${at}`)));
      expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
    });

    it('can be made again when its time is over, and not before', async () => {
      await mark('first');
      await advance(RETAIN_MS - 10_000);
      expect(await mark('second')).toBe(false);
      await advance(10_001);
      expect(await mark('second')).toBe(true);
    });

    it('keeps its end when it is asked about', async () => {
      await mark('first', 'proof', 20_000);
      await mark('first', 'proof', RETAIN_MS);
      await advance(20_001);
      expect(await mark('second')).toBe(true);
    });

    it('says nothing about another, nor about a claim of the same id', async () => {
      await mark('first');
      expect(await mark('second', 'another')).toBe(true);
      expect(await mark('second', 'nonce')).toBe(true);
      expect(await store.claim(attempt('third'))).toEqual({ status: 'new' });
    });
  });

  describe('settle', () => {
    it('is refused to a stranger and leaves the claim to its owner', async () => {
      await claim('first');
      expect(await settle('stranger', 'forged')).toBe(false);
      expect(await settle('first', 'true')).toBe(true);
      expect(await peek()).toEqual({ status: 'done', result: 'true' });
    });

    it('is refused without a claim and creates none', async () => {
      expect(await settle('first')).toBe(false);
      expect(await claim('second')).toEqual({ status: 'new' });
    });

    it('is refused when the record has expired', async () => {
      await claim('first');
      await advance(RETAIN_MS + 1);
      expect(await settle('first')).toBe(false);
      expect(await claim('second')).toEqual({ status: 'new' });
    });

    it('still counts when the owner comes late, and ends the unknown', async () => {
      await claim('first');
      await advance(LEASE_MS + 10_000);
      expect(await peek()).toEqual({ status: 'unknown' });
      expect(await settle('first', 'late')).toBe(true);
      expect(await claim('second')).toEqual({ status: 'done', result: 'late' });
    });

    it('keeps the first result; telling the same one twice is no contradiction', async () => {
      await claim('first');
      expect(await settle('first', 'one')).toBe(true);
      expect(await settle('first', 'one')).toBe(true);
      expect(await settle('first', 'two')).toBe(false);
      expect(await peek()).toEqual({ status: 'done', result: 'one' });
    });

    it('is refused to an owner that gave its claim back, also when somebody else has it now', async () => {
      await claim('first');
      await release('first');
      expect(await settle('first')).toBe(false);
      await claim('second');
      expect(await settle('first')).toBe(false);
      expect((await peek()).status).toBe('inflight');
    });

    it('extends how long the record is kept', async () => {
      await claim('first');
      await advance(90_000);
      await settle('first', 'kept', RETAIN_MS);
      await advance(90_000);
      expect(await peek()).toEqual({ status: 'done', result: 'kept' });
      await advance(10_001);
      expect(await claim('second')).toEqual({ status: 'new' });
    });

    it('never shortens how long the record is kept', async () => {
      await claim('first');
      await settle('first', 'kept', 1);
      await advance(RETAIN_MS - 10_000);
      expect(await claim('second')).toEqual({ status: 'done', result: 'kept' });
    });

    it.each([
      ['the largest result', 'r'.repeat(RESULT_BYTES_MAX)],
      ['the largest result in two-byte characters', 'ü'.repeat(RESULT_BYTES_MAX)],
      ['an empty result', ''],
      ['control characters, quotes and emoji', '\u0000\r\n"\\\u001b{}\u2028 😀 $5\r\n'],
    ])('keeps %s exactly', async (_name, result) => {
      await claim('first');
      expect(await settle('first', result)).toBe(true);
      const answer = (await claim('second')) as { status: string; result?: string };
      expect(answer.status).toBe('done');
      expect(answer.result === result).toBe(true);
    });
  });

  describe('release', () => {
    it('makes the claim free again, also for other answers', async () => {
      await claim('first');
      expect(await release('first')).toBe(true);
      expect(await claim('second', OTHER)).toEqual({ status: 'new' });
    });

    it('is refused to a stranger', async () => {
      await claim('first');
      expect(await release('stranger')).toBe(false);
      expect((await claim('second')).status).toBe('inflight');
    });

    it('is refused after the outcome was told', async () => {
      await claim('first');
      await settle('first', 'told');
      expect(await release('first')).toBe(false);
      expect(await peek()).toEqual({ status: 'done', result: 'told' });
    });

    it('is refused without a claim, and the second time', async () => {
      expect(await release('first')).toBe(false);
      await claim('first');
      expect(await release('first')).toBe(true);
      expect(await release('first')).toBe(false);
    });

    it('is the word of the owner even after its lease', async () => {
      await claim('first');
      await advance(LEASE_MS);
      expect(await release('first')).toBe(true);
      expect(await claim('second')).toEqual({ status: 'new' });
    });
  });

  describe('peek', () => {
    it('tells a claim that is not there from a running one by its lease, and claims nothing', async () => {
      expect(await peek()).toEqual({ status: 'inflight', leaseLeftMs: 0 });
      expect(await claim('first')).toEqual({ status: 'new' });
      const answer = (await peek()) as { status: string; leaseLeftMs: number };
      expect(answer.status).toBe('inflight');
      expect(answer.leaseLeftMs).toBeGreaterThan(0);
    });

    it('never answers new, not even while the owner could still claim again', async () => {
      await claim('anyone');
      expect((await peek()).status).toBe('inflight');
    });

    it('answers conflict to other answers in each phase', async () => {
      await claim('first');
      expect(await peek(OTHER)).toEqual({ status: 'conflict' });
      await advance(LEASE_MS);
      expect(await peek(OTHER)).toEqual({ status: 'conflict' });
      await settle('first');
      expect(await peek(OTHER)).toEqual({ status: 'conflict' });
    });
  });

  describe('any interleaving', () => {
    it('runs a claim at most once, and all its answers agree', async () => {
      let round = 0;
      const actor = fc.record({
        fingerprint: fc.constantFrom('a', 'b'),
        ending: fc.constantFrom('settle', 'release', 'crash'),
      });
      const check = fc.asyncProperty(
        fc.scheduler(),
        fc.array(actor, { minLength: 2, maxLength: 8 }),
        async (scheduler, actors) => {
          round += 1;
          const claimId = digest(`round ${round}`);
          const history: { actor: number; status: string; result?: string }[] = [];
          const dispatched = new Set<number>();
          const run = async (
            { fingerprint, ending }: { fingerprint: string; ending: string },
            index: number,
          ): Promise<void> => {
            const me = attempt(`owner ${index}`, { claimId, fingerprint: digest(fingerprint) });
            await scheduler.schedule(Promise.resolve(), `claim ${index}`);
            const answer = await store.claim(me);
            history.push({ actor: index, ...answer });
            if (answer.status !== 'new') return;
            await scheduler.schedule(Promise.resolve(), `${ending} ${index}`);
            if (ending === 'release') expect(await store.release({ claimId, owner: me.owner })).toBe(true);
            else dispatched.add(index);
            if (ending === 'settle')
              expect(await store.settle({ claimId, owner: me.owner, result: `by ${index}`, retainMs: RETAIN_MS })).toBe(
                true,
              );
          };
          await scheduler.waitFor(Promise.all(actors.map(run)));
          expect(dispatched.size).toBeLessThanOrEqual(1);
          const [winner] = dispatched;
          for (const { status, actor: index, result } of history) {
            if (status === 'done') expect(result).toBe(`by ${winner}`);
            if (status === 'done') expect(actors[index]?.fingerprint).toBe(actors[winner ?? -1]?.fingerprint);
          }
        },
      );
      await fc.assert(check, { numRuns: 200 });
    });
  });
}
