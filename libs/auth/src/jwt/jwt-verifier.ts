/**
 * Verifies access tokens that are JWTs (RFC 9068). The issuer a token names decides which keys are tried, and nothing else
 * in it does: a key id, a key, or an address of one in the header is never followed.
 */
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type CryptoKey, type JWTPayload } from 'jose';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import type { Algorithm, IssuerSettings } from '../issuer-settings.js';
import type { KeySet } from '../jwks/key-set.js';
import type { ScopeSets } from '../scope-sets.js';
import type { VerifiedAccess } from '../verified-access.js';
import { TOKEN_SKEW_MS, refusedToken, toVerifiedAccess } from './access-claims.js';

/** Longer ids are no ids. */
const KID_CHARS_MAX = 256;
/** What stands in `typ` of tokens from issuers that do not keep RFC 9068. Everything else is made for another purpose. */
const OTHER_TYPES: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'application/jwt']);
const ACCESS_TYPES: ReadonlySet<string | undefined> = new Set(['at+jwt', 'application/at+jwt']);

export interface JwtIssuer {
  readonly settings: IssuerSettings;
  readonly keys: KeySet;
}

export interface JwtVerifierOptions {
  readonly scopeSets: ScopeSets;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface VerifiedJwt {
  readonly access: VerifiedAccess;
  /** The keys it was verified with, and their version then. */
  readonly keys: KeySet;
  readonly version: number;
}

/** What is read before anything is verified; only good for choosing a key. */
interface Unverified {
  readonly issuer: JwtIssuer;
  readonly algorithm: Algorithm;
  readonly kid: string | undefined;
}

export class JwtVerifier {
  private readonly issuers: ReadonlyMap<string, JwtIssuer>;

  constructor(
    issuers: readonly JwtIssuer[],
    private readonly options: JwtVerifierOptions,
  ) {
    this.issuers = new Map(issuers.map((issuer) => [issuer.settings.issuer, issuer]));
  }

  /** @throws RoundhouseError `token_invalid`, or `authorization_unavailable` when the issuer's keys cannot be had */
  async verify(token: string): Promise<VerifiedJwt> {
    const unverified = this.read(token);
    const { settings, keys } = unverified.issuer;
    const { candidates, version } = await keys.find(unverified);
    const claims = await verifyWithAny(token, candidates, this.joseOptions(unverified));
    const { scopeSets, now } = this.options;
    return { access: toVerifiedAccess(claims, { settings, scopeSets, nowMs: now() }), keys, version };
  }

  private read(token: string): Unverified {
    const { header, iss } = readUnverified(token);
    const issuer = typeof iss === 'string' ? this.issuers.get(iss) : undefined;
    if (issuer === undefined) throw refusedToken('token_unknown_issuer');
    const algorithm = issuer.settings.algorithms.find((allowed) => allowed === header.alg);
    if (algorithm === undefined) throw refusedToken('token_algorithm_refused');
    const { kid, typ } = header;
    const type = typeof typ === 'string' ? typ.toLowerCase() : typ;
    if (!ACCESS_TYPES.has(type) && (issuer.settings.requireAtJwt || !OTHER_TYPES.has(type)))
      throw refusedToken('token_type_refused');
    if (kid !== undefined && (typeof kid !== 'string' || kid.length > KID_CHARS_MAX))
      throw refusedToken('token_malformed');
    return { issuer, algorithm, kid };
  }

  private joseOptions({ issuer: { settings }, algorithm }: Unverified): Parameters<typeof jwtVerify>[2] {
    return {
      algorithms: [algorithm],
      issuer: settings.issuer,
      audience: [...settings.audiences],
      clockTolerance: TOKEN_SKEW_MS / 1_000,
      currentDate: new Date(this.options.now()),
      requiredClaims: ['exp', 'sub'],
    };
  }
}

function readUnverified(token: string): { header: ReturnType<typeof decodeProtectedHeader>; iss: unknown } {
  try {
    return { header: decodeProtectedHeader(token), iss: decodeJwt(token).iss };
  } catch {
    // What jose says of it may quote it.
    throw refusedToken('token_malformed');
  }
}

async function verifyWithAny(
  token: string,
  keys: readonly CryptoKey[],
  options: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload> {
  for (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw toRefusal(error);
    }
  }
  throw refusedToken('token_unauthentic');
}

const CLAIM_REASONS: Readonly<Record<string, Reason>> = {
  aud: 'token_other_audience',
  iss: 'token_unknown_issuer',
  nbf: 'token_from_the_future',
};

/** jose's words stay out: they may hold what the token says. */
function toRefusal(error: unknown): RoundhouseError {
  if (error instanceof errors.JWTExpired) return refusedToken('token_expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return refusedToken(
      error.reason === 'check_failed' || error.claim === 'aud'
        ? (CLAIM_REASONS[error.claim] ?? 'token_claims_refused')
        : 'token_claims_refused',
    );
  if (error instanceof errors.JOSEError) return refusedToken('token_malformed');
  return RoundhouseError.from(error);
}
