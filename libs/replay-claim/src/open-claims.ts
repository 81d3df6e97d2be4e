/**
 * The claims under way in memory, counted per principal and bucket as Redis counts them, so that one caller cannot fill
 * the store alone (REP-11). A claim stops counting when it is settled or given back, and when its lease has ended.
 */
import { bucketOf } from '@roundhouse/contracts';
import { openClaimsPerBucket } from './claim-rules.js';

export class OpenClaims {
  private readonly perBucketMax: number;
  /** By principal and bucket: when the lease of each claim ends. */
  private readonly leases = new Map<string, Map<string, number>>();

  constructor(openClaimsPerPrincipalMax: number) {
    this.perBucketMax = openClaimsPerBucket(openClaimsPerPrincipalMax);
  }

  hasRoom(claimId: string, principal: string, nowMs: number): boolean {
    const leases = this.leases.get(keyOf(claimId, principal));
    if (leases === undefined || leases.size < this.perBucketMax) return true;
    for (const [open, endsMs] of leases) if (endsMs <= nowMs) leases.delete(open);
    return leases.size < this.perBucketMax;
  }

  add(claimId: string, principal: string, leaseEndsMs: number): void {
    const key = keyOf(claimId, principal);
    const leases = this.leases.get(key) ?? new Map<string, number>();
    this.leases.set(key, leases.set(claimId, leaseEndsMs));
  }

  remove(claimId: string, principal: string): void {
    const key = keyOf(claimId, principal);
    const leases = this.leases.get(key);
    leases?.delete(claimId);
    if (leases?.size === 0) this.leases.delete(key);
  }
}

function keyOf(claimId: string, principal: string): string {
  return `${bucketOf(claimId)}:${principal}`;
}
