/**
 * How many flows are open, by when they began: opened when their first ask is sent, over when they gave their result or
 * cannot go on, and when their life ends. A flow may end on another replica than it began on: the sum is right.
 */
import { SlotCounts } from './slot-counts.js';

const SLOT_MS = 10_000;
/** Upper bounds of age, in milliseconds; what is older than all of them counts as the last. */
export const FLOW_AGES = { '1m': 60_000, '5m': 300_000, '10m': 600_000, '1h': 3_600_000 } as const;
export type FlowAge = keyof typeof FLOW_AGES;

const AGES = Object.entries(FLOW_AGES) as readonly [FlowAge, number][];

export interface FlowTallyOptions {
  /** Longest life of a flow. */
  readonly flowLifeMs: number;
  /** Milliseconds since the epoch, as in sealed states. */
  readonly now: () => number;
}

export class FlowTally {
  /** Since the process began. */
  readonly totals = { opened: 0, finished: 0, failed: 0 };
  private readonly counts: SlotCounts;

  constructor(private readonly options: FlowTallyOptions) {
    this.counts = new SlotCounts({ lifeMs: options.flowLifeMs, slotMs: SLOT_MS });
  }

  opened(startedAtMs: number): void {
    this.totals.opened += 1;
    this.counts.add(startedAtMs, 1, this.options.now());
  }

  ended(startedAtMs: number, outcome: 'finished' | 'failed'): void {
    this.totals[outcome] += 1;
    this.counts.add(startedAtMs, -1, this.options.now());
  }

  /** Each open flow in one of the ages; right to 10 s. */
  openByAge(): Record<FlowAge, number> {
    const open = { '1m': 0, '5m': 0, '10m': 0, '1h': 0 };
    const nowMs = this.options.now();
    this.counts.forEach(nowMs, (count, slotAtMs) => {
      const ageMs = nowMs - slotAtMs - SLOT_MS;
      const [age] = AGES.find(([, upToMs]) => ageMs < upToMs) ?? ['1h'];
      open[age] += count;
    });
    return open;
  }
}
