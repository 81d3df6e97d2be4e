/**
 * From the claims of a token, however they were obtained, to a verified access: the rules that a JWT and an introspection
 * answer share (RFC 9068, RFC 7662). Signature, issuer and audience were checked before.
 */
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import type { IssuerSettings } from '../issuer-settings.js';
import type { ScopeSets } from '../scope-sets.js';
import type { Confirmation, VerifiedAccess } from '../verified-access.js';

/** Difference between the issuer's clock and ours, either way. */
export const TOKEN_SKEW_MS = 60_000;
/** A token that lasts longer was not meant to end. */
export const TOKEN_LIFE_MAX_MS = 366 * 86_400_000;
/** What the contracts allow a subject and a client id. */
const NAME_CHARS_MAX = 512;
const TENANT_CHARS_MAX = 256;
/** JSON of one claim that is kept for policy. */
const CLAIM_CHARS_MAX = 2_048;
/** SHA-256 in base64url. */
const THUMBPRINT = /^[\w-]{43}$/;
// eslint-disable-next-line no-control-regex -- these are what a name must not have
const CONTROL = /[\u0000-\u001f\u007f]/;

export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimRules {
  readonly settings: IssuerSettings;
  readonly scopeSets: ScopeSets;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** @throws RoundhouseError `token_invalid` */
export function toVerifiedAccess(claims: Claims, { settings, scopeSets, nowMs }: ClaimRules): VerifiedAccess {
  const expiresAtMs = checkTimes(claims, nowMs);
  const tenant = settings.tenantClaim === undefined ? undefined : nameOf(claims, settings.tenantClaim);
  if (tenant !== undefined && tenant.length > TENANT_CHARS_MAX) throw refusedToken('token_claims_refused');
  return {
    principal: {
      kind: 'user',
      issuer: settings.issuer,
      subject: nameOf(claims, 'sub'),
      clientId: nameOf(claims, settings.clientIdClaim),
      ...(tenant === undefined ? {} : { tenant }),
    },
    scopes: scopeSets.of(claims[settings.scopeClaim]),
    claims: keptClaims(claims, settings.claims),
    expiresAtMs,
    confirmation: confirmationOf(claims['cnf']),
  };
}

export function refusedToken(reason: Reason, cause?: unknown): RoundhouseError {
  return new RoundhouseError('token_invalid', { reason, cause });
}

/** The end of the token. Every comparison is written so that NaN refuses. */
function checkTimes(claims: Claims, nowMs: number): number {
  const expiresAtMs = timeOf(claims['exp']);
  if (expiresAtMs === undefined || !(expiresAtMs <= nowMs + TOKEN_LIFE_MAX_MS))
    throw refusedToken('token_claims_refused');
  if (!(nowMs < expiresAtMs + TOKEN_SKEW_MS)) throw refusedToken('token_expired');
  for (const name of ['nbf', 'iat']) {
    if (claims[name] === undefined) continue;
    const atMs = timeOf(claims[name]);
    if (atMs === undefined) throw refusedToken('token_claims_refused');
    if (!(atMs <= nowMs + TOKEN_SKEW_MS)) throw refusedToken('token_from_the_future');
  }
  return expiresAtMs;
}

function timeOf(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

function nameOf(claims: Claims, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (typeof value !== 'string' || value === '' || value.length > NAME_CHARS_MAX || CONTROL.test(value))
    throw refusedToken('token_claims_refused');
  return value;
}

/** Half a claim could turn a rule into its opposite, so one that is too large refuses the token. */
function keptClaims(claims: Claims, names: readonly string[]): Claims {
  const kept = names.filter((name) => Object.hasOwn(claims, name)).map((name) => [name, claims[name]] as const);
  if (kept.some(([, value]) => JSON.stringify(value).length > CLAIM_CHARS_MAX))
    throw refusedToken('token_claims_refused');
  return Object.fromEntries(kept);
}

/** A binding that we cannot check, a client certificate for one, must not make the token a bearer token. */
function confirmationOf(value: unknown): Confirmation | undefined {
  if (value === undefined) return undefined;
  const { jkt, ...others } = (typeof value === 'object' ? (value ?? {}) : {}) as Record<string, unknown>;
  if (typeof jkt !== 'string' || !THUMBPRINT.test(jkt) || Object.keys(others).length > 0)
    throw refusedToken('token_bound_elsewhere');
  return { jkt };
}
