/**
 * From an access token to a verified access: the one entry for tokens of every issuer and kind. A token seen within the
 * last minute is found as it is (its SHA-256 would take 2 µs of the 50 of a call); one under verification is verified once, however many calls bring it.
 */
import { hash } from 'node:crypto';
import { RoundhouseError } from '@roundhouse/errors';
import type { Introspector } from './introspection/introspector.js';
import type { JwtVerifier } from './jwt/jwt-verifier.js';
import { refusedToken } from './jwt/access-claims.js';
import { TokenCache, UNCHANGING } from './token-cache.js';
import type { VerifiedAccess } from './verified-access.js';

/** Longest token in bytes; a header line of Node's is at most 16 KiB. */
export const TOKEN_BYTES_MAX = 8 * 1024;
/** How long a verified JWT is good without another look; shorter when it ends sooner. */
export const JWT_CACHED_MS = 60_000;
/** The same for an introspected token, which can be revoked meanwhile. */
export const INTROSPECTION_CACHED_MS = 30_000;
/** How long a token that was refused by introspection stays refused without another question. */
export const REFUSAL_CACHED_MS = 5_000;

/** RFC 6750 section 2.1. */
const TOKEN = /^[\w.~+/-]+=*$/;
/** Three parts of which none but the signature may be empty; whether it is a JWT, the verifier finds out. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export interface TokenVerifierOptions {
  readonly jwts: JwtVerifier;
  /** Undefined: no issuer can be asked, and a token that is no JWT is refused. */
  readonly introspector: Introspector | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class TokenVerifier {
  private readonly cache = new TokenCache<VerifiedAccess>();
  private readonly refusals = new TokenCache<RoundhouseError>();
  private readonly underWay = new Map<string, Promise<VerifiedAccess>>();

  constructor(private readonly options: TokenVerifierOptions) {}

  /** Undefined for a token that was not verified before, or too long ago. */
  find(token: string): VerifiedAccess | undefined {
    return this.cache.find(token, this.options.now());
  }

  /**
   * At once for a token that was verified before.
   * @throws RoundhouseError `token_invalid`, `authorization_malformed`, `authorization_unavailable`, `overloaded`; by
   * throwing or by rejecting
   */
  verify(token: string): VerifiedAccess | Promise<VerifiedAccess> {
    if (token.length > TOKEN_BYTES_MAX) throw refusedToken('token_too_large');
    const known = this.find(token);
    if (known !== undefined) return known;
    const id = tokenHash(token);
    return this.underWay.get(id) ?? this.begin(id, token);
  }

  private begin(id: string, token: string): Promise<VerifiedAccess> {
    if (!TOKEN.test(token)) throw new RoundhouseError('authorization_malformed', { reason: 'token_malformed' });
    const work = (JWT.test(token) ? this.verifyJwt(token) : this.introspect(id, token)).finally(() =>
      this.underWay.delete(id),
    );
    this.underWay.set(id, work);
    return work;
  }

  private async verifyJwt(token: string): Promise<VerifiedAccess> {
    const { access, keys, version } = await this.options.jwts.verify(token);
    const nowMs = this.options.now();
    const untilMs = Math.min(access.expiresAtMs, nowMs + JWT_CACHED_MS);
    this.cache.keep(token, { value: access, fromMs: nowMs, untilMs, source: keys, version });
    return access;
  }

  private async introspect(id: string, token: string): Promise<VerifiedAccess> {
    const { introspector, now } = this.options;
    if (introspector === undefined) throw refusedToken('token_malformed');
    const refusal = this.refusals.find(id, now());
    if (refusal !== undefined) throw refusal;
    try {
      const access = await introspector.verify(token);
      const untilMs = Math.min(access.expiresAtMs, now() + INTROSPECTION_CACHED_MS);
      this.cache.keep(token, {
        value: access,
        fromMs: now(),
        untilMs,
        source: UNCHANGING,
        version: UNCHANGING.version,
      });
      return access;
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      const untilMs = now() + REFUSAL_CACHED_MS;
      if (error.code === 'token_invalid')
        this.refusals.keep(id, {
          value: error,
          fromMs: now(),
          untilMs,
          source: UNCHANGING,
          version: UNCHANGING.version,
        });
      throw error;
    }
  }
}

/** SHA-256 in base64url: what a token is known by that is not believed yet, and what a DPoP proof says of it (`ath`). */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
