/**
 * Asks (entries of `inputRequests`) and answers (entries of `inputResponses`) as they travel between router and worker.
 * Their inner shape is the protocol's; `@roundhouse/protocol` checks it.
 */
import { z } from 'zod';

export const askSchema = z.object({
  method: z.enum(['elicitation/create', 'sampling/createMessage', 'roots/list']),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type Ask = z.infer<typeof askSchema>;

export const asksSchema = z.record(z.string().min(1).max(128), askSchema);
export type Asks = z.infer<typeof asksSchema>;

/** A bare result object, already checked by the router against the ask it answers. */
export type Answer = Readonly<Record<string, unknown>>;
export type Answers = Readonly<Record<string, Answer>>;
