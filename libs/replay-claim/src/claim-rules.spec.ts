import { describe, expect, it } from '@jest/globals';
import { openClaimsPerBucket } from './claim-rules.js';

describe('openClaimsPerBucket', () => {
  it.each([
    [0, 0],
    [1, 1],
    [64, 5],
    [1_000, 32],
    [64_000, 1_127],
  ])('lets a principal with a limit of %i have so many claims in one bucket: %i', (openClaimsMax, perBucket) => {
    expect(openClaimsPerBucket(openClaimsMax)).toBe(perBucket);
  });

  it('never lets the buckets together take less than the limit', () => {
    for (let limit = 0; limit < 5_000; limit += 7)
      expect(openClaimsPerBucket(limit) * 64).toBeGreaterThanOrEqual(limit);
  });
});
