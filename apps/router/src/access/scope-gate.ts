/** Whether an access has the scopes that something needs, and the refusal that tells a client which to ask for. */
import type { Challenges } from '@roundhouse/auth';
import { RoundhouseError } from '@roundhouse/errors';
import type { Access } from './access.js';

export class ScopeGate {
  /** Without challenges nothing is refused: there are no tokens, and so no scopes. */
  constructor(private readonly challenges: Challenges | undefined) {}

  /** `needed` is everything this operation needs: the refusal names all of it at once (OAU-3). */
  assert({ scopes }: Access, needed: readonly string[]): void {
    if (scopes === undefined) return;
    for (const scope of needed) if (!scopes.has(scope)) throw this.refusal(needed);
  }

  refusal(needed: readonly string[]): RoundhouseError {
    const challenge = this.challenges?.insufficientScope(needed);
    return new RoundhouseError('scope_insufficient', { reason: 'scope_missing', challenge });
  }
}
