/**
 * Makes a confirmed round run at most once: claims its nonce before dispatch, waits for a twin that runs elsewhere,
 * gives a stored outcome out again, stores this one (REP-1..9). Outcomes are sealed before they leave the router.
 */
import { hash } from 'node:crypto';
import { RESULT_BYTES_MAX, type Answers, type ClaimAnswer, type ClaimRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { canonicalJson } from '@roundhouse/protocol';
import type { FlowClaims, StateSealer } from '@roundhouse/sealed-state';
import { decodeOutcome, encodeOutcome, type Outcome } from './outcome.js';
import { randomId } from './random-id.js';
import type { ReplayClient } from './replay-client.js';

const PURPOSE = 'replay-result';
/** An owner that was not heard of for this long after its call's own deadline counts as crashed (REP-8). */
const LEASE_MARGIN_MS = 10_000;
/** How long an outcome can be fetched again after its state expired (REP-6). */
const RESULT_WINDOW_MS = 300_000;
/** How long a twin waits for the one that runs (REP-7). */
const TWIN_WAIT_MS = 25_000;

export interface ClaimInput {
  readonly claims: FlowClaims;
  /** This round's answers, as judged. */
  readonly given: Answers;
  /** A cancellation spends nothing: it is claimed beside the answer, not instead of it. */
  readonly allCancelled: boolean;
  readonly timeoutMs: number;
}

/** Either this process runs the round, or its outcome is known already. */
export type Claimed = { readonly run: Claim } | { readonly stored: Outcome; readonly traceRef: string | undefined };

export class ClaimKeeper {
  constructor(
    private readonly replay: ReplayClient,
    private readonly sealer: StateSealer,
    private readonly skewMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  async take(input: ClaimInput): Promise<Claimed> {
    const request = this.toRequest(input);
    const first = await this.replay.claim(request);
    const answer = first.status === 'inflight' ? await this.waitForTwin(request) : first;
    switch (answer.status) {
      case 'new':
        return { run: new Claim(request, this.replay, this.sealer) };
      case 'done':
        return this.openStored(request.claimId, answer.result);
      case 'conflict':
        throw new RoundhouseError('state_refused', {
          reason: 'state_nonce_spent',
          data: { reason: 'invalid_request_state' },
        });
      case 'unknown':
        throw outcomeUnknown();
      case 'inflight':
        throw new RoundhouseError('claim_in_flight', { reason: 'limit_reached', retryAfterS: 1 });
    }
  }

  private async waitForTwin({ claimId, fingerprint }: ClaimRequest): Promise<ClaimAnswer> {
    return this.replay.outcome({ claimId, fingerprint, waitMs: TWIN_WAIT_MS });
  }

  private openStored(claimId: string, result: string): Claimed {
    if (result === NOT_RETAINED)
      return {
        stored: { error: new RoundhouseError('result_not_retained', { reason: 'limit_reached' }) },
        traceRef: undefined,
      };
    const opened = this.sealer.open(PURPOSE, [claimId], result);
    // A key that sealed outcomes outlives them by the keyset's own rules; anything else is a foreign record.
    if (!opened.ok) throw new RoundhouseError('outcome_unknown', { reason: opened.reason });
    const { outcome, traceRef } = decodeOutcome(opened.plaintext);
    return { stored: outcome, traceRef };
  }

  private toRequest({ claims, given, allCancelled, timeoutMs }: ClaimInput): ClaimRequest {
    const kind = allCancelled ? 'cancel' : 'answer';
    return {
      claimId: digest(['claim', claims.principal, claims.nonce, kind]),
      fingerprint: digest(['attempt', claims.method, claims.target, claims.argumentsDigest, canonicalJson(given)]),
      owner: randomId(),
      leaseMs: timeoutMs + LEASE_MARGIN_MS,
      retainMs: Math.max(0, claims.expiresAtMs - this.now()) + 2 * this.skewMs + RESULT_WINDOW_MS,
    };
  }
}

/** Stored instead of an outcome that is too large to keep (REP-11); not a sealed string, so never mistaken for one. */
const NOT_RETAINED = 'not-retained';

/** A round that this process must run, settle or give back. */
export class Claim {
  constructor(
    private readonly request: ClaimRequest,
    private readonly replay: ReplayClient,
    private readonly sealer: StateSealer,
  ) {}

  /** Stable for this nonce: lets a worker give real exactly-once effects (REP-8). */
  get idempotencyKey(): string {
    return digest(['idempotency', this.request.claimId]);
  }

  /** Whether the outcome is now what every later twin gets. */
  async settle(outcome: Outcome, traceRef: string | undefined): Promise<boolean> {
    const { claimId, owner, retainMs } = this.request;
    const text = encodeOutcome(outcome, traceRef);
    const result =
      Buffer.byteLength(text) > RESULT_BYTES_MAX ? NOT_RETAINED : this.sealer.seal(PURPOSE, [claimId], text);
    return this.replay.settle({ claimId, owner, result, retainMs });
  }

  /** Nothing was dispatched: the next attempt may run. */
  async release(): Promise<boolean> {
    const { claimId, owner } = this.request;
    return this.replay.release({ claimId, owner });
  }
}

export function outcomeUnknown(cause?: unknown): RoundhouseError {
  return new RoundhouseError('outcome_unknown', {
    reason: 'worker_connection_lost',
    data: { reason: 'outcome_unknown' },
    cause,
  });
}

/** Length-prefixed, so that no two lists of parts meet. One call into OpenSSL: the parts are short. */
function digest(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return hash('sha256', text, 'base64url');
}
