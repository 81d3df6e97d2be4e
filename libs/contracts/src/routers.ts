/**
 * What routers tell each other about legacy sessions: an answer for the one that asked, a cancellation for whoever runs the
 * call, a stream that is taken up again elsewhere. Everything is sealed, so that only routers are believed.
 */
import { z } from 'zod';

/** One request body, sealed, with room for what is said beside it. */
export const ROUTER_MESSAGE_CHARS_MAX = 8 * 1024 * 1024;

export const routerMessageSchema = z.object({ sealed: z.string().min(1).max(ROUTER_MESSAGE_CHARS_MAX) });
export type RouterMessage = z.infer<typeof routerMessageSchema>;

/** Whether the message met what it was about: false is no failure, and means the same on every router. */
export const toldSchema = z.object({ taken: z.boolean() });
export type Told = z.infer<typeof toldSchema>;

/** One event of a stream that is taken up again; the last one ends it, or the line for now where it says nothing. */
export const resumedEventSchema = z.object({
  id: z.string().max(8_192),
  /** Empty: nothing was said, and the client is told by `id` where it goes on. */
  data: z.string(),
  /** After which the client comes back, where it is to. */
  retryMs: z.int().min(0).optional(),
});
export type ResumedEvent = z.infer<typeof resumedEventSchema>;
