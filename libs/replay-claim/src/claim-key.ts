/**
 * Names of the keys in Redis. The part in braces is the hash tag: all keys of one bucket live in one slot of a cluster,
 * so a script may touch a claim and what belongs to its bucket.
 */

/** Few enough to look after one by one, enough to spread over a cluster. Changing it orphans every record. */
export const BUCKETS = 64;

/** `rp:{b<0..63>}:c:<claimId>`. Claim ids are base64url hashes; the first six bits choose the bucket. */
export function claimKey(claimId: string): string {
  const firstByte = Buffer.from(claimId.slice(0, 2), 'base64url')[0] ?? 0;
  return `rp:{b${firstByte % BUCKETS}}:c:${claimId}`;
}
