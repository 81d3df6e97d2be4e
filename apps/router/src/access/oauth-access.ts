/**
 * An OAuth 2.1 resource server's question to each request: is there a token, is it good, does whoever sends it hold its
 * key, and has it the scopes that every call needs. Refusals carry the challenge that lets a client go on.
 */
import type { IncomingMessage } from 'node:http';
import {
  parseAuthorization,
  tokenHash,
  type Challenges,
  type Credentials,
  type DpopMode,
  type DpopProofs,
  type TokenVerifier,
  type VerifiedAccess,
} from '@roundhouse/auth';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import type { AccessControl } from './access.js';
import type { FailureGuard } from './failure-guard.js';
import type { ScopeGate } from './scope-gate.js';

export interface OAuthAccessOptions {
  readonly verifier: TokenVerifier;
  readonly proofs: DpopProofs;
  readonly challenges: Challenges;
  readonly gate: ScopeGate;
  readonly guard: Pick<FailureGuard, 'assertRoom' | 'refusal'>;
  readonly dpop: DpopMode;
  readonly requiredScopes: readonly string[];
  /** The address clients use: what a proof has to be made for. */
  readonly url: string;
}

const AUTHORIZATION = 'authorization';

export class OAuthAccess implements AccessControl {
  constructor(private readonly options: OAuthAccessOptions) {}

  grant(request: IncomingMessage): VerifiedAccess | Promise<VerifiedAccess> {
    try {
      const granted = this.check(request);
      return granted instanceof Promise ? granted.catch((thrown) => this.refuse(request, thrown)) : granted;
    } catch (thrown) {
      return this.refuse(request, thrown);
    }
  }

  /** Without a wait, and almost without an allocation, for a bearer token that was verified a moment ago. */
  private check(request: IncomingMessage): VerifiedAccess | Promise<VerifiedAccess> {
    assertNotInQuery(request.url ?? '');
    assertOne(request);
    const credentials = parseAuthorization(request.headers.authorization);
    const isUnderstood = credentials !== undefined && (credentials.scheme === 'bearer' || this.options.dpop !== 'off');
    if (!isUnderstood) throw new RoundhouseError('unauthenticated', { reason: 'token_absent' });
    const verified = this.verify(request, credentials.token);
    if (credentials.scheme === 'dpop') return this.checkBound(request, credentials, verified);
    return verified instanceof Promise
      ? verified.then((access) => this.checkBearer(access))
      : this.checkBearer(verified);
  }

  private verify(request: IncomingMessage, token: string): VerifiedAccess | Promise<VerifiedAccess> {
    const { verifier, guard } = this.options;
    const known = verifier.find(token);
    if (known !== undefined) return known;
    guard.assertRoom(request);
    return verifier.verify(token);
  }

  /** A token that is bound to a key is no bearer token, whoever brings it (RFC 9449 section 7.2). */
  private checkBearer(access: VerifiedAccess): VerifiedAccess {
    if (access.confirmation !== undefined) throw refusedToken('token_bound_elsewhere');
    if (this.options.dpop === 'required') throw refusedToken('token_not_bound');
    return this.checkScopes(access);
  }

  private async checkBound(
    { headers, method: httpMethod = '' }: IncomingMessage,
    { token }: Credentials,
    verified: VerifiedAccess | Promise<VerifiedAccess>,
  ): Promise<VerifiedAccess> {
    const access = await verified;
    if (access.confirmation === undefined) throw refusedToken('token_not_bound');
    const { dpop: proof } = headers;
    // Node joins what is repeated with a comma, which no proof contains.
    if (typeof proof !== 'string') throw new RoundhouseError('proof_invalid', { reason: 'proof_absent' });
    const { jkt } = access.confirmation;
    const { proofs, url } = this.options;
    await proofs.check(proof, { httpMethod, url, tokenHash: tokenHash(token), jkt });
    return this.checkScopes(access);
  }

  private checkScopes(access: VerifiedAccess): VerifiedAccess {
    this.options.gate.assert(access, this.options.requiredScopes);
    return access;
  }

  private refuse(request: IncomingMessage, thrown: unknown): never {
    const error = this.options.guard.refusal(request, RoundhouseError.from(thrown));
    const challenge = this.options.challenges.for(error.code);
    if (challenge === undefined) throw error;
    const { code, reason, facts, cause } = error;
    throw new RoundhouseError(code, { reason, facts, cause, challenge });
  }
}

/** RFC 6750 section 2.3 allows it and says not to: addresses are written into logs on the way. */
function assertNotInQuery(url: string): void {
  const at = url.indexOf('?');
  if (at !== -1 && new URLSearchParams(url.slice(at)).has('access_token')) throw malformed('token_in_query');
}

/** Node keeps the first of several and a proxy may have looked at the last. */
function assertOne({ rawHeaders }: IncomingMessage): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) count += 1;
  }
  if (count > 1) throw malformed('token_repeated');
}

function malformed(reason: Reason): RoundhouseError {
  return new RoundhouseError('authorization_malformed', { reason });
}

function refusedToken(reason: Reason): RoundhouseError {
  return new RoundhouseError('token_invalid', { reason });
}
