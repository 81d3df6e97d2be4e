import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Policy, ScopeSets } from '@roundhouse/auth';
import { CallGate } from '../access/call-gate.js';
import { policyConfig } from '../access/policy-config.js';
import { ScopeGate } from '../access/scope-gate.js';
import type { Access } from '../access/access.js';
import type { WorkerGroup } from '../dispatch/worker-group.js';
import { CatalogueSnapshot } from './snapshot.js';
import { VisibleLists } from './visible-lists.js';

const options = { pageSize: 2, ttlMs: 0, meta: '{}' };
const sets = new ScopeSets();
const NAMES = ['a_1', 'a_2', 'a_3', 'b_1', 'b_2'];

const group = {
  id: 'w0',
  prefix: '',
  catalogue: {
    worker: { name: 'w', version: '1' },
    hash: 'h',
    tools: NAMES.map((name) => ({ name, json: JSON.stringify({ name, inputSchema: { type: 'object' } }) })),
    prompts: [],
    resources: [],
    resourceTemplates: [],
  },
} as unknown as WorkerGroup;
const snapshotOf = (): CatalogueSnapshot => new CatalogueSnapshot([group], options);

const policyOf = (text: string): Policy => new Policy(policyConfig.parse(text));
const PER_PREFIX = `
policy:
  rules:
    - { name: a, tools: [a_*], scopes: [a] }
    - { name: b, tools: [b_*], scopes: [b] }
    - { name: one, tools: [b_1], scopes: [one] }
`;

const access = (scope: string, subject = 'alice'): Access => ({
  principal: { kind: 'user', issuer: 'https://login.example', subject },
  scopes: sets.of(scope),
  claims: {},
  expiresAtMs: Infinity,
});
function listsBy(policies: { current: Policy | undefined }): VisibleLists {
  return new VisibleLists(new CallGate(policies, new ScopeGate(undefined), []), options);
}

interface Page {
  readonly tools: { readonly name: string }[];
  readonly nextCursor?: string;
}

Logger.overrideLogger(false);

describe('visible lists', () => {
  it('are five for a thousand principals in five sets of scopes', () => {
    const snapshot = snapshotOf();
    const lists = listsBy({ current: policyOf(PER_PREFIX) });
    const scopes = ['x', 'a', 'b', 'b one', 'a b'];
    const made = new Set(
      Array.from({ length: 1_000 }, (_, at) =>
        lists.pages('tools', snapshot, access(scopes[at % 5] as string, `user-${at}`)),
      ),
    );
    expect(made.size).toBe(5);
  });

  it('are the list of the snapshot for whoever may call everything', () => {
    const snapshot = snapshotOf();
    const lists = listsBy({ current: policyOf(PER_PREFIX) });
    expect(lists.pages('tools', snapshot, access('a b one'))).toBe(snapshot.pages.tools);
    expect(listsBy({ current: undefined }).pages('tools', snapshot, access(''))).toBe(snapshot.pages.tools);
  });

  it('are walked through page by page, each entry once and in order', () => {
    const pages = listsBy({ current: policyOf(PER_PREFIX) }).pages('tools', snapshotOf(), access('a b'));
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = JSON.parse(pages.page(cursor).toString()) as Page;
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(['a_1', 'a_2', 'a_3', 'b_2']);
  });

  it('refuse the cursor of a list that others see', () => {
    const lists = listsBy({ current: policyOf(PER_PREFIX) });
    const snapshot = snapshotOf();
    const first = lists.pages('tools', snapshot, access('a b')).page(undefined);
    const { nextCursor } = JSON.parse(first.toString()) as Page;
    expect(() => lists.pages('tools', snapshot, access('a')).page(nextCursor)).toThrow('Invalid cursor');
  });

  it('are made anew when the catalogue or the policy changes, not before', () => {
    const policies = { current: policyOf(PER_PREFIX) };
    const lists = listsBy(policies);
    const snapshot = snapshotOf();
    const first = lists.pages('tools', snapshot, access('a'));
    expect(lists.pages('tools', snapshot, access('a', 'bob'))).toBe(first);
    expect(lists.pages('tools', snapshotOf(), access('a'))).not.toBe(first);
    policies.current = policyOf(PER_PREFIX.replace('[a]', '[c]'));
    expect(lists.pages('tools', snapshot, access('a')).page(undefined).toString()).toContain('"tools":[]');
  });
});
