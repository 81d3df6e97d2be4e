/** What both stores have in common beside the rules: how an epoch is drawn, and when one principal has enough. */
import { RoundhouseError } from '@roundhouse/errors';

/** Claims of one principal that may run at once (REP-11); counted approximately, see `openClaimsPerBucket`. */
export const OPEN_CLAIMS_PER_PRINCIPAL_MAX = 1_000;

const EPOCH_BYTES = 16;

/** 22 characters of base64url. Random, so that no store ever has the epoch of another or of itself before it forgot. */
export function newEpoch(randomBytes: (length: number) => Buffer): string {
  return randomBytes(EPOCH_BYTES).toString('base64url');
}

export function tooManyOpen(store: 'memory' | 'redis'): RoundhouseError {
  return new RoundhouseError('overloaded', { reason: 'limit_reached', facts: { store, limit: 'open claims' } });
}
