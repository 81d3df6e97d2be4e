/**
 * How routers share limits: each pays for what it let through, asks for what waits, and says how many calls it runs. One
 * message carries many keys; a call waits for one only when more come at once than what is left allows on credit.
 */
import { z } from 'zod';

export const BUDGETS_PER_MESSAGE_MAX = 256;
/** A router that said nothing for this long runs nothing any more, in milliseconds. */
export const RUNNING_RETAIN_MS = 10_000;
export const BUDGET_PER_SECOND_MAX = 1_000_000;
/** Longest wait that is told, in milliseconds. */
export const BUDGET_WAIT_MS_MAX = 3_600_000;
/** Times at which something that is open stops counting by itself, in one message. */
export const OPEN_TIMES_MAX = 128;
/** Longest that something counts as open, in milliseconds: a flow of a day, and what clocks may differ. */
export const OPEN_RETAIN_MS_MAX = 25 * 3_600_000;

/** SHA-256 in base64url over what is limited and for whom: part of a key in the store. */
const digest = z.string().regex(/^[\w-]{43}$/);
const count = z.int().min(0).max(BUDGET_PER_SECOND_MAX);

const rate = z.object({
  /** Requests a second in the long run, by all routers together. */
  perSecond: z.number().min(0.001).max(BUDGET_PER_SECOND_MAX),
  /** Requests at once after a pause. */
  burst: z.int().min(1).max(BUDGET_PER_SECOND_MAX),
  /** Let through already, and owed. */
  owed: count,
  /** Requests that wait for the answer. */
  want: count,
});
export type BudgetRate = z.infer<typeof rate>;

/**
 * What this router opened less what it closed, by when it stops counting (milliseconds since the epoch). Below zero where
 * it closed what another had opened.
 */
const openUntil = z.object({
  untilMs: z.int().min(0),
  net: z.int().min(-BUDGET_PER_SECOND_MAX).max(BUDGET_PER_SECOND_MAX),
});
export type OpenUntil = z.infer<typeof openUntil>;

const budgetAsk = z.object({
  key: digest,
  rate: rate.optional(),
  /** Calls under way in this router; absent where they are not limited. */
  running: count.optional(),
  /** All that is open by this router's count, each time: a message that comes twice changes nothing. Absent where it is not limited. */
  open: z.array(openUntil).max(OPEN_TIMES_MAX).optional(),
});
export type BudgetAsk = z.infer<typeof budgetAsk>;

export const budgetRequestSchema = z.object({
  /** Random id of the router's process. */
  router: z.string().regex(/^[\w-]{22}$/),
  budgets: z.array(budgetAsk).min(1).max(BUDGETS_PER_MESSAGE_MAX),
});
export type BudgetRequest = z.infer<typeof budgetRequestSchema>;

const budgetShare = z.object({
  /** Of those that wait. */
  granted: count,
  /** What could be granted now, to whichever router asks first. */
  left: count,
  /** When nothing is left: how long until there is something, in milliseconds. */
  waitMs: z.int().min(0).max(BUDGET_WAIT_MS_MAX),
  /** Calls under way in all other routers. */
  runningElsewhere: z.int().min(0),
  /** What all other routers say of what is open; may be below zero. Absent from a store that does not know of it. */
  openElsewhere: z.int().optional(),
});
export type BudgetShare = z.infer<typeof budgetShare>;

/** In the order of the request. */
export const budgetAnswerSchema = z.object({ budgets: z.array(budgetShare).max(BUDGETS_PER_MESSAGE_MAX) });
export type BudgetAnswer = z.infer<typeof budgetAnswerSchema>;
