/**
 * The rules of a claim as pure functions: the specification of the state machine. The in-memory store runs them, the
 * Redis scripts say the same in Lua, and a test holds both to the same answers for any sequence of operations.
 */
import type { ClaimAnswer, ClaimRequest, SettleRequest } from '@roundhouse/contracts';
import type { PeekAnswer } from './claim-store.js';

/** One spent nonce. Moments are milliseconds of the store's own clock. */
export interface ClaimRecord {
  readonly fingerprint: string;
  readonly owner: string;
  readonly leaseEndsMs: number;
  readonly expiresMs: number;
  /** Absent while the outcome is open. */
  readonly result?: string;
}

/** Nothing runs under this claim; see `PeekAnswer`. */
export const NOT_CLAIMED: PeekAnswer = { status: 'inflight', leaseLeftMs: 0 };

/** A record is kept at least for its lease: if it went earlier, a second attempt could start beside the first. */
export function newRecord({ fingerprint, owner, leaseMs, retainMs }: ClaimRequest, nowMs: number): ClaimRecord {
  return { fingerprint, owner, leaseEndsMs: nowMs + leaseMs, expiresMs: nowMs + Math.max(leaseMs, retainMs) };
}

/** The owner asking again while its lease runs has lost the first answer and gets it again (REP-10). */
export function answerClaim(
  record: ClaimRecord,
  attempt: Pick<ClaimRequest, 'fingerprint' | 'owner'>,
  nowMs: number,
): ClaimAnswer {
  const answer = answerPeek(record, attempt.fingerprint, nowMs);
  return answer.status === 'inflight' && record.owner === attempt.owner ? { status: 'new' } : answer;
}

export function answerPeek(record: ClaimRecord, fingerprint: string, nowMs: number): PeekAnswer {
  if (record.fingerprint !== fingerprint) return { status: 'conflict' };
  if (record.result !== undefined) return { status: 'done', result: record.result };
  const leaseLeftMs = Math.ceil(record.leaseEndsMs - nowMs);
  return leaseLeftMs > 0 ? { status: 'inflight', leaseLeftMs } : { status: 'unknown' };
}

/**
 * The record once its owner told the outcome, late or not; undefined when it may not. The first outcome stays; telling
 * it twice changes nothing. Retention never becomes shorter.
 */
export function settledRecord(
  record: ClaimRecord,
  { owner, result, retainMs }: SettleRequest,
  nowMs: number,
): ClaimRecord | undefined {
  if (record.owner !== owner) return undefined;
  if (record.result !== undefined) return record.result === result ? record : undefined;
  return { ...record, result, expiresMs: Math.max(record.expiresMs, nowMs + retainMs) };
}

export function mayRelease(record: ClaimRecord, owner: string): boolean {
  return record.owner === owner && record.result === undefined;
}
