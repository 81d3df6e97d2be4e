/**
 * Counts by time of beginning, for as long as what began may live: a ring of numbers, which costs no allocation to change.
 * What ends is taken from the slot in which it began, here or on another replica, so one replica's numbers may be below
 * zero and the sum over all is right.
 */

/** How far clocks may run ahead of ours: as far as a state from the future is taken. */
const AHEAD_MS = 300_000;

export interface SlotTerms {
  /** How long what began counts, unless it ends before. */
  readonly lifeMs: number;
  readonly slotMs: number;
}

export class SlotCounts {
  private readonly counts: Int32Array;
  private newest = -Infinity;

  constructor(private readonly terms: SlotTerms) {
    const { lifeMs, slotMs } = terms;
    // The slot that goes on now, and the one in which what ends now began.
    this.counts = new Int32Array(Math.ceil(lifeMs / slotMs) + Math.ceil(AHEAD_MS / slotMs) + 2);
  }

  /** What began too long ago, or too far ahead, is not counted. */
  add(beganAtMs: number, change: number, nowMs: number): void {
    const { slotMs } = this.terms;
    const slot = Math.floor(beganAtMs / slotMs);
    if (slot < this.oldest(nowMs) || beganAtMs > nowMs + AHEAD_MS) return;
    this.advance(Math.max(slot, Math.floor(nowMs / slotMs)));
    const at = slot % this.counts.length;
    this.counts[at] = (this.counts[at] as number) + change;
  }

  total(nowMs: number): number {
    let sum = 0;
    this.forEach(nowMs, (count) => (sum += count));
    return sum;
  }

  /** Each slot that counts and is not zero, the newest first. `slotAtMs` is where it begins. */
  forEach(nowMs: number, see: (count: number, slotAtMs: number) => void): void {
    const { counts, newest } = this;
    const { slotMs } = this.terms;
    const oldest = Math.max(this.oldest(nowMs), newest - counts.length + 1);
    for (let slot = newest; slot >= oldest; slot -= 1) {
      const count = counts[slot % counts.length] as number;
      if (count !== 0) see(count, slot * slotMs);
    }
  }

  /** When the last of a slot stops counting. */
  untilMs(slotAtMs: number): number {
    const { lifeMs, slotMs } = this.terms;
    return slotAtMs + slotMs + lifeMs;
  }

  private oldest(nowMs: number): number {
    const { lifeMs, slotMs } = this.terms;
    return Math.max(0, Math.floor((nowMs - lifeMs) / slotMs));
  }

  private advance(slot: number): void {
    const { counts } = this;
    if (slot - this.newest >= counts.length) counts.fill(0);
    else for (let at = this.newest + 1; at <= slot; at += 1) counts[at % counts.length] = 0;
    this.newest = Math.max(this.newest, slot);
  }
}
