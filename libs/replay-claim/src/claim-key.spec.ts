import { describe, expect, it } from '@jest/globals';
import { REPLAY_BUCKETS, bucketOf } from '@roundhouse/contracts';
import { claimKey, epochKey, heldKey, openClaimsKey } from './claim-key.js';
import { digest } from './claim-store.contract.js';

describe('claimKey', () => {
  it('puts the bucket into the hash tag and the claim id behind it', () => {
    const claimId = digest('nonce');
    expect(claimKey(claimId)).toBe(`rp:{b${bucketOf(claimId)}}:c:${claimId}`);
  });

  it('spreads claims over all buckets', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 6_400; index += 1) {
      const [tag = ''] = /\{.*?\}/.exec(claimKey(digest(String(index)))) ?? [];
      counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    expect(counts.size).toBe(REPLAY_BUCKETS);
    expect(Math.max(...counts.values())).toBeLessThan(200);
  });

  it.each(['', '{x}', '!!', 'é'])('still has a bucket for %j, which is no hash', (claimId) => {
    expect(claimKey(claimId)).toMatch(/^rp:\{b\d+\}:c:/);
  });
});

describe('the keys that a script touches together', () => {
  it.each(['a', 'b', 'c', 'd'])('share the hash tag of the claim of %s', (nonce) => {
    const claimId = digest(nonce);
    const tag = `rp:{b${bucketOf(claimId)}}:`;
    expect(epochKey(bucketOf(claimId))).toBe(`${tag}epoch`);
    expect(openClaimsKey(claimId, digest('alice'))).toBe(`${tag}p:${digest('alice')}`);
  });

  it('of a held text have the bucket of its handle', () => {
    expect(heldKey('AQIDBAUGBwgJCgsMDQ4PEA')).toBe('rp:{b1}:h:AQIDBAUGBwgJCgsMDQ4PEA');
  });
});
