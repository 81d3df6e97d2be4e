/**
 * Claims in the memory of one process: for the standalone app and for tests. A second replica would not see them. A
 * restart forgets them, and so begins a new epoch. When it is full it refuses: forgetting a spent nonce to make room would
 * let it be spent again.
 */
import { randomBytes } from 'node:crypto';
import {
  REPLAY_BUCKETS,
  bucketOf,
  type ClaimAnswer,
  type ClaimRequest,
  type HoldRequest,
  type OnceRequest,
  type ReleaseRequest,
  type SettleRequest,
} from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import {
  NOT_CLAIMED,
  answerClaim,
  answerPeek,
  isStale,
  mayRelease,
  mayTakeOver,
  newRecord,
  settledRecord,
  takenOver,
  type ClaimRecord,
} from './claim-rules.js';
import type { ClaimStore, PeekAnswer } from './claim-store.js';
import { HeldTexts } from './held-texts.js';
import { OnceMarks } from './once-marks.js';
import { OpenClaims } from './open-claims.js';
import { OPEN_CLAIMS_PER_PRINCIPAL_MAX, newEpoch, tooManyOpen } from './store-defaults.js';

/** Records held at once; about 40 MiB without results, far more than one process of one person spends in a day. */
export const MEMORY_RECORDS_MAX = 100_000;
/** Characters of all results and held texts together: about 256 MiB, since they are ASCII. */
export const MEMORY_RESULT_CHARS_MAX = 256 * 1024 * 1024;
/** Looking for expired records costs a pass over all of them, so a full store does it no more often than this. */
const SWEEP_EVERY_MS = 1_000;

export interface MemoryClaimStoreOptions {
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
  readonly recordsMax?: number;
  readonly resultCharsMax?: number;
  readonly openClaimsPerPrincipalMax?: number;
  readonly randomBytes?: (length: number) => Buffer;
  /** False lets claims of an earlier epoch count; see `RedisClaimStoreOptions`. */
  readonly epochFence?: boolean;
}

export class MemoryClaimStore implements ClaimStore {
  readonly isReachable = true;
  private readonly now: () => number;
  private readonly recordsMax: number;
  private readonly resultCharsMax: number;
  private readonly isFenced: boolean;
  private readonly epochOf: readonly string[];
  private readonly records = new Map<string, ClaimRecord>();
  private readonly open: OpenClaims;
  private readonly held = new HeldTexts();
  private readonly marks = new OnceMarks();
  private resultChars = 0;
  private sweepAfterMs = -Infinity;

  constructor(options: MemoryClaimStoreOptions = {}) {
    this.now = options.now ?? (() => performance.now());
    this.recordsMax = options.recordsMax ?? MEMORY_RECORDS_MAX;
    this.resultCharsMax = options.resultCharsMax ?? MEMORY_RESULT_CHARS_MAX;
    this.isFenced = options.epochFence ?? true;
    this.open = new OpenClaims(options.openClaimsPerPrincipalMax ?? OPEN_CLAIMS_PER_PRINCIPAL_MAX);
    const bytes = options.randomBytes ?? randomBytes;
    this.epochOf = Array.from({ length: REPLAY_BUCKETS }, () => newEpoch(bytes));
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const nowMs = this.now();
    if (this.isFenced && isStale(request.epoch, this.epochOf[bucketOf(request.claimId)]!))
      return { status: 'stale_epoch' };
    const record = this.find(request.claimId, nowMs);
    if (record !== undefined && !mayTakeOver(record, request, nowMs)) return answerClaim(record, request, nowMs);
    this.count(request, nowMs);
    if (record === undefined) this.assertRoom(nowMs, () => this.records.size < this.recordsMax);
    const fresh = record === undefined ? newRecord(request, nowMs) : takenOver(record, request, nowMs);
    this.records.set(request.claimId, fresh);
    if (request.principal !== undefined) this.open.add(request.claimId, request.principal, fresh.leaseEndsMs);
    return { status: 'new' };
  }

  async settle(request: SettleRequest): Promise<boolean> {
    const nowMs = this.now();
    const record = this.find(request.claimId, nowMs);
    const settled = record && settledRecord(record, request, nowMs);
    if (settled === undefined) return false;
    if (settled === record) return true;
    this.assertCharsFit(nowMs, request.result.length);
    this.resultChars += request.result.length;
    this.records.set(request.claimId, settled);
    this.stopCounting(request);
    return true;
  }

  async release(request: ReleaseRequest): Promise<boolean> {
    const record = this.find(request.claimId, this.now());
    if (record === undefined || !mayRelease(record, request.owner)) return false;
    this.stopCounting(request);
    return this.records.delete(request.claimId);
  }

  async peek(claimId: string, fingerprint: string): Promise<PeekAnswer> {
    const nowMs = this.now();
    const record = this.find(claimId, nowMs);
    return record === undefined ? NOT_CLAIMED : answerPeek(record, fingerprint, nowMs);
  }

  async epochs(): Promise<readonly string[]> {
    return this.epochOf;
  }

  async hold(request: HoldRequest): Promise<void> {
    const nowMs = this.now();
    this.assertCharsFit(nowMs, request.text.length);
    this.held.hold(request, nowMs);
  }

  async recall(handle: string): Promise<string | undefined> {
    return this.held.recall(handle, this.now());
  }

  async once(request: OnceRequest): Promise<boolean> {
    const nowMs = this.now();
    if (!this.marks.has(request.id)) this.assertRoom(nowMs, () => this.marks.size < this.recordsMax);
    return this.marks.mark(request, nowMs);
  }

  async close(): Promise<void> {
    this.records.clear();
    this.held.clear();
    this.marks.clear();
    this.resultChars = 0;
  }

  private find(claimId: string, nowMs: number): ClaimRecord | undefined {
    const record = this.records.get(claimId);
    if (record === undefined || record.expiresMs > nowMs) return record;
    this.forget(claimId, record);
    return undefined;
  }

  private count({ claimId, principal }: ClaimRequest, nowMs: number): void {
    if (principal !== undefined && !this.open.hasRoom(claimId, principal, nowMs)) throw tooManyOpen('memory');
  }

  private stopCounting({ claimId, principal }: Pick<ClaimRequest, 'claimId' | 'principal'>): void {
    if (principal !== undefined) this.open.remove(claimId, principal);
  }

  private assertCharsFit(nowMs: number, chars: number): void {
    this.assertRoom(nowMs, () => this.resultChars + this.held.chars + chars <= this.resultCharsMax);
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
    this.held.sweep(nowMs);
    this.marks.sweep(nowMs);
    for (const [claimId, record] of this.records) {
      if (record.expiresMs <= nowMs) this.forget(claimId, record);
    }
  }

  private forget(claimId: string, record: ClaimRecord): void {
    this.records.delete(claimId);
    this.stopCounting({ claimId, principal: record.principal });
    this.resultChars -= record.result?.length ?? 0;
  }
}
