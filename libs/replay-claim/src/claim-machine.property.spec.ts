/**
 * The claim machine against what it promises, whatever happens in whatever order: attempts, twins, silent owners, late
 * outcomes, clocks that run, stores that restart empty. fast-check chooses the interleaving and, when a promise breaks,
 * shrinks it to the shortest one.
 */
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@roundhouse/testing';
import { bucketOf, type ClaimRequest } from '@roundhouse/contracts';
import fc from 'fast-check';
import { LEASE_MS, RETAIN_MS, digest } from './claim-store.contract.js';
import { MemoryClaimStore } from './memory-claim-store.js';

/** Both properties together take some 15 s on two cores. */
const RUNS = 10_000;
const TIMEOUT_MS = 120_000;

/** How long the state of a nonce is taken at all: its record has to outlive it. */
const STATE_LIFE_MS = RETAIN_MS - LEASE_MS;
const NONCES = ['x', 'y'];

/** What is promised about one nonce; written down as it happens, and not by the store. */
interface Ledger {
  /** Owner tokens that were told to run, in order. */
  readonly ran: string[];
  readonly results: Set<string>;
  readonly fingerprints: Set<string>;
}

interface Actor {
  readonly nonce: string;
  readonly words: string;
  readonly ending: 'settle' | 'settle twice' | 'release' | 'crash' | 'crawl' | 'lose the answer';
}

const actor: fc.Arbitrary<Actor> = fc.record({
  nonce: fc.constantFrom(...NONCES),
  words: fc.constantFrom('a', 'b'),
  ending: fc.constantFrom('settle', 'settle twice', 'release', 'crash', 'crawl', 'lose the answer'),
});

type Event = { readonly kind: 'wait'; readonly ms: number } | { readonly kind: 'restart' };
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 10_000, LEASE_MS, RETAIN_MS).map((ms) => ({ kind: 'wait' as const, ms })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

const open = (clock: FakeClock, epochFence: boolean): MemoryClaimStore =>
  new MemoryClaimStore({ now: clock.now, epochFence });

interface Story {
  readonly scheduler: fc.Scheduler;
  readonly actors: readonly Actor[];
  readonly events: readonly Event[];
  readonly rerunAllowed: boolean;
  readonly fenced: boolean;
}

/** Plays a story and returns what happened to each nonce. */
async function play({ scheduler, actors, events, rerunAllowed, fenced }: Story): Promise<readonly Ledger[]> {
  const clock = new FakeClock();
  let store = open(clock, fenced);
  const startedMs = clock.now();
  const epochs = await store.epochs();
  const ledgers = new Map(
    NONCES.map((nonce) => [nonce, { ran: [], results: new Set(), fingerprints: new Set() } as Ledger]),
  );
  const step = (name: string): Promise<void> => scheduler.schedule(Promise.resolve(), name);

  const attempt = async ({ nonce, words, ending }: Actor, at: number): Promise<void> => {
    const ledger = ledgers.get(nonce)!;
    const claimId = digest(nonce);
    const request: ClaimRequest = {
      claimId,
      fingerprint: digest(words),
      owner: `owner of attempt ${at}`,
      leaseMs: LEASE_MS,
      retainMs: RETAIN_MS,
      epoch: epochs[bucketOf(claimId)],
      rerunAllowed,
      principal: digest('alice'),
    };
    await step(`claim ${at}`);
    // The router refuses a state that has expired before it asks the store.
    if (clock.now() - startedMs >= STATE_LIFE_MS) return;
    let answer = await store.claim(request);
    if (ending === 'lose the answer') {
      await step(`claim ${at} again`);
      if (clock.now() - startedMs >= STATE_LIFE_MS) return;
      answer = await store.claim(request);
    }
    if (answer.status === 'done') {
      ledger.results.add(answer.result);
      ledger.fingerprints.add(words);
    }
    if (answer.status !== 'new') return;
    await step(`${ending} ${at}`);
    if (ending === 'release') return void (await store.release(request));
    ledger.ran.push(request.owner);
    ledger.fingerprints.add(words);
    if (ending === 'crash') return;
    if (ending === 'crawl') for (let moment = 0; moment < 3; moment += 1) await step(`crawl ${at}`);
    const result = `outcome of attempt ${at}`;
    const isStored = await store.settle({ ...request, result });
    if (isStored) ledger.results.add(result);
    if (ending === 'settle twice') expect(await store.settle({ ...request, result: 'another' })).toBe(false);
  };

  const happen = async (happening: Event, at: number): Promise<void> => {
    await step(`${happening.kind} ${at}`);
    if (happening.kind === 'wait') return clock.advance(happening.ms);
    store = open(clock, fenced);
  };

  await scheduler.waitFor(Promise.all([...actors.map(attempt), ...events.map(happen)]));
  return [...ledgers.values()];
}

const story = (rerunAllowed: boolean, fenced: boolean): fc.Arbitrary<Story> =>
  fc.record({
    scheduler: fc.scheduler(),
    actors: fc.array(actor, { minLength: 2, maxLength: 6 }),
    events: fc.array(event, { maxLength: 4 }),
    rerunAllowed: fc.constant(rerunAllowed),
    fenced: fc.constant(fenced),
  });

function assertAtMostOnce(ledgers: readonly Ledger[]): void {
  for (const { ran, results, fingerprints } of ledgers) {
    expect(ran.length).toBeLessThanOrEqual(1);
    expect(results.size).toBeLessThanOrEqual(1);
    expect(fingerprints.size).toBeLessThanOrEqual(1);
  }
}

describe('the claim machine, in any order of events', () => {
  it(
    'runs a nonce at most once, for one set of answers, and tells one outcome',
    async () => {
      const check = fc.asyncProperty(story(false, true), async (told) => assertAtMostOnce(await play(told)));
      await fc.assert(check, { numRuns: RUNS });
    },
    TIMEOUT_MS,
  );

  it(
    'tells one outcome, for one set of answers, also where a nonce may run again',
    async () => {
      const check = fc.asyncProperty(story(true, true), async (told) => {
        for (const { results, fingerprints, ran } of await play(told)) {
          expect(results.size).toBeLessThanOrEqual(1);
          expect(fingerprints.size).toBeLessThanOrEqual(1);
          expect(new Set(ran).size).toBe(ran.length);
        }
      });
      await fc.assert(check, { numRuns: RUNS });
    },
    TIMEOUT_MS,
  );

  it(
    'is found to break its promise when the fence is down',
    async () => {
      const check = fc.asyncProperty(story(false, false), async (told) => assertAtMostOnce(await play(told)));
      const { failed } = await fc.check(check, { numRuns: RUNS });
      expect(failed).toBe(true);
    },
    TIMEOUT_MS,
  );
});
