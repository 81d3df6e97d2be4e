/** The policy file as operators write it. Conditions are compiled while it is read, so that a bad one is named by its line. */
import { z } from 'zod';
import { isScope } from '../scope-sets.js';
import { isNamePattern } from './name-pattern.js';
import { EXPRESSION_CHARS_MAX, RuleExpression } from './rule-expression.js';

export const RULES_MAX = 1_000;
const PATTERNS_MAX = 256;
/** Of all rules together: each tool of the catalogue is held against each, once a policy. */
const RULE_PATTERNS_MAX = 4_096;

const scope = z.string().refine(isScope, 'must be one scope');
const pattern = z.string().refine(isNamePattern, 'must be a name, with * for any run of characters');
const patterns = (what: string) =>
  z.array(pattern).max(PATTERNS_MAX).default([]).describe(`${what} this is about; * stands for any run of characters.`);

const rule = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _ . or -')
      .describe('How logs and audit call it.'),
    tools: patterns('Public names of the tools'),
    prompts: patterns('Public names of the prompts'),
    resources: patterns('URIs of the resources'),
    scopes: z.array(scope).max(64).default([]).describe('All of these are needed, besides what the worker demands.'),
    when: z
      .string()
      .max(EXPRESSION_CHARS_MAX)
      .superRefine((text, context) => {
        const compiled = RuleExpression.compile(text);
        if (typeof compiled === 'string') context.addIssue({ code: 'custom', message: compiled });
      })
      .optional()
      .describe('A condition in CEL over principal, target and args that has to hold.'),
    grantsDestructive: z
      .boolean()
      .default(false)
      .describe('Lets the tools named be called although they say of themselves that they destroy.'),
  })
  .refine(
    ({ tools, prompts, resources }) => tools.length + prompts.length + resources.length > 0,
    'names no tools, prompts or resources',
  );

export const policyRulesSchema = {
  implies: z
    .array(
      z.strictObject({
        scope: scope.describe('The scope that stands for others.'),
        includes: z.array(pattern).min(1).max(PATTERNS_MAX).describe('Scopes it stands for; * as in names.'),
      }),
    )
    .max(256)
    .default([])
    .describe('Hierarchy of scopes.'),
  unmatched: z
    .enum(['allow', 'deny'])
    .default('allow')
    .describe('What becomes of something that no rule is about: the scopes of its worker suffice, or nobody may.'),
  rules: z
    .array(rule)
    .max(RULES_MAX)
    .default([])
    .refine((rules) => patternsIn(rules) <= RULE_PATTERNS_MAX, `may name at most ${RULE_PATTERNS_MAX} patterns in all`)
    .refine((rules) => new Set(rules.map(({ name }) => name)).size === rules.length, 'names must differ')
    .describe('Every rule that is about something has to be met, in whatever order they stand.'),
};

function patternsIn(rules: readonly z.infer<typeof rule>[]): number {
  return rules.reduce(
    (sum, { tools, prompts, resources }) => sum + tools.length + prompts.length + resources.length,
    0,
  );
}

export type PolicySettings = z.infer<z.ZodObject<typeof policyRulesSchema>>;
export type RuleSettings = PolicySettings['rules'][number];
