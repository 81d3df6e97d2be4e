/** What an operator can change while the router runs: the policy file. */
import { z } from 'zod';
import { policyRulesSchema } from '@roundhouse/auth';
import { defineConfig } from '@roundhouse/config';
import { limitsSchema, openFlowsSchema } from '../limits/limit-settings.js';

const schema = z.strictObject({
  ...policyRulesSchema,
  limits: limitsSchema,
  openFlowsPerPrincipalMax: openFlowsSchema,
});

export type PolicyFile = z.infer<typeof schema>;

/** Without environment variables: it is followed, and those of a process never change. */
export const policyConfig = defineConfig<PolicyFile>({ name: 'policy', schema, env: {} });
