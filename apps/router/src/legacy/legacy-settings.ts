/** What an operator can set about clients of older revisions, and about how routers reach each other for them. */
import { z } from 'zod';
import { LEGACY_REVISIONS } from '@roundhouse/protocol';

const SESSION_HOURS_MAX = 47;

export const legacySchema = z.strictObject({
  revisions: z
    .array(z.enum(LEGACY_REVISIONS))
    .max(LEGACY_REVISIONS.length)
    .default([...LEGACY_REVISIONS])
    .describe('Revisions served by `initialize` and a session; none: only 2026-07-28 is served.'),
  sessionTtlMs: z
    .int()
    .min(60_000)
    .max(SESSION_HOURS_MAX * 3_600_000)
    .default(24 * 3_600_000)
    .describe('How long a session lasts; its client then initializes again.'),
  callsPerSessionMax: z
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('Requests of one session under way in this process, those that wait for a person included.'),
});

/** Spread into the section `peers` beside where the other routers are. */
export const peerListen = {
  host: z.string().default('127.0.0.1').describe('Interface of the rpc port for other routers.'),
  port: z.int().min(0).max(65_535).default(0).describe('Rpc port for other routers; 0 takes any that is free.'),
  advertisedHost: z
    .string()
    .max(253)
    .optional()
    .describe('Host by which other routers reach this one, such as the address of the pod; default: `host`.'),
};
