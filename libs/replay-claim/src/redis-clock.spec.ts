import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RedisClock } from './redis-clock.js';

describe('RedisClock', () => {
  it('stands at the epoch until it has a sample', () => {
    expect(new RedisClock().toRedisMs(123_456)).toBe(0);
  });

  it('never shows less than the true time, and never more than the fastest answer was slow', () => {
    const trip = fc.record({ thereMs: fc.double({ min: 0, max: 100, noNaN: true }), idleMs: fc.nat(1_000) });
    const check = fc.property(
      fc.array(trip, { minLength: 1 }),
      fc.integer({ min: -1e9, max: 1e9 }),
      (trips, aheadMs) => {
        const clock = new RedisClock();
        let localMs = 1_000;
        for (const { thereMs, idleMs } of trips) {
          clock.observe({ sentMs: localMs, redisMs: Math.floor(localMs + thereMs + aheadMs) });
          localMs += thereMs + idleMs;
        }
        const errorMs = clock.toRedisMs(localMs) - (localMs + aheadMs);
        expect(errorMs).toBeGreaterThanOrEqual(-1e-6);
        expect(errorMs).toBeLessThanOrEqual(Math.min(...trips.map(({ thereMs }) => thereMs)) + 2 + 1e-6);
      },
    );
    fc.assert(check);
  });

  it('follows a clock that went back with the next sample', () => {
    const clock = new RedisClock();
    clock.observe({ sentMs: 0, redisMs: 50_000 });
    clock.observe({ sentMs: 100, redisMs: 20_100 });
    expect(clock.toRedisMs(200)).toBe(20_201);
  });

  it('follows a clock that went forward only when it is corrected', () => {
    const clock = new RedisClock();
    clock.observe({ sentMs: 0, redisMs: 20_000 });
    clock.observe({ sentMs: 100, redisMs: 50_100 });
    expect(clock.toRedisMs(200)).toBe(20_201);
    clock.correct({ sentMs: 200, redisMs: 50_200 });
    expect(clock.toRedisMs(200)).toBe(50_201);
  });
});
