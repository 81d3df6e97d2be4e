/**
 * Claims in the memory of one process: for the standalone app and for tests. A second replica would not see them, and a
 * restart forgets them. When it is full it refuses: forgetting a spent nonce to make room would let it be spent again.
 */
import type { ClaimAnswer, ClaimRequest, ReleaseRequest, SettleRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import {
  NOT_CLAIMED,
  answerClaim,
  answerPeek,
  mayRelease,
  newRecord,
  settledRecord,
  type ClaimRecord,
} from './claim-rules.js';
import type { ClaimStore, PeekAnswer } from './claim-store.js';

/** Records held at once; about 40 MiB without results, far more than one process of one person spends in a day. */
export const MEMORY_RECORDS_MAX = 100_000;
/** Characters of all results together: about 256 MiB, since results are ASCII. */
export const MEMORY_RESULT_CHARS_MAX = 256 * 1024 * 1024;
/** Looking for expired records costs a pass over all of them, so a full store does it no more often than this. */
const SWEEP_EVERY_MS = 1_000;

export interface MemoryClaimStoreOptions {
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
  readonly recordsMax?: number;
  readonly resultCharsMax?: number;
}

export class MemoryClaimStore implements ClaimStore {
  readonly isReachable = true;
  private readonly now: () => number;
  private readonly recordsMax: number;
  private readonly resultCharsMax: number;
  private readonly records = new Map<string, ClaimRecord>();
  private resultChars = 0;
  private sweepAfterMs = -Infinity;

  constructor(options: MemoryClaimStoreOptions = {}) {
    this.now = options.now ?? (() => performance.now());
    this.recordsMax = options.recordsMax ?? MEMORY_RECORDS_MAX;
    this.resultCharsMax = options.resultCharsMax ?? MEMORY_RESULT_CHARS_MAX;
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const nowMs = this.now();
    const record = this.find(request.claimId, nowMs);
    if (record !== undefined) return answerClaim(record, request, nowMs);
    this.assertRoom(nowMs, () => this.records.size < this.recordsMax);
    this.records.set(request.claimId, newRecord(request, nowMs));
    return { status: 'new' };
  }

  async settle(request: SettleRequest): Promise<boolean> {
    const nowMs = this.now();
    const record = this.find(request.claimId, nowMs);
    const settled = record && settledRecord(record, request, nowMs);
    if (settled === undefined) return false;
    if (settled === record) return true;
    this.assertRoom(nowMs, () => this.resultChars + request.result.length <= this.resultCharsMax);
    this.resultChars += request.result.length;
    this.records.set(request.claimId, settled);
    return true;
  }

  async release({ claimId, owner }: ReleaseRequest): Promise<boolean> {
    const record = this.find(claimId, this.now());
    return record !== undefined && mayRelease(record, owner) && this.records.delete(claimId);
  }

  async peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    const nowMs = this.now();
    const record = this.find(claimId, nowMs);
    return record === undefined ? NOT_CLAIMED : answerPeek(record, fingerprint, nowMs);
  }

  async close(): Promise<void> {
    this.records.clear();
    this.resultChars = 0;
  }

  private find(claimId: string, nowMs: number): ClaimRecord | undefined {
    const record = this.records.get(claimId);
    if (record === undefined || record.expiresMs > nowMs) return record;
    this.forget(claimId, record);
    return undefined;
  }

  private assertRoom(nowMs: number, hasRoom: () => boolean): void {
    if (hasRoom()) return;
    this.sweep(nowMs);
    if (!hasRoom())
      throw new RoundhouseError('replay_unavailable', { reason: 'limit_reached', facts: { store: 'memory' } });
  }

  private sweep(nowMs: number): void {
    if (nowMs < this.sweepAfterMs) return;
    this.sweepAfterMs = nowMs + SWEEP_EVERY_MS;
    for (const [claimId, record] of this.records) {
      if (record.expiresMs <= nowMs) this.forget(claimId, record);
    }
  }

  private forget(claimId: string, record: ClaimRecord): void {
    this.records.delete(claimId);
    this.resultChars -= record.result?.length ?? 0;
  }
}
