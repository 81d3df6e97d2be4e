/**
 * What a verified access token says, in the form in which everything behind the check may rely on it. The token itself is
 * not part of it: it stays where it was checked.
 */
import type { Principal } from '@roundhouse/contracts';

/** Somebody: an access token is never anonymous. */
export type VerifiedPrincipal = Extract<Principal, { kind: 'user' }>;

/** RFC 7800: the key that whoever presents the token has to prove. */
export interface Confirmation {
  /** RFC 7638 thumbprint of the key, SHA-256 in base64url (RFC 9449 section 6). */
  readonly jkt: string;
}

export interface VerifiedAccess {
  readonly principal: VerifiedPrincipal;
  /** Equal sets are one object (see `ScopeSets`), so that a set can be the key of what was prepared for it. */
  readonly scopes: ReadonlySet<string>;
  /** Only the claims that the issuer's settings name, as far as the token has them. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the token ends, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
  /** Undefined for a bearer token. */
  readonly confirmation: Confirmation | undefined;
}
