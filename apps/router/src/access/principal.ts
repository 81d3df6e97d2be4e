/**
 * Who calls. Until OAuth lands there are two modes: `development` believes a header (and the configuration then refuses
 * to listen anywhere but loopback), `closed` refuses everybody.
 */
import type { IncomingMessage } from 'node:http';
import { ANONYMOUS, type Principal } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';

export interface AccessOptions {
  readonly mode: 'closed' | 'development';
  readonly principalHeader: string;
}

const SUBJECT = /^[\x21-\x7e]{1,256}$/;

export function principalOf(request: IncomingMessage, options: AccessOptions): Principal {
  if (options.mode !== 'development') throw new RoundhouseError('unauthenticated', { reason: 'principal_absent' });
  const value = request.headers[options.principalHeader];
  if (value === undefined) return ANONYMOUS;
  if (typeof value !== 'string' || !SUBJECT.test(value))
    throw new RoundhouseError('unauthenticated', { reason: 'principal_malformed' });
  return { kind: 'user', issuer: 'development', subject: value };
}
