import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock.js';

describe('FakeClock', () => {
  it('stands still until it is advanced', () => {
    const clock = new FakeClock(1_000);
    expect(clock.now()).toBe(1_000);
    clock.advance(250);
    expect(clock.now()).toBe(1_250);
  });

  it('runs timers in order of time, each at its own moment', () => {
    const clock = new FakeClock(0);
    const seen: string[] = [];
    clock.setTimeout(() => seen.push(`late ${clock.now()}`), 20);
    clock.setTimeout(() => seen.push(`early ${clock.now()}`), 10);
    clock.advance(30);
    expect(seen).toEqual(['early 10', 'late 20']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('runs a timer that another timer set within the same advance', () => {
    const clock = new FakeClock(0);
    const seen: number[] = [];
    clock.setTimeout(() => clock.setTimeout(() => seen.push(clock.now()), 5), 5);
    clock.advance(10);
    expect(seen).toEqual([10]);
  });

  it('leaves a timer that is not due, and never runs a cleared one', () => {
    const clock = new FakeClock(0);
    const seen: string[] = [];
    clock.setTimeout(() => seen.push('not due'), 11);
    clock.clearTimeout(clock.setTimeout(() => seen.push('cleared'), 5));
    clock.advance(10);
    expect(seen).toEqual([]);
    expect(clock.pendingTimers).toBe(1);
  });

  it.each([-1, Number.NaN])('refuses to move by %d', (ms) => {
    expect(() => new FakeClock().advance(ms)).toThrow(RangeError);
  });
});
