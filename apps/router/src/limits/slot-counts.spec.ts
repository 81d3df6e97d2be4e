import { describe, expect, it } from '@jest/globals';
import { SlotCounts } from './slot-counts.js';

const NOW_MS = 1_800_000_000_000;
const LIFE_MS = 600_000;
const SLOT_MS = 60_000;
const counts = (): SlotCounts => new SlotCounts({ lifeMs: LIFE_MS, slotMs: SLOT_MS });

describe('counts by time of beginning', () => {
  it('do not take what began longer ago than it lives', () => {
    const slots = counts();
    slots.add(NOW_MS - LIFE_MS - 2 * SLOT_MS, 1, NOW_MS);
    expect(slots.total(NOW_MS)).toBe(0);
  });

  it('do not take what a broken clock says will begin', () => {
    const slots = counts();
    slots.add(NOW_MS, 1, NOW_MS);
    slots.add(NOW_MS + 10 * LIFE_MS, 1, NOW_MS);
    expect(slots.total(NOW_MS)).toBe(1);
  });

  it('take what a clock that is a little ahead began', () => {
    const slots = counts();
    slots.add(NOW_MS + SLOT_MS, 1, NOW_MS);
    slots.add(NOW_MS - LIFE_MS + SLOT_MS, 1, NOW_MS);
    expect(slots.total(NOW_MS)).toBe(2);
  });

  it('forget what nobody ended, without being touched', () => {
    const slots = counts();
    slots.add(NOW_MS, 1, NOW_MS);
    expect(slots.total(NOW_MS + LIFE_MS)).toBe(1);
    expect(slots.total(NOW_MS + LIFE_MS + 2 * SLOT_MS)).toBe(0);
  });

  it('do not mistake an old slot for a new one in the same place', () => {
    const slots = counts();
    slots.add(NOW_MS, 5, NOW_MS);
    const laterMs = NOW_MS + 1_000 * LIFE_MS;
    slots.add(laterMs, 1, laterMs);
    expect(slots.total(laterMs)).toBe(1);
  });

  it('are below zero where what began elsewhere ends', () => {
    const slots = counts();
    slots.add(NOW_MS - SLOT_MS, -1, NOW_MS);
    expect(slots.total(NOW_MS)).toBe(-1);
  });

  it('tell when a slot stops counting, and it does', () => {
    const slots = counts();
    slots.add(NOW_MS + 1_000, 1, NOW_MS + 1_000);
    let untilMs = 0;
    slots.forEach(NOW_MS + 1_000, (_count, slotAtMs) => (untilMs = slots.untilMs(slotAtMs)));
    expect(untilMs).toBeGreaterThanOrEqual(NOW_MS + LIFE_MS);
    expect([slots.total(untilMs - 1), slots.total(untilMs)]).toEqual([1, 0]);
  });

  it('count nothing at first', () => {
    expect(counts().total(NOW_MS)).toBe(0);
  });
});
