/**
 * The digests that bind a flow to its request and its principal. Length-prefixed, so that no two inputs meet.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { lengthPrefixed } from './length-prefixed.js';

export type DigestedPrincipal =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'user';
      readonly issuer: string;
      readonly subject: string;
      readonly clientId?: string | undefined;
      readonly tenant?: string | undefined;
    };

/**
 * SHA-256 in base64url over what must stay the same between rounds (D-45). `canonicalArguments` is JSON text in the
 * form of RFC 8785, because clients may write the same arguments differently in a retry; the caller makes it.
 */
export function argumentsDigest(method: string, target: string, canonicalArguments: string): string {
  return hash('sha256', lengthPrefixed(['arguments', method, target, canonicalArguments]), 'base64url');
}

/**
 * SHA-256 in base64url over who calls, salted with the flow id. No key takes part: the digest is only ever seen inside
 * the seal, which hides it already, and a key of the keyset would make it change in the middle of a flow when keys
 * rotate. The salt keeps digests of two flows from being compared, should claims ever leak. Absent `clientId` or
 * `tenant` differ from empty ones, and anonymous from every user. OAuth tokens may be renewed between rounds.
 */
export function principalDigest(principal: DigestedPrincipal, salt: string): string {
  if (principal.kind === 'anonymous')
    return hash('sha256', lengthPrefixed(['principal', salt, 'anonymous']), 'base64url');
  const { issuer, subject, clientId, tenant } = principal;
  const parts = ['principal', salt, 'user', issuer, subject, ...optional(clientId), ...optional(tenant)];
  return hash('sha256', lengthPrefixed(parts), 'base64url');
}

/** Whether two digests are equal, in a time that does not tell where they differ. */
export function isSameDigest(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function optional(text: string | undefined): readonly string[] {
  return text === undefined ? ['absent'] : ['present', text];
}
