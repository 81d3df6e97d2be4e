/**
 * Who calls. Verified by the router; workers may rely on it and never see the token it came from.
 */
import { z } from 'zod';

export const principalSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({
    kind: z.literal('user'),
    /** Who vouches for the subject: an OAuth issuer, or `development` for the development header. */
    issuer: z.string().min(1).max(512),
    subject: z.string().min(1).max(512),
    clientId: z.string().max(512).optional(),
    tenant: z.string().max(256).optional(),
  }),
]);

export type Principal = z.infer<typeof principalSchema>;

export const ANONYMOUS: Principal = { kind: 'anonymous' };
