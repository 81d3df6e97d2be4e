/**
 * Which scopes stand for others (C-07): `tools:admin` may imply `tools:call:*`. What is implied implies further in turn.
 */
import { nameMatcher, type NameMatcher } from './name-pattern.js';

export interface Implication {
  readonly scope: string;
  /** Scopes, or patterns of scopes, that `scope` includes. */
  readonly includes: readonly string[];
}

export class ScopeHierarchy {
  private readonly matchersOf: ReadonlyMap<string, readonly NameMatcher[]>;

  constructor(implications: readonly Implication[]) {
    const direct = new Map<string, string[]>();
    for (const { scope, includes } of implications) direct.set(scope, [...(direct.get(scope) ?? []), ...includes]);
    this.matchersOf = new Map([...direct.keys()].map((scope) => [scope, closureOf(scope, direct).map(nameMatcher)]));
  }

  /** Whether somebody who holds `scopes` has every one of `needed`. */
  covers(scopes: ReadonlySet<string>, needed: readonly string[]): boolean {
    return needed.every((scope) => scopes.has(scope) || this.isImplied(scopes, scope));
  }

  private isImplied(scopes: ReadonlySet<string>, needed: string): boolean {
    for (const [scope, matchers] of this.matchersOf)
      if (scopes.has(scope) && matchers.some((matches) => matches(needed))) return true;
    return false;
  }
}

/** Every pattern reached from a scope; a circle is walked once. */
function closureOf(scope: string, direct: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Set(direct.get(scope));
  for (const pattern of reached) {
    const matches = nameMatcher(pattern);
    const implied = [...direct].filter(([other]) => matches(other)).flatMap(([, includes]) => includes);
    for (const one of implied) reached.add(one);
  }
  return [...reached];
}
