/** KEY-2: what one replica seals, every replica opens, however late it learns of a rotation and however wrong its clock. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  CLOCK_SKEW_MS,
  formatKeyset,
  parseKeyset,
  PROPAGATION_MS,
  STATE_LIFE_MS_DEFAULT,
  StateSealer,
  type Keyset,
  type KeysetEntry,
} from '@roundhouse/sealed-state';
import fc from 'fast-check';
import { Refusal } from './refusal.js';
import { planAdd, planFirst, planPromote, planPrune, type Plan, type Situation } from './rotation-plan.js';

const T0 = Date.UTC(2026, 8, 1);
const MINUTE = 60_000;
const REPLICAS = 3;
/** A key's lead is both: the delay of its delivery, and what the clocks of tool and replica may differ by. */
const DELAY_MS_MAX = PROPAGATION_MS - 2 * CLOCK_SKEW_MS;

interface Step {
  readonly command: 'add' | 'promote' | 'prune';
  readonly afterMs: number;
  readonly activateInMs: number;
  /** One for each replica. */
  readonly delaysMs: readonly number[];
}
interface Version {
  readonly writtenMs: number;
  readonly keyset: Keyset;
  readonly deliveredMs: readonly number[];
}
interface Trip {
  readonly from: number;
  readonly to: number;
  /** Which version, or which key's activation or destruction, it happens around. */
  readonly around: number;
  readonly offsetMs: number;
  readonly retryAfterMs: number;
}

/** Whole ranges, with the ends far more often than chance has them: that is where rotations break. */
const upTo = (maxMs: number) => fc.oneof(fc.nat(maxMs), fc.constantFrom(0, 1, maxMs - 1, maxMs));
const skew = upTo(2 * CLOCK_SKEW_MS).map((ms) => ms - CLOCK_SKEW_MS);
const each = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: REPLICAS, maxLength: REPLICAS });
const replica = fc.nat(REPLICAS - 1);

const trip: fc.Arbitrary<Trip> = fc.record({
  from: replica,
  to: replica,
  around: fc.nat(40),
  offsetMs: upTo(30 * MINUTE).map((ms) => ms - 15 * MINUTE),
  retryAfterMs: upTo(STATE_LIFE_MS_DEFAULT + 3 * CLOCK_SKEW_MS),
});
const worldOf = (delayMsMax: number) =>
  fc.record({
    toolSkewMs: skew,
    skewsMs: each(skew),
    steps: fc.array(
      fc.record({
        command: fc.constantFrom('add' as const, 'add' as const, 'promote' as const, 'prune' as const),
        afterMs: upTo(30 * MINUTE),
        activateInMs: upTo(30 * MINUTE).map((ms) => PROPAGATION_MS + ms),
        delaysMs: each(upTo(delayMsMax)),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    trips: fc.array(trip, { minLength: 10, maxLength: 40 }),
  });
type World = ReturnType<typeof worldOf> extends fc.Arbitrary<infer T> ? T : never;

/** Material of its own for every call, the same in every run. */
function seededBytes(): (length: number) => Buffer {
  let count = 0;
  return (length) =>
    createHash('sha256')
      .update(`${(count += 1)}`)
      .digest()
      .subarray(0, length);
}

function planOf(step: Step, situation: Situation): Plan | undefined {
  try {
    if (step.command === 'add') return planAdd(situation, step.activateInMs);
    return step.command === 'promote' ? planPromote(situation, false) : planPrune(situation);
  } catch (error) {
    // The tool forbids it at this moment; a schedule goes on without.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Every keyset the tool wrote, when, and when each replica got it. */
function versionsOf({ toolSkewMs, steps }: World): Version[] {
  const randomBytes = seededBytes();
  let keys: readonly KeysetEntry[] = planFirst({ nowMs: T0, randomBytes }).keys;
  let trueMs = T0 + 60 * MINUTE;
  const versions: Version[] = [{ writtenMs: T0, keyset: keysetOf(keys), deliveredMs: Array(REPLICAS).fill(T0) }];
  for (const step of steps) {
    trueMs += step.afterMs;
    const situation = { keys, nowMs: trueMs + toolSkewMs, stateLifeMs: STATE_LIFE_MS_DEFAULT, randomBytes };
    const plan = planOf(step, situation);
    if (plan === undefined || plan.keys === keys) continue;
    keys = plan.keys;
    const deliveredMs = step.delaysMs.map((delayMs) => trueMs + delayMs);
    versions.push({ writtenMs: trueMs, keyset: keysetOf(keys), deliveredMs });
  }
  return versions;
}

const keysetOf = (keys: readonly KeysetEntry[]): Keyset => parseKeyset(formatKeyset(keys));

/** Moments worth sealing around. */
function momentsOf(versions: readonly Version[]): number[] {
  const ofKeys = versions.flatMap(({ keyset }) => keyset.keys.flatMap((key) => [key.activateAtMs, key.destroyAtMs]));
  const written = versions.map(({ writtenMs }) => writtenMs);
  return [...new Set([...written, ...ofKeys])].filter((ms) => Number.isFinite(ms) && ms > T0);
}

/** The first state that was valid and yet refused, in words; undefined when there is none. */
function findRefusal(world: World): string | undefined {
  const versions = versionsOf(world);
  const moments = momentsOf(versions);
  let nowMs = 0;
  const replicas = world.skewsMs.map((skewMs, at) => {
    const keyset = (): Keyset => versions.findLast(({ deliveredMs }) => deliveredMs[at]! <= nowMs)!.keyset;
    const clock = (): number => nowMs + skewMs;
    return { clock, sealer: new StateSealer({ keyset, clock, audience: 'https://mcp.example/mcp' }) };
  });
  for (const { from, to, around, offsetMs, retryAfterMs } of world.trips) {
    const sealedMs = Math.max(T0 + 2 * MINUTE, (moments[around % moments.length] ?? T0 + 60 * MINUTE) + offsetMs);
    nowMs = sealedMs;
    const expiresAtMs = replicas[from]!.clock() + STATE_LIFE_MS_DEFAULT;
    const state = replicas[from]!.sealer.seal('request-state', [], '{}');
    nowMs = sealedMs + retryAfterMs;
    // As check-claims.ts has it: tolerated for the skew of one clock after its end.
    if (!(replicas[to]!.clock() < expiresAtMs + CLOCK_SKEW_MS)) continue;
    const opened = replicas[to]!.sealer.open('request-state', [], state);
    if (!opened.ok) return `sealed at ${sealedMs}, refused ${retryAfterMs} ms later: ${opened.reason}`;
  }
  return undefined;
}

describe('a keyset that the tool rotates', () => {
  it('opens every unexpired state on every replica while keysets arrive in time', () => {
    fc.assert(
      fc.property(worldOf(DELAY_MS_MAX), (world) => expect(findRefusal(world)).toBeUndefined()),
      { numRuns: 1_500 },
    );
  });

  it('does not once a keyset may arrive late: the test above would notice', () => {
    const late = fc.check(
      fc.property(worldOf(3 * 60 * MINUTE), (world) => findRefusal(world) === undefined),
      { numRuns: 1_000, seed: 1, endOnFailure: true },
    );
    expect(late.failed).toBe(true);
    expect(findRefusal(late.counterexample![0])).toMatch(/state_unknown_key$/);
  });

  it('does not when the delay alone fills the time a key waits and clocks differ as well', () => {
    const tooLate = fc.check(
      fc.property(worldOf(PROPAGATION_MS + 3 * CLOCK_SKEW_MS), (world) => findRefusal(world) === undefined),
      { numRuns: 5_000, seed: 1, endOnFailure: true },
    );
    expect(tooLate.failed).toBe(true);
  });
});
