/**
 * Names of the keys in Redis. The part in braces is the hash tag: all keys of one bucket live in one slot of a cluster,
 * so a script may touch a claim and what belongs to its bucket. docs/redis-keys.md tells them one by one.
 */
import { bucketOf } from '@roundhouse/contracts';

/** `rp:{b<0..63>}:c:<claimId>`: one spent nonce. */
export function claimKey(claimId: string): string {
  return `${tagOf(bucketOf(claimId))}:c:${claimId}`;
}

/** `rp:{b<0..63>}:epoch`: what a state must name for its claim to count. */
export function epochKey(bucket: number): string {
  return `${tagOf(bucket)}:epoch`;
}

/** `rp:{b<0..63>}:p:<principal>`: the claims of one principal that run now, in the bucket of this claim. */
export function openClaimsKey(claimId: string, principal: string): string {
  return `${tagOf(bucketOf(claimId))}:p:${principal}`;
}

/** `rp:{b<0..63>}:h:<handle>`: a continuation that is too large to travel. */
export function heldKey(handle: string): string {
  return `${tagOf(bucketOf(handle))}:h:${handle}`;
}

/** `rp:{b<0..63>}:o:<id>`: something that was used, and by whom. */
export function onceKey(id: string): string {
  return `${tagOf(bucketOf(id))}:o:${id}`;
}

/** `rp:{b<0..63>}:t:<key>`: what is left of a rate that routers share. */
export function rateKey(key: string): string {
  return `${tagOf(bucketOf(key))}:t:${key}`;
}

/** `rp:{b<0..63>}:n:<key>`: how many calls each router has under way. */
export function runningKey(key: string): string {
  return `${tagOf(bucketOf(key))}:n:${key}`;
}

/** `rp:{b<0..63>}:f:<key>`: what each router opened less what it closed. */
export function openKey(key: string): string {
  return `${tagOf(bucketOf(key))}:f:${key}`;
}

function tagOf(bucket: number): string {
  return `rp:{b${bucket}}`;
}
