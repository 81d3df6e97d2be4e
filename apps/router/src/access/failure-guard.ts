/**
 * Holds back sources whose requests keep failing authorization (OAU-13). They are told to come back later and nothing
 * else: not whether a token, a user or an issuer is known. What was verified a moment ago is never held back, so those who
 * share an address with somebody bad are felt only when they bring a new token.
 */
import type { IncomingMessage } from 'node:http';
import { RoundhouseError, type ErrorCode } from '@roundhouse/errors';
import type { ClientAddress } from './client-address.js';
import type { FailuresBySource } from './failures-by-source.js';

/** Nothing that an outage of ours, or a scope that is missing, leads to. */
const FAILURES: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'token_invalid',
  'proof_invalid',
  'authorization_malformed',
]);

export class FailureGuard {
  constructor(
    private readonly addresses: Pick<ClientAddress, 'of'>,
    private readonly failures: Pick<FailuresBySource, 'waitMs' | 'note'>,
  ) {}

  /** Before a token is verified that is not known yet: that costs a signature, or a question to an issuer. @throws RoundhouseError `rate_limited` */
  assertRoom(request: IncomingMessage): void {
    const waitMs = this.failures.waitMs(this.addresses.of(request));
    if (waitMs > 0) throw heldBack(waitMs);
  }

  /** What is answered instead of this refusal: itself, until its source has had too many. */
  refusal(request: IncomingMessage, error: RoundhouseError): RoundhouseError {
    if (!FAILURES.has(error.code)) return error;
    const waitMs = this.failures.note(this.addresses.of(request));
    return waitMs > 0 ? heldBack(waitMs) : error;
  }
}

function heldBack(waitMs: number): RoundhouseError {
  return new RoundhouseError('rate_limited', {
    reason: 'source_held_back',
    retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}
