/** One text for one principal, for counting in this process: never shown, logged or sent. */
import type { Principal } from '@roundhouse/contracts';

/** A principal is one object for as long as its token is remembered. */
const known = new WeakMap<Principal, string>();

/** Without the client: somebody with two programs is still one. All who are anonymous are one. */
export function principalName(principal: Principal): string {
  if (principal.kind === 'anonymous') return '';
  const name = known.get(principal);
  if (name !== undefined) return name;
  const { issuer, subject, tenant = '' } = principal;
  const made = JSON.stringify([issuer, tenant, subject]);
  known.set(principal, made);
  return made;
}
