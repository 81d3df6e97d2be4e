import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { policyRulesSchema } from './policy-settings.js';
import { Policy, type PolicyTarget, type Verdict } from './policy.js';
import type { Caller } from './rule-input.js';

const schema = z.strictObject(policyRulesSchema);
const policyOf = (settings: z.input<typeof schema>): Policy => new Policy(schema.parse(settings));

const tool = (name: string, more: Partial<PolicyTarget> = {}): PolicyTarget => ({
  kind: 'tool',
  name,
  destructive: false,
  requiredScopes: [],
  ...more,
});
const caller = (scopes: string | undefined, tenant = 'acme'): Caller => ({
  principal: { kind: 'user', issuer: 'https://login.example', subject: 'alice', tenant },
  scopes: scopes === undefined ? undefined : new Set(scopes.split(' ')),
  claims: {},
});
const judge = (policy: Policy, target: PolicyTarget, who: Caller, args?: unknown): Verdict =>
  policy.judge(policy.termsOf(target), who, args);

const notes = policyOf({
  implies: [{ scope: 'tools:admin', includes: ['notes:*'] }],
  rules: [
    { name: 'notes', tools: ['notes_*'], scopes: ['notes:read'] },
    { name: 'deleting', tools: ['notes_delete'], scopes: ['notes:write'], grantsDestructive: true },
    { name: 'small', tools: ['notes_pay'], when: 'args.amount <= 100' },
    { name: 'acme', prompts: ['*'], when: 'principal.tenant == "acme"' },
    { name: 'secret', resources: ['docs://secret/*'], scopes: ['docs:secret'] },
  ],
});
const deleting = tool('notes_delete', { destructive: true, requiredScopes: ['worker:delete'] });

describe('a policy allows', () => {
  it.each<[string, PolicyTarget, Caller, unknown]>([
    ['what nothing is demanded for', tool('echo'), caller('x'), {}],
    ['whoever has the scopes of the rule', tool('notes_list'), caller('notes:read'), {}],
    ['whoever has the scopes of rule and worker', deleting, caller('notes:read notes:write worker:delete'), {}],
    ['a scope that implies', deleting, caller('tools:admin worker:delete'), {}],
    ['arguments that meet the condition', tool('notes_pay'), caller('notes:read'), { amount: 100 }],
    ['whoever is not asked for scopes', tool('notes_list'), caller(undefined), {}],
    ['a resource no rule is about', { ...tool('docs://open'), kind: 'resource' }, caller('x'), {}],
  ])('%s', (_what, target, who, args) => {
    expect(judge(notes, target, who, args)).toEqual({ outcome: 'allowed' });
  });
});

describe('a policy refuses', () => {
  it('without a scope, and names all of this operation', () => {
    expect(judge(notes, deleting, caller('notes:read'))).toEqual({
      outcome: 'scope_missing',
      scopes: ['worker:delete', 'notes:read', 'notes:write'],
    });
  });

  it.each([
    ['no scope', 'x'],
    ['the scopes of the rules only', 'notes:read notes:write'],
    ['the scope of the worker only', 'worker:delete'],
    ['a scope that looks alike', 'notes:read notes:write worker:deletes'],
    ['what is implied, but not the scope of the worker', 'tools:admin'],
  ])('whoever has %s', (_what, scopes) => {
    expect(judge(notes, deleting, caller(scopes)).outcome).toBe('scope_missing');
  });

  it.each([undefined, {}, { amount: 101 }, { amount: '1' }, { amount: null }, { Amount: 1 }, { amount: [] }])(
    'arguments that do not meet the condition: %j',
    (args) => {
      expect(judge(notes, tool('notes_pay'), caller('notes:read'), args)).toMatchObject({
        outcome: 'refused',
        rule: 'small',
      });
    },
  );

  it('more arguments than a condition may look at', () => {
    const args = { amount: 1, filler: 'x'.repeat(40_000) };
    expect(judge(notes, tool('notes_pay'), caller('notes:read'), args)).toMatchObject({
      outcome: 'refused',
      reason: 'policy_condition_failed',
    });
  });

  it('another tenant', () => {
    const prompt = { ...tool('brief'), kind: 'prompt' } as const;
    expect(judge(notes, prompt, caller('x', 'evil'))).toMatchObject({ reason: 'policy_condition', rule: 'acme' });
  });

  it('a tool that destroys and that no rule grants, whatever the scopes', () => {
    for (const scopes of ['tools:admin notes:read', undefined])
      expect(judge(notes, tool('wipe', { destructive: true }), caller(scopes))).toEqual({
        outcome: 'refused',
        reason: 'policy_destructive',
        rule: undefined,
      });
  });

  it('a tool that destroys and whose rule does not say so', () => {
    const target = tool('notes_purge', { destructive: true });
    expect(judge(notes, target, caller('notes:read'))).toMatchObject({ reason: 'policy_destructive' });
  });

  it('what no rule is about, where that is not allowed', () => {
    const strict = policyOf({ unmatched: 'deny', rules: [{ name: 'one', tools: ['echo'] }] });
    expect(judge(strict, tool('echo'), caller('x')).outcome).toBe('allowed');
    expect(judge(strict, tool('echo2'), caller('x'))).toMatchObject({ reason: 'policy_no_rule' });
    expect(judge(strict, { ...tool('echo'), kind: 'prompt' }, caller('x'))).toMatchObject({ reason: 'policy_no_rule' });
  });

  it('a resource that its template names and its own URI does not', () => {
    const target: PolicyTarget = { ...tool('docs://x/1'), kind: 'resource', aliases: ['docs://secret/{id}'] };
    expect(judge(notes, target, caller('x'))).toEqual({ outcome: 'scope_missing', scopes: ['docs:secret'] });
  });

  it('by every rule that is about it, in whatever order they stand', () => {
    const two = [
      { name: 'a', tools: ['t'], when: 'true' },
      { name: 'b', tools: ['t*'], when: 'false' },
    ];
    for (const rules of [two, [...two].reverse()])
      expect(judge(policyOf({ rules }), tool('t'), caller('x'))).toMatchObject({ rule: 'b' });
  });
});

describe('settings of a policy that are refused', () => {
  it.each<[string, unknown]>([
    ['a rule about nothing', { rules: [{ name: 'a' }] }],
    [
      'a name twice',
      {
        rules: [
          { name: 'a', tools: ['x'] },
          { name: 'a', tools: ['y'] },
        ],
      },
    ],
    ['no name', { rules: [{ tools: ['x'] }] }],
    ['a name with a line break', { rules: [{ name: 'a\nb', tools: ['x'] }] }],
    ['a scope with a space', { rules: [{ name: 'a', tools: ['x'], scopes: ['a b'] }] }],
    ['a pattern with a space', { rules: [{ name: 'a', tools: ['x y'] }] }],
    ['a condition that is none', { rules: [{ name: 'a', tools: ['x'], when: '1' }] }],
    ['an unknown key', { rules: [{ name: 'a', tools: ['x'], scope: ['a'] }] }],
    [
      'more patterns than can be held against a catalogue',
      {
        rules: Array.from({ length: 17 }, (_, at) => ({
          name: `r${at}`,
          tools: Array.from({ length: 256 }, () => 'x'),
        })),
      },
    ],
    ['an implication of nothing', { implies: [{ scope: 'a', includes: [] }] }],
  ])('%s', (_what, settings) => {
    expect(schema.safeParse(settings).success).toBe(false);
  });
});
