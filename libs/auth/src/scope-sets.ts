/**
 * Sets of scopes, each made once: equal sets are the same object, whatever the order in a token. Lists that depend on
 * scopes can then be prepared once a set and found again without comparing members.
 */
/** Sets remembered at once. Principals of a deployment share a handful; beyond this, equal sets may differ as objects. */
export const SCOPE_SETS_MAX = 4_096;

/** RFC 6749 section 3.3. What is no scope grants nothing and is left out. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;

export class ScopeSets {
  private readonly sets = new Map<string, ReadonlySet<string>>();

  /** `value` is what a token says: a list divided by spaces, or an array; anything else is the empty set. */
  of(value: unknown): ReadonlySet<string> {
    const listed = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? (value as unknown[]) : [];
    const scopes = listed.filter((scope) => isScope(scope));
    const sorted = [...new Set(scopes)].sort();
    const key = sorted.join(' ');
    const known = this.sets.get(key);
    if (known !== undefined) return known;
    if (this.sets.size >= SCOPE_SETS_MAX) this.sets.clear();
    const made: ReadonlySet<string> = new Set(sorted);
    this.sets.set(key, made);
    return made;
  }
}

export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}
