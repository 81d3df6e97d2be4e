/** How many calls an operator lets through: the `limits` of the policy file. */
import { z } from 'zod';
import { BUDGET_PER_SECOND_MAX } from '@roundhouse/contracts';
import { isNamePattern } from '@roundhouse/auth';

const LIMITS_MAX = 64;

const limit = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _ . or -')
      .describe('How logs and audit call it. What was used is counted under this name.'),
    tools: z
      .array(z.string().refine(isNamePattern, 'must be a name, with * for any run of characters'))
      .min(1)
      .max(256)
      .optional()
      .describe('Public names of the tools that count; without it the rate is of all requests, whatever they ask.'),
    by: z
      .enum(['principal', 'tool', 'principalAndTool'])
      .default('principal')
      .describe(
        'Who has a limit of their own: each caller, each tool for all callers together, or each caller of each tool.',
      ),
    perSecond: z
      .number()
      .min(0.001)
      .max(BUDGET_PER_SECOND_MAX)
      .optional()
      .describe('Requests a second in the long run, by all routers together.'),
    burst: z
      .int()
      .min(1)
      .max(BUDGET_PER_SECOND_MAX)
      .optional()
      .describe('Requests at once after a pause; by default two seconds of the rate.'),
    concurrent: z.int().min(1).max(100_000).optional().describe('Calls under way at once, on all routers together.'),
  })
  .refine(
    ({ perSecond, concurrent }) => (perSecond ?? concurrent) !== undefined,
    'limits neither perSecond nor concurrent',
  )
  .refine(({ by, tools }) => by === 'principal' || tools !== undefined, {
    path: ['tools'],
    message: 'is needed where tools have limits of their own',
  })
  .refine(({ burst, perSecond }) => burst === undefined || perSecond !== undefined, {
    path: ['burst'],
    message: 'is nothing without perSecond',
  });

export const limitsSchema = z
  .array(limit)
  .max(LIMITS_MAX)
  .default([])
  .refine((limits) => new Set(limits.map(({ name }) => name)).size === limits.length, 'names must differ')
  .describe('Each that is about a request has to leave room for it.');

export const openFlowsSchema = z
  .int()
  .min(1)
  .max(100_000)
  .default(100)
  .describe('Flows that one principal may have waiting for an answer, on all routers together.');

export type LimitSettings = z.infer<typeof limitsSchema>[number];
