/**
 * Whether somebody may call what a route leads to. Asked in every round and before a stored result is given out; what the
 * policy demands for a route is worked out once, the answer never kept.
 */
import type { Policy, PolicyTarget, Terms } from '@roundhouse/auth';
import { RoundhouseError } from '@roundhouse/errors';
import type { Route } from '../catalogue/route.js';
import type { CatalogueSnapshot } from '../catalogue/snapshot.js';
import type { Access } from './access.js';
import type { PolicyKeeper } from './policy-keeper.js';
import type { ScopeGate } from './scope-gate.js';

const KIND_OF = { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'resource' } as const;

export class CallGate {
  /** The policy that the terms are of: another one begins anew. */
  private asked: Policy | undefined;
  private terms = new WeakMap<Route, Terms>();

  constructor(
    private readonly policies: Pick<PolicyKeeper, 'current'>,
    private readonly scopeGate: ScopeGate,
    /** What every call needs: named again in a refusal, because a client asks for exactly what is named. */
    private readonly requiredScopes: readonly string[],
  ) {}

  /** Undefined when everybody may call everything. */
  get policy(): Policy | undefined {
    return this.policies.current;
  }

  /** `params` are the request's own; undefined when only the route matters. @throws RoundhouseError */
  assert(access: Access, route: Route, params: Readonly<Record<string, unknown>> | undefined): void {
    const { policy } = this;
    if (policy === undefined) return;
    const terms = this.termsFor(policy, route, params?.['uri']);
    const verdict = policy.judge(terms, access, params?.['arguments']);
    if (verdict.outcome === 'allowed') return;
    if (verdict.outcome === 'scope_missing')
      throw this.scopeGate.refusal([...new Set([...this.requiredScopes, ...verdict.scopes])]);
    const { reason, rule } = verdict;
    throw new RoundhouseError('not_permitted', { reason, facts: { target: route.publicName, rule } });
  }

  /** For a resource that is followed, which no route may lead to yet. */
  mayRead(access: Access, uri: string, snapshot: CatalogueSnapshot): boolean {
    const { policy } = this;
    if (policy === undefined) return true;
    const route = snapshot.resource(uri);
    const bare: PolicyTarget = { kind: 'resource', name: uri, destructive: false, requiredScopes: [] };
    const terms = route === undefined ? policy.termsOf(bare) : this.termsFor(policy, route, uri);
    return policy.judge(terms, access, undefined).outcome === 'allowed';
  }

  termsOf(policy: Policy, route: Route): Terms {
    if (this.asked !== policy) {
      this.asked = policy;
      this.terms = new WeakMap();
    }
    const known = this.terms.get(route);
    if (known !== undefined) return known;
    const terms = policy.termsOf(toTarget(route, route.publicName));
    this.terms.set(route, terms);
    return terms;
  }

  /** A template leads to many resources; rules may name each. */
  private termsFor(policy: Policy, route: Route, uri: unknown): Terms {
    const isOneOfMany = route.kind === 'resourceTemplates' && typeof uri === 'string';
    return isOneOfMany ? policy.termsOf(toTarget(route, uri)) : this.termsOf(policy, route);
  }
}

function toTarget({ kind, publicName, requiredScopes, destructive }: Route, name: string): PolicyTarget {
  return { kind: KIND_OF[kind], name, aliases: [publicName], destructive, requiredScopes };
}
