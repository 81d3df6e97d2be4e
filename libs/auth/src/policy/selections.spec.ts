import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ScopeSets } from '../scope-sets.js';
import { policyRulesSchema } from './policy-settings.js';
import { Policy } from './policy.js';
import type { Caller } from './rule-input.js';
import { SELECTIONS_MAX, Selections } from './selections.js';

const schema = z.strictObject(policyRulesSchema);
const sets = new ScopeSets();
const NAMES = ['echo', 'notes_list', 'notes_delete', 'acme_only', 'small'];

const policy = new Policy(
  schema.parse({
    rules: [
      { name: 'read', tools: ['notes_*'], scopes: ['notes:read'] },
      { name: 'delete', tools: ['notes_delete'], scopes: ['notes:write'], grantsDestructive: true },
      { name: 'acme', tools: ['acme_*'], when: 'principal.tenant == "acme"' },
      { name: 'small', tools: ['small'], when: 'args.amount < 10' },
    ],
  }),
);
const listed = (names: readonly string[], by = policy): Selections =>
  new Selections(
    by,
    names.map((name) => by.termsOf({ kind: 'tool', name, destructive: name === 'notes_delete', requiredScopes: [] })),
  );
const caller = (scopes: string, { subject = 'alice', tenant = 'acme' } = {}): Caller => ({
  principal: { kind: 'user', issuer: 'https://login.example', subject, tenant },
  scopes: sets.of(scopes),
  claims: {},
});
const shown = (who: Caller): (string | undefined)[] =>
  listed(NAMES)
    .of(who)
    .map((at) => NAMES[at]);

describe('a selection', () => {
  it('shows what the scopes allow, in the order of the list', () => {
    expect(shown(caller('notes:write notes:read'))).toEqual(NAMES);
  });

  it('leaves out what lacks a scope', () => {
    expect(shown(caller('notes:read'))).toEqual(['echo', 'notes_list', 'acme_only', 'small']);
    expect(shown(caller('notes:write'))).toEqual(['echo', 'acme_only', 'small']);
  });

  it('leaves out what a condition on the caller refuses', () => {
    expect(shown(caller('x', { tenant: 'evil' }))).toEqual(['echo', 'small']);
  });

  it('shows what only arguments can decide', () => {
    expect(shown(caller('x'))).toContain('small');
  });

  it('leaves out what a condition cannot tell of', () => {
    const unsure = new Policy(
      schema.parse({ rules: [{ name: 'a', tools: ['*'], when: 'principal.claims.absent == 1' }] }),
    );
    expect(listed(['echo'], unsure).of(caller('x'))).toEqual([]);
  });

  it('leaves out what destroys and nobody granted', () => {
    const none = new Policy(schema.parse({}));
    expect(listed(NAMES, none).of(caller('notes:read notes:write'))).toEqual([0, 1, 3, 4]);
  });

  it('asks a condition on the target for each', () => {
    const byName = new Policy(
      schema.parse({ rules: [{ name: 'a', tools: ['*'], when: 'target.name.startsWith("notes_l")' }] }),
    );
    expect(listed(NAMES.slice(0, 2), byName).of(caller('x'))).toEqual([1]);
  });
});

describe('selections', () => {
  it('are five for a thousand callers in five sets of scopes', () => {
    const selections = listed(NAMES);
    const scopes = ['a', 'notes:read', 'notes:write', 'notes:read notes:write', 'b'];
    const made = new Set(
      Array.from({ length: 1_000 }, (_, at) =>
        selections.of(caller(scopes[at % 5] as string, { subject: `user-${at}` })),
      ),
    );
    expect(made.size).toBe(5);
  });

  it('are never shared by callers of whom a condition says different things', () => {
    const selections = listed(NAMES);
    expect(selections.of(caller('a'))).not.toEqual(selections.of(caller('a', { tenant: 'evil' })));
    expect(selections.of(caller('a'))).toContain(3);
  });

  it('are remembered up to a limit, those in use the longest', () => {
    const selections = listed(NAMES);
    const first = selections.of(caller('s0'));
    for (let at = 1; at < SELECTIONS_MAX; at += 1) selections.of(caller(`s${at}`));
    expect(selections.of(caller('s0'))).toBe(first);
    const second = selections.of(caller('s2'));
    selections.of(caller('one more'));
    expect(selections.of(caller('s0'))).toBe(first);
    for (let at = 0; at < SELECTIONS_MAX; at += 1) selections.of(caller(`other${at}`));
    expect(selections.of(caller('s2'))).not.toBe(second);
  });
});
