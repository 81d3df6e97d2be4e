/** The rules of shared limits, as arithmetic: the specification that the script for Redis follows. */
import { BUDGET_WAIT_MS_MAX, type BudgetRate } from '@roundhouse/contracts';

/** Besides a burst: each router lets at least one request through on credit, and there are hardly more of them. */
export const CREDITS_OWED_MAX = 32;

/** A token bucket: `tokens` at `atMs`; they may be owed, and are then below zero. */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

export interface Taken {
  readonly bucket: Bucket;
  readonly granted: number;
  readonly left: number;
  readonly waitMs: number;
}

/**
 * Pays what is owed, then grants whole tokens as far as there are any. Debts stop where honest routers stop, so that one
 * that counts wrongly cannot shut a principal out for long.
 */
export function takeFrom(
  known: Bucket | undefined,
  { perSecond, burst, owed, want }: BudgetRate,
  nowMs: number,
): Taken {
  const elapsedMs = known === undefined ? 0 : Math.max(0, nowMs - known.atMs);
  const full = known === undefined ? burst : Math.min(burst, known.tokens + (elapsedMs * perSecond) / 1_000);
  const paid = Math.max(-(burst + CREDITS_OWED_MAX), full - owed);
  const granted = Math.max(0, Math.min(want, Math.floor(paid)));
  const tokens = paid - granted;
  return {
    bucket: { tokens, atMs: nowMs },
    granted,
    left: Math.max(0, Math.floor(tokens)),
    waitMs: tokens >= 1 ? 0 : Math.min(BUDGET_WAIT_MS_MAX, Math.ceil(((1 - tokens) / perSecond) * 1_000)),
  };
}
