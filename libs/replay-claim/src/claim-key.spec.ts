import { describe, expect, it } from '@jest/globals';
import { BUCKETS, claimKey } from './claim-key.js';
import { digest } from './claim-store.contract.js';

describe('claimKey', () => {
  it('puts the bucket into the hash tag and the claim id behind it', () => {
    const claimId = digest('nonce');
    expect(claimKey(claimId)).toMatch(/^rp:\{b([0-9]|[1-5][0-9]|6[0-3])\}:c:/);
    expect(claimKey(claimId).endsWith(`:c:${claimId}`)).toBe(true);
  });

  it('spreads claims over all buckets', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 6_400; index += 1) {
      const [tag = ''] = /\{.*?\}/.exec(claimKey(digest(String(index)))) ?? [];
      counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    expect(counts.size).toBe(BUCKETS);
    expect(Math.max(...counts.values())).toBeLessThan(200);
  });

  it.each(['', '{x}', '!!', 'é'])('still has a bucket for %j, which is no hash', (claimId) => {
    expect(claimKey(claimId)).toMatch(/^rp:\{b\d+\}:c:/);
  });
});
