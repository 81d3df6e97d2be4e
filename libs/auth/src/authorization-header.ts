/** Reads the Authorization header of one request (RFC 9110 section 11.6.2), without looking at the token. */
import { RoundhouseError } from '@roundhouse/errors';

export interface Credentials {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** Undefined when there is none that we understand. @throws RoundhouseError `authorization_malformed` */
export function parseAuthorization(header: string | undefined): Credentials | undefined {
  if (header === undefined) return undefined;
  const end = header.indexOf(' ');
  const word = (end === -1 ? header : header.slice(0, end)).toLowerCase();
  if (word !== 'bearer' && word !== 'dpop') return undefined;
  const token = end === -1 ? '' : header.slice(end + 1).trim();
  if (token === '') throw new RoundhouseError('authorization_malformed', { reason: 'token_malformed' });
  return { scheme: word, token };
}
