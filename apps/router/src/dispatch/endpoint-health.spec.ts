import { describe, expect, it } from '@jest/globals';
import { EndpointHealth } from './endpoint-health.js';

describe('EndpointHealth', () => {
  it('takes a slow call at once', () => {
    const health = new EndpointHealth();
    health.recordSuccess(2_000, 0);
    expect(health.latencyMs(0)).toBe(2_000);
  });

  it('forgives a slow call with time, whether or not others follow', () => {
    const [quiet, busy] = [new EndpointHealth(), new EndpointHealth()];
    quiet.recordSuccess(2_000, 0);
    busy.recordSuccess(2_000, 0);
    for (let nowMs = 10; nowMs <= 60_000; nowMs += 10) busy.recordSuccess(1, nowMs);
    expect(quiet.latencyMs(10_000)).toBeLessThan(800);
    expect(quiet.latencyMs(60_000)).toBeLessThan(10);
    expect(busy.latencyMs(60_000)).toBeLessThan(10);
  });

  it('never counts less than a millisecond, so that equals stay equal', () => {
    const health = new EndpointHealth();
    health.recordSuccess(0.01, 0);
    expect(health.latencyMs(0)).toBe(1);
  });

  it('does not let an endpoint attract calls by failing fast', () => {
    const health = new EndpointHealth();
    health.recordFailure(0);
    expect(health.latencyMs(0)).toBe(5_000);
  });

  it('sets an endpoint aside after five failures in a row, longer each time, and at most for a minute', () => {
    const health = new EndpointHealth();
    for (let n = 0; n < 4; n += 1) health.recordFailure(0);
    expect(health.isAside(0)).toBe(false);
    health.recordFailure(0);
    expect([health.isAside(4_999), health.isAside(5_000)]).toEqual([true, false]);
    health.recordFailure(5_000);
    expect([health.isAside(14_999), health.isAside(15_000)]).toEqual([true, false]);
    for (let n = 0; n < 100; n += 1) health.recordFailure(20_000);
    expect([health.isAside(79_999), health.isAside(80_000)]).toEqual([true, false]);
  });

  it('counts failures in a row only', () => {
    const health = new EndpointHealth();
    for (let n = 0; n < 20; n += 1) {
      health.recordFailure(n);
      if (n % 4 === 3) health.recordSuccess(1, n);
    }
    expect(health.isAside(20)).toBe(false);
  });

  it('knows nothing of the process that answered before', () => {
    const health = new EndpointHealth();
    for (let n = 0; n < 9; n += 1) health.recordFailure(0);
    health.reset();
    expect([health.isAside(0), health.latencyMs(0)]).toEqual([false, 1]);
  });
});
