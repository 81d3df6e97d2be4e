/**
 * What a request may be served as, and who decides it. Decided for every request anew, before its body is read: nothing of
 * an earlier round, stream or connection counts (C-10).
 */
import type { IncomingMessage } from 'node:http';
import type { Principal } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';

export interface Access {
  readonly principal: Principal;
  /** Undefined in development, where nobody vouches for anything and nothing is withheld. Equal sets are one object. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Claims that the configuration names, for policy. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** When it ends, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

export interface AccessControl {
  /** At once where that is possible. @throws RoundhouseError, by throwing or by rejecting */
  grant(request: IncomingMessage): Access | Promise<Access>;
}

/** Refuses everybody. */
export class ClosedAccess implements AccessControl {
  grant(): never {
    throw new RoundhouseError('unauthenticated', { reason: 'principal_absent' });
  }
}
