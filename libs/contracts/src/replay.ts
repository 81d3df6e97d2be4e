/**
 * The rpc of the replay service. Claim ids and fingerprints are hashes made by the router; results are sealed by it.
 * The replay service learns neither who called nor what came out.
 */
import { z } from 'zod';

/** SHA-256 in base64url: 43 characters. Part of a key in the store, so nothing else may be in it. */
const digest = z.string().regex(/^[\w-]{43}$/);
/** 128 random bits in base64url. */
const randomId = z.string().regex(/^[\w-]{22}$/);

/**
 * Claims, epochs and held texts are spread over so many buckets: few enough to look after one by one, enough to spread
 * over a cluster. Changing it orphans every record.
 */
export const REPLAY_BUCKETS = 64;

/** The bucket of a claim id or handle: its first eight bits, so whoever makes an id knows where it will live. */
export function bucketOf(id: string): number {
  return (Buffer.from(id.slice(0, 2), 'base64url')[0] ?? 0) % REPLAY_BUCKETS;
}

/** Who claims, as a digest that stays the same for one principal and tells nothing about it. */
const principal = digest.optional();

/**
 * The span of the router that asks, when it is recorded, and the flow's random id to find all spans of a flow by. A
 * broken one is as good as none: nothing is refused over it.
 */
const replayTrace = z.object({
  traceparent: z.string().max(64).optional(),
  tracestate: z.string().max(512).optional(),
  flowId: randomId,
});
export type ReplayTrace = z.infer<typeof replayTrace>;
const traceMember = replayTrace.optional().catch(undefined);

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
  /** What the state names as the epoch of this claim's bucket (REP-5). Absent from a router of the release before. */
  epoch: randomId.optional(),
  /** The call may run again when its owner went silent: it only reads, or running twice is as good as once (REP-8). */
  rerunAllowed: z.boolean().optional(),
  /** Absent: not counted against any principal. */
  principal,
  trace: traceMember,
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
  /** The store has lost what it knew when the state was sealed: whether the nonce is spent cannot be told any more. */
  z.object({ status: z.literal('stale_epoch') }),
]);
export type ClaimAnswer = z.infer<typeof claimAnswerSchema>;

/** Largest stored result in bytes (REP-11). */
export const RESULT_BYTES_MAX = 256 * 1024;

export const settleRequestSchema = z.object({
  claimId: digest,
  owner: z.string().min(16).max(64),
  result: z.string().max(RESULT_BYTES_MAX * 2),
  retainMs: z.int().min(1).max(86_400_000),
  /** As in the claim. */
  principal,
  trace: traceMember,
});
export type SettleRequest = z.infer<typeof settleRequestSchema>;

/** Gives a claim back that was never dispatched. */
export const releaseRequestSchema = z.object({
  claimId: digest,
  owner: z.string().min(16).max(64),
  /** As in the claim. */
  principal,
  trace: traceMember,
});
export type ReleaseRequest = z.infer<typeof releaseRequestSchema>;

/** Waits for the end of an attempt that runs elsewhere; answers like a claim, never `new`. */
export const outcomeRequestSchema = z.object({
  claimId: digest,
  fingerprint: digest,
  waitMs: z.int().min(0).max(60_000),
  trace: traceMember,
});
export type OutcomeRequest = z.infer<typeof outcomeRequestSchema>;

export const acknowledgementSchema = z.object({ applied: z.boolean() });
export type Acknowledgement = z.infer<typeof acknowledgementSchema>;

/** The epochs of all buckets, in the order of their numbers; asked for without a body. */
export const epochsSchema = z.object({ epochs: z.array(randomId).length(REPLAY_BUCKETS) });
export type Epochs = z.infer<typeof epochsSchema>;

/** Largest continuation that is held for a router, in bytes before it is sealed (KEY-13). */
export const HELD_BYTES_MAX = 256 * 1024;

/** Keeps a text that is too large to travel with a client; sealed by the router, which alone knows the handle. */
export const holdRequestSchema = z.object({
  handle: randomId,
  text: z.string().max(HELD_BYTES_MAX * 2),
  retainMs: z
    .int()
    .min(1)
    .max(2 * 86_400_000),
});
export type HoldRequest = z.infer<typeof holdRequestSchema>;

export const recallRequestSchema = z.object({ handle: randomId });
export type RecallRequest = z.infer<typeof recallRequestSchema>;

/** Marks something as used: a DPoP proof, for one. Answered by an acknowledgement, applied for the first who asks. */
export const onceRequestSchema = z.object({
  /** A digest of what is used, made by the router. */
  id: digest,
  /** Random token of this attempt: asking again with it gets the same answer. */
  owner: z.string().min(16).max(64),
  /** How long the mark is kept, in milliseconds; as long as what is marked could be used. */
  retainMs: z.int().min(1).max(86_400_000),
});
export type OnceRequest = z.infer<typeof onceRequestSchema>;

/** Without `text` when nothing is held under the handle any more. */
export const recallAnswerSchema = z.object({ text: z.string().optional() });
export type RecallAnswer = z.infer<typeof recallAnswerSchema>;
