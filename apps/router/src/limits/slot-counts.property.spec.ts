/** The ring against a plain list of what began and ended, over random times, replicas and pauses. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SlotCounts, type SlotTerms } from './slot-counts.js';

const TERMS: SlotTerms = { lifeMs: 3_600_000, slotMs: 60_000 };
const REPLICAS = 3;

interface Step {
  readonly passMs: number;
  readonly on: number;
  readonly off: number;
  /** Which of the open ones ends; undefined opens another. */
  readonly ends: number | undefined;
  readonly beganAgoMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  passMs: fc.oneof(fc.nat(30_000), fc.nat(1_800_000), fc.constant(20_000_000)),
  on: fc.nat(REPLICAS - 1),
  off: fc.nat(REPLICAS - 1),
  ends: fc.option(fc.nat(50), { nil: undefined }),
  beganAgoMs: fc.nat(50_000),
});

describe('counts by time of beginning', () => {
  it('add up, over replicas, to what is open and young enough', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const replicas = Array.from({ length: REPLICAS }, () => new SlotCounts(TERMS));
        let open: number[] = [];
        let nowMs = 1_800_000_000_000;
        for (const { passMs, on, off, ends, beganAgoMs } of steps) {
          nowMs += passMs;
          if (ends === undefined || open.length === 0) {
            open.push(nowMs - beganAgoMs);
            replicas[on]?.add(nowMs - beganAgoMs, 1, nowMs);
          } else {
            const [ended = 0] = open.splice(ends % open.length, 1);
            replicas[off]?.add(ended, -1, nowMs);
          }
          open = open.filter((beganMs) => isCounted(beganMs, nowMs));
          const total = replicas.reduce((sum, replica) => sum + replica.total(nowMs), 0);
          expect(total).toBe(open.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

/** To the slot: what began in one stops counting together. */
function isCounted(beganMs: number, nowMs: number): boolean {
  const { lifeMs, slotMs } = TERMS;
  return Math.floor(beganMs / slotMs) >= Math.floor((nowMs - lifeMs) / slotMs);
}
