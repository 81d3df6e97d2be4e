/**
 * The port of the replay store: one question, "may this attempt run?", answered once and atomically. Two stores answer
 * it: memory for a single process, Redis for many. Both keep the rules of `claim-rules.ts`, and one suite holds them to it.
 * Trusts its caller for the shapes and sizes that the rpc schemas fix.
 */
import type {
  ClaimAnswer,
  ClaimRequest,
  HoldRequest,
  OnceRequest,
  ReleaseRequest,
  SettleRequest,
} from '@roundhouse/contracts';

/**
 * What a look at a claim tells. A claim that is not there (never made, released or expired) is `inflight` with no lease
 * left: nothing runs, and whoever wants to know more has to claim.
 */
export type PeekAnswer = Exclude<ClaimAnswer, { status: 'new' | 'stale_epoch' }>;

/** Every method rejects with RoundhouseError `replay_unavailable` when the store failed; then nothing is known. */
export interface ClaimStore {
  /**
   * `new` exactly once per claim, save for the owner that asks again because its answer was lost, and for one that takes
   * over, where that is allowed, from an owner that went silent. Rejects with `overloaded` when the principal has too
   * many claims open.
   */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;
  /** Stores the outcome. False when the claim is not the owner's, is gone, or was settled with another result. */
  settle(request: SettleRequest): Promise<boolean>;
  /** Gives back a claim that was never dispatched. False when it is not the owner's, is gone, or was settled. */
  release(request: ReleaseRequest): Promise<boolean>;
  /** Looks without claiming. */
  peek(claimId: string, fingerprint: string): Promise<PeekAnswer>;
  /** The epoch of each bucket, made where there is none. */
  epochs(): Promise<readonly string[]>;
  /** Keeps a text under its handle. */
  hold(request: HoldRequest): Promise<void>;
  /** The text, or undefined when nothing is held under this handle. */
  recall(handle: string): Promise<string | undefined>;
  /** True for the first owner that asks about an id, and for that one again; false for every other. */
  once(request: OnceRequest): Promise<boolean>;
  /** False while every call would fail: for readiness, never for deciding whether to try. */
  readonly isReachable: boolean;
  close(): Promise<void>;
}
