/** How a router that was asked to stop goes: the times of HLM-12. */
import { z } from 'zod';
import { DRAIN_TIMEOUT_MS } from '@roundhouse/service-kit';

export const drainSchema = z.strictObject({
  lingerMs: z
    .int()
    .min(0)
    .max(300_000)
    .default(0)
    .describe(
      'How long a router that was asked to stop takes traffic as before, unready, until nobody sends it any. 0 where a preStop hook waits instead.',
    ),
  timeoutMs: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(DRAIN_TIMEOUT_MS)
    .describe('How long calls in flight may take after that before they are cut.'),
  streamsSpreadMs: z
    .int()
    .min(0)
    .max(300_000)
    .default(20_000)
    .describe('Within this time the subscriptions/listen streams end, each at a moment of its own.'),
});
