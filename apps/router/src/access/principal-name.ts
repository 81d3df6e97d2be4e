/** One text for one principal, for counting in this process: never shown, logged or sent. */
import type { Principal } from '@roundhouse/contracts';

/** Without the client: somebody with two programs is still one. All who are anonymous are one. */
export function principalName(principal: Principal): string {
  if (principal.kind === 'anonymous') return '';
  const { issuer, subject, tenant = '' } = principal;
  return JSON.stringify([issuer, tenant, subject]);
}
