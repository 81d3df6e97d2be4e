/**
 * Makes a confirmed round run at most once: claims its nonce before dispatch, waits for a twin that runs elsewhere,
 * gives a stored outcome out again, stores this one (REP-1..9). Outcomes are sealed before they leave the router.
 */
import {
  RESULT_BYTES_MAX,
  type Answers,
  type ClaimAnswer,
  type ClaimRequest,
  type Principal,
} from '@roundhouse/contracts';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { canonicalJson } from '@roundhouse/protocol';
import { principalDigest, type FlowClaims, type StateSealer } from '@roundhouse/sealed-state';
import { claimIdOf, digestOf } from './claim-id.js';
import type { EpochKeeper } from './epoch-keeper.js';
import { decodeOutcome, encodeOutcome, type Outcome } from './outcome.js';
import { randomId } from './random-id.js';
import type { ReplayClient } from './replay-client.js';
import type { Traced } from './replay-span.js';

const PURPOSE = 'replay-result';
/** An owner that was not heard of for this long after its call's own deadline counts as crashed (REP-8). */
const LEASE_MARGIN_MS = 10_000;
/** How long an outcome can be fetched again after its state expired (REP-6). */
const RESULT_WINDOW_MS = 300_000;
/** How long a twin waits for the one that runs (REP-7). */
const TWIN_WAIT_MS = 25_000;

export interface ClaimInput {
  readonly claims: FlowClaims;
  readonly principal: Principal;
  /** This round's answers, as judged. */
  readonly given: Answers;
  /** A cancellation spends nothing: it is claimed beside the answer, not instead of it. */
  readonly allCancelled: boolean;
  readonly timeoutMs: number;
  /** The tool only reads, or is as well run twice as once: it may run again when its owner went silent (REP-8). */
  readonly rerunAllowed: boolean;
  /** The round that asks. */
  readonly traced?: Traced;
}

/** Either this process runs the round, or its outcome is known already. */
export type Claimed = { readonly run: Claim } | { readonly stored: Outcome; readonly traceRef: string | undefined };

export interface ClaimKeeperOptions {
  readonly replay: ReplayClient;
  readonly sealer: StateSealer;
  readonly epochs: EpochKeeper;
  readonly skewMs: number;
  /** Salts the digest by which the replay service counts a principal's open claims; it is told nothing else of it. */
  readonly audience: string;
  /** Hears what each claim was answered. */
  readonly onClaim?: ((outcome: ClaimAnswer['status'] | 'store_error') => void) | undefined;
  readonly now?: () => number;
}

export class ClaimKeeper {
  constructor(private readonly options: ClaimKeeperOptions) {}

  async take(input: ClaimInput): Promise<Claimed> {
    const { replay, sealer } = this.options;
    const request = this.toRequest(input);
    const leaseEndsMs = performance.now() + request.leaseMs;
    const answer = await this.ask(request, input.traced);
    switch (answer.status) {
      case 'new':
        return { run: new Claim(request, { replay, sealer }, input.traced, leaseEndsMs) };
      case 'done':
        return openStored(sealer, request.claimId, answer.result);
      case 'conflict':
        throw refused('state_nonce_spent');
      case 'stale_epoch':
        await this.options.epochs.replace(request.claimId, request.epoch);
        throw refused('state_stale_epoch');
      case 'unknown':
        throw outcomeUnknown();
      case 'inflight':
        throw new RoundhouseError('claim_in_flight', { reason: 'limit_reached', retryAfterS: 1 });
    }
  }

  /** A twin that waited may run the round itself when the other gave it back, or went silent and running twice is fine. */
  private async ask(request: ClaimRequest, traced: Traced | undefined): Promise<ClaimAnswer> {
    const { replay } = this.options;
    const first = await this.claim(request, traced);
    if (first.status !== 'inflight') return first;
    const { claimId, fingerprint, rerunAllowed } = request;
    const later = await replay.outcome({ claimId, fingerprint, waitMs: TWIN_WAIT_MS }, traced);
    const isFree = later.status === 'inflight' ? later.leaseLeftMs === 0 : later.status === 'unknown' && rerunAllowed;
    return isFree ? this.claim(request, traced) : later;
  }

  private async claim(request: ClaimRequest, traced: Traced | undefined): Promise<ClaimAnswer> {
    const { replay, onClaim } = this.options;
    try {
      const answer = await replay.claim(request, traced);
      onClaim?.(answer.status);
      return answer;
    } catch (error) {
      // A principal with too many claims was answered; the store is well.
      if (RoundhouseError.from(error).code === 'replay_unavailable') onClaim?.('store_error');
      throw error;
    }
  }

  private toRequest(input: ClaimInput): ClaimRequest & { readonly epoch: string } {
    const { claims, given, allCancelled, timeoutMs, rerunAllowed } = input;
    const { skewMs, audience, now = Date.now } = this.options;
    const kind = allCancelled ? 'cancel' : 'answer';
    const epoch = claims.epochs?.[kind];
    // The tool was none that runs once when this state was sealed.
    if (epoch === undefined) throw refused('state_stale_epoch');
    return {
      claimId: claimIdOf(claims, kind),
      fingerprint: digestOf(['attempt', claims.method, claims.target, claims.argumentsDigest, canonicalJson(given)]),
      owner: randomId(),
      leaseMs: timeoutMs + LEASE_MARGIN_MS,
      retainMs: Math.max(0, claims.expiresAtMs - now()) + 2 * skewMs + RESULT_WINDOW_MS,
      epoch,
      rerunAllowed,
      principal: principalDigest(input.principal, audience),
    };
  }
}

function openStored(
  sealer: StateSealer,
  claimId: string,
  result: string,
): { readonly stored: Outcome; readonly traceRef: string | undefined } {
  if (result === NOT_RETAINED)
    return {
      stored: { error: new RoundhouseError('result_not_retained', { reason: 'limit_reached' }) },
      traceRef: undefined,
    };
  const opened = sealer.open(PURPOSE, [claimId], result);
  // A key that sealed outcomes outlives them by the keyset's own rules; anything else is a foreign record.
  if (!opened.ok) throw outcomeUnknown({ reason: opened.reason });
  const { outcome, traceRef } = decodeOutcome(opened.plaintext);
  return { stored: outcome, traceRef };
}

/** Stored instead of an outcome that is too large to keep (REP-11); not a sealed string, so never mistaken for one. */
const NOT_RETAINED = 'not-retained';

/** A round that this process must run, settle or give back. */
export class Claim {
  constructor(
    private readonly request: ClaimRequest,
    private readonly parts: Pick<ClaimKeeperOptions, 'replay' | 'sealer'>,
    private readonly traced: Traced | undefined,
    /** By the clock of `performance.now`. The store's own begins when it hears of the claim, and so ends no earlier. */
    private readonly leaseEndsMs: number,
  ) {}

  /** Stable for this nonce: lets a worker give real exactly-once effects (REP-8). */
  get idempotencyKey(): string {
    return digestOf(['idempotency', this.request.claimId]);
  }

  /** Stores the outcome, and tells which one every twin gets: where another attempt took over, it may be another. */
  async settle(outcome: Outcome, traceRef: string | undefined): Promise<Outcome> {
    // If this fails it is tried on while the lease runs; where that fails as well, the record says from then on that the
    // outcome is unknown. The caller has waited for the answer and gets it.
    const isStored = await this.store(encodeOutcome(outcome, traceRef)).catch(() => true);
    return isStored ? outcome : this.outcomeInstead(outcome);
  }

  /** Nothing was dispatched: the next attempt may run. */
  async release(): Promise<boolean> {
    const { claimId, owner, principal } = this.request;
    return this.parts.replay.release({ claimId, owner, principal }, this.traced);
  }

  /** Throws when the replay service is away, and goes on trying; and when no key may seal now: both are logged where they begin. */
  private async store(text: string): Promise<boolean> {
    const { claimId, owner, retainMs, principal } = this.request;
    const result =
      Buffer.byteLength(text) > RESULT_BYTES_MAX ? NOT_RETAINED : this.parts.sealer.seal(PURPOSE, [claimId], text);
    return this.parts.replay.settle({ claimId, owner, result, retainMs, principal }, this.leaseEndsMs, this.traced);
  }

  private async outcomeInstead(own: Outcome): Promise<Outcome> {
    const { claimId, fingerprint } = this.request;
    const answer = await this.parts.replay
      .outcome({ claimId, fingerprint, waitMs: 0 }, this.traced)
      .catch(() => undefined);
    if (answer?.status === 'done') return openStored(this.parts.sealer, claimId, answer.result).stored;
    // The store forgot the claim, and lets nobody make it again: no other answer will ever be told.
    const isForgotten = answer?.status === 'inflight' && answer.leaseLeftMs === 0;
    return isForgotten ? own : { error: outcomeUnknown() };
  }
}

export function outcomeUnknown(why: { readonly reason?: Reason; readonly cause?: unknown } = {}): RoundhouseError {
  const { reason = 'worker_connection_lost', cause } = why;
  return new RoundhouseError('outcome_unknown', { reason, data: { reason: 'outcome_unknown' }, cause });
}

function refused(reason: Reason): RoundhouseError {
  return new RoundhouseError('state_refused', { reason, data: { reason: 'invalid_request_state' } });
}
