/**
 * The rules of a claim as pure functions: the specification of the state machine. The in-memory store runs them, the
 * Redis scripts say the same in Lua, and a test holds both to the same answers for any sequence of operations.
 */
import { REPLAY_BUCKETS, type ClaimAnswer, type ClaimRequest, type SettleRequest } from '@roundhouse/contracts';
import type { PeekAnswer } from './claim-store.js';

/** One spent nonce. Moments are milliseconds of the store's own clock. */
export interface ClaimRecord {
  readonly fingerprint: string;
  readonly owner: string;
  readonly leaseEndsMs: number;
  readonly expiresMs: number;
  /** Absent while the outcome is open. */
  readonly result?: string;
  /** Whom the claim counts against while it is open. */
  readonly principal?: string | undefined;
}

/** Nothing runs under this claim; see `PeekAnswer`. */
export const NOT_CLAIMED: PeekAnswer = { status: 'inflight', leaseLeftMs: 0 };

/** A record is kept at least for its lease: if it went earlier, a second attempt could start beside the first. */
export function newRecord(request: ClaimRequest, nowMs: number): ClaimRecord {
  const { fingerprint, owner, leaseMs, retainMs, principal } = request;
  const expiresMs = nowMs + Math.max(leaseMs, retainMs);
  return { fingerprint, owner, leaseEndsMs: nowMs + leaseMs, expiresMs, principal };
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

/**
 * A claim names the epoch that its state was sealed under. Another one means that the store has forgotten what was spent
 * since (RFC 8446 section 8.2: a recorder that started afresh must refuse what is older than itself). A router of the
 * release before names none and is not fenced.
 */
export function isStale(named: string | undefined, epoch: string): boolean {
  return named !== undefined && named !== epoch;
}

/** Whether the attempt may run although another one went silent (REP-8). */
export function mayTakeOver(record: ClaimRecord, request: ClaimRequest, nowMs: number): boolean {
  return request.rerunAllowed === true && answerPeek(record, request.fingerprint, nowMs).status === 'unknown';
}

/** The one that went silent is no owner any more: should it speak after all, it is too late. */
export function takenOver(record: ClaimRecord, request: ClaimRequest, nowMs: number): ClaimRecord {
  const fresh = newRecord(request, nowMs);
  return { ...fresh, expiresMs: Math.max(record.expiresMs, fresh.expiresMs) };
}

/**
 * A principal's share of its open claims in one bucket. Claim ids are hashes, so a principal's claims spread evenly; four
 * standard deviations above the mean let it reach its whole number before one bucket refuses, but never twice as much
 * and a bit. Exact counting would need a second slot, and so a second question, for every claim.
 */
export function openClaimsPerBucket(openClaimsPerPrincipalMax: number): number {
  const mean = openClaimsPerPrincipalMax / REPLAY_BUCKETS;
  return Math.ceil(mean + 4 * Math.sqrt(mean));
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
