/**
 * What routers say to each other, as text that only a router can have written and only a router can read: the rpc port
 * itself asks nobody who they are. Each is good for seconds, and what it is about is there once.
 */
import { z } from 'zod';
import type { StateSealer } from '@roundhouse/sealed-state';
import { settingsSchema } from './session-book.js';

const PURPOSE = 'router-message';
/** Longer than any message is under way; clocks may differ as well. */
const LIFE_MS = 10_000;

const id = z.string().max(64);

const messageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    run: id,
    sid: id,
    name: id,
    /** One of them; whatever the client posted. */
    result: z.unknown().optional(),
    error: z.unknown().optional(),
    scopes: z.array(z.string()).optional(),
    claims: z.record(z.string(), z.unknown()),
    /** Absent: it does not end. */
    accessEndsAtMs: z.number().optional(),
  }),
  z.object({ kind: z.literal('cancel'), sid: id, requestId: z.union([z.string(), z.number()]) }),
  z.object({ kind: z.literal('ended'), sid: id }),
  z.object({ kind: z.literal('settings'), sid: id, settings: settingsSchema }),
  z.object({
    kind: z.literal('resume'),
    ...{ run: id, sid: id, name: id, after: z.int().min(0) },
    /** By which `left` finds it; absent of routers that do not say when a client left. */
    reader: id.optional(),
  }),
  z.object({ kind: z.literal('left'), reader: id }),
]);
export type RouterTold = z.infer<typeof messageSchema>;

const envelopeSchema = z.object({ e: z.number(), m: messageSchema });

export class RouterMessages {
  constructor(
    private readonly sealer: StateSealer,
    private readonly skewMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  seal(message: RouterTold): string {
    return this.sealer.seal(PURPOSE, [], JSON.stringify({ e: this.now() + LIFE_MS, m: message }));
  }

  /** Undefined for whatever no router sealed just now. */
  open(sealed: unknown): RouterTold | undefined {
    const opened = this.sealer.open(PURPOSE, [], sealed);
    const parsed = opened.ok ? envelopeSchema.safeParse(JSON.parse(opened.plaintext)) : undefined;
    if (parsed?.success !== true || parsed.data.e + this.skewMs < this.now()) return undefined;
    return parsed.data.m;
  }
}
