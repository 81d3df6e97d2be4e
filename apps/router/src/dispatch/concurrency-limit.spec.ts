import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, UNTOLD_FIRST, UNTOLD_MAX } from './concurrency-limit.js';

function told(callsMax: number | undefined): ConcurrencyLimit {
  const limit = new ConcurrencyLimit();
  limit.tell(callsMax);
  return limit;
}
const serve = (limit: ConcurrencyLimit, times: number, inFlight = (): number => limit.max): void => {
  for (let at = 0; at < times; at += 1) limit.succeeded(inFlight());
};

describe('the limit of one worker', () => {
  it('is what it says, and never more', () => {
    const limit = told(10);
    serve(limit, 10_000);
    expect(limit.max).toBe(10);
  });

  it('goes down to what it takes when it turns calls away, and comes back while it is used up', () => {
    const limit = told(100);
    limit.turnedAway(41);
    expect(limit.max).toBe(40);
    serve(limit, 40);
    expect(limit.max).toBe(44);
    serve(limit, 10_000);
    expect(limit.max).toBe(100);
  });

  it('never goes down to nothing', () => {
    const limit = told(100);
    for (const inFlight of [50, 2, 1, 1, 0]) limit.turnedAway(inFlight);
    expect(limit.max).toBe(1);
    serve(limit, 1);
    expect(limit.max).toBe(2);
  });

  it('does not grow while it is not used up', () => {
    const limit = told(undefined);
    serve(limit, 10_000, () => limit.max - 1);
    expect(limit.max).toBe(UNTOLD_FIRST);
  });

  it('is looked for where the worker does not say', () => {
    const limit = told(undefined);
    serve(limit, 100_000);
    expect(limit.max).toBe(UNTOLD_MAX);
    limit.tookTooLong();
    expect(limit.max).toBe(700);
    for (let at = 0; at < 50; at += 1) limit.tookTooLong();
    expect(limit.max).toBe(8);
  });

  it('is not doubted for slow calls where the worker says it', () => {
    const limit = told(10);
    limit.tookTooLong();
    expect(limit.max).toBe(10);
  });

  it('is kept when the worker says the same again, and begins anew when it says another', () => {
    const limit = told(100);
    limit.turnedAway(41);
    limit.tell(100);
    expect(limit.max).toBe(40);
    limit.tell(50);
    expect(limit.max).toBe(50);
    limit.tell(undefined);
    expect(limit.max).toBe(UNTOLD_FIRST);
  });
});
