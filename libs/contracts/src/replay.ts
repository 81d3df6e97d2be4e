/**
 * The rpc of the replay service. Claim ids and fingerprints are hashes made by the router; results are sealed by it.
 * The replay service learns neither who called nor what came out.
 */
import { z } from 'zod';

/** SHA-256 in base64url: 43 characters. Part of a key in the store, so nothing else may be in it. */
const digest = z.string().regex(/^[\w-]{43}$/);

export const claimRequestSchema = z.object({
  /** SHA-256 over principal, nonce and answer class. */
  claimId: digest,
  /** SHA-256 over method, target, arguments and answers (REP-2): the same attempt has the same fingerprint. */
  fingerprint: digest,
  /** Random token of this attempt; only its owner may settle or release the claim. */
  owner: z.string().min(16).max(64),
  /** How long the owner may stay silent before its outcome counts as unknown, in milliseconds. */
  leaseMs: z.int().min(1).max(3_600_000),
  /** How long the record is kept, in milliseconds; at least as long as the state could be sent again. */
  retainMs: z.int().min(1).max(86_400_000),
});
export type ClaimRequest = z.infer<typeof claimRequestSchema>;

export const claimAnswerSchema = z.discriminatedUnion('status', [
  /** First: run it. */
  z.object({ status: z.literal('new') }),
  /** The same attempt runs elsewhere. */
  z.object({ status: z.literal('inflight'), leaseLeftMs: z.int().min(0) }),
  /** The same attempt ended; `result` is what the router stored. */
  z.object({ status: z.literal('done'), result: z.string() }),
  /** Spent with other answers. */
  z.object({ status: z.literal('conflict') }),
  /** The owner stayed silent beyond its lease: it may have run. */
  z.object({ status: z.literal('unknown') }),
]);
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

/** Largest stored result in bytes (REP-11). */
export const RESULT_BYTES_MAX = 256 * 1024;

export const settleRequestSchema = z.object({
  claimId: digest,
  owner: z.string().min(16).max(64),
  result: z.string().max(RESULT_BYTES_MAX * 2),
  retainMs: z.int().min(1).max(86_400_000),
});
export type SettleRequest = z.infer<typeof settleRequestSchema>;

/** Gives a claim back that was never dispatched. */
export const releaseRequestSchema = z.object({ claimId: digest, owner: z.string().min(16).max(64) });
export type ReleaseRequest = z.infer<typeof releaseRequestSchema>;

/** Waits for the end of an attempt that runs elsewhere; answers like a claim, never `new`. */
export const outcomeRequestSchema = z.object({
  claimId: digest,
  fingerprint: digest,
  waitMs: z.int().min(0).max(60_000),
});
export type OutcomeRequest = z.infer<typeof outcomeRequestSchema>;

export const acknowledgementSchema = z.object({ applied: z.boolean() });
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;
