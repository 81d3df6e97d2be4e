/**
 * Development: believes a header that says who calls. The configuration refuses to listen anywhere but loopback with it.
 */
import type { IncomingMessage } from 'node:http';
import { ANONYMOUS, type Principal } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import type { Access, AccessControl } from './access.js';

const SUBJECT = /^[\x21-\x7e]{1,256}$/;

export class BelievedAccess implements AccessControl {
  constructor(private readonly principalHeader: string) {}

  grant(request: IncomingMessage): Access {
    return { principal: this.principalOf(request), scopes: undefined, claims: {}, expiresAtMs: Infinity };
  }

  private principalOf({ headers }: IncomingMessage): Principal {
    const value = headers[this.principalHeader];
    if (value === undefined) return ANONYMOUS;
    if (typeof value !== 'string' || !SUBJECT.test(value))
      throw new RoundhouseError('unauthenticated', { reason: 'principal_malformed' });
    return { kind: 'user', issuer: 'development', subject: value };
  }
}
