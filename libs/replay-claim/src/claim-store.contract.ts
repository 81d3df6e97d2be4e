/**
 * What every claim store has to do, as one suite: each store's spec runs it. A store is given empty, with a way to let
 * time pass for it, and is closed after each test.
 */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RESULT_BYTES_MAX, type ClaimAnswer, type ClaimRequest } from '@roundhouse/contracts';
import fc from 'fast-check';
import type { ClaimStore } from './claim-store.js';

export interface StoreUnderTest {
  readonly store: ClaimStore;
  /** Lets time pass for every record. */
  advance(ms: number): Promise<void>;
}

export const LEASE_MS = 50_000;
export const RETAIN_MS = 100_000;

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
