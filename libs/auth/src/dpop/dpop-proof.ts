/**
 * Checks a DPoP proof (RFC 9449 section 4.3): whoever sends the token holds the key it is bound to, made this proof for
 * this request and this token, just now, and never used it before.
 */
import { EmbeddedJWK, calculateJwkThumbprint, errors, jwtVerify, type JWK, type JWTPayload } from 'jose';
import { hash } from 'node:crypto';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { ALGORITHMS } from '../issuer-settings.js';

/** Difference between the client's clock and ours, either way. */
export const PROOF_SKEW_MS = 60_000;
/** Twice the skew, and once more for routers whose clocks differ: then no router takes the proof any more. */
export const PROOF_REMEMBERED_MS = 3 * PROOF_SKEW_MS;
export const PROOF_BYTES_MAX = 8 * 1024;
const JTI_CHARS_MAX = 256;
const PROOF = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Remembers what was used. Shared by all routers, or a proof could be used once at each. */
export interface ProofStore {
  /** True exactly once for each id within the time. @throws RoundhouseError when that cannot be told */
  spendOnce(id: string, rememberMs: number): Promise<boolean>;
}

export interface ProofContext {
  readonly httpMethod: string;
  /** The address that clients use, without query and fragment. */
  readonly url: string;
  /** `tokenHash` of the token that came with the proof. */
  readonly tokenHash: string;
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt: string;
}

export interface DpopProofsOptions {
  readonly store: ProofStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class DpopProofs {
  constructor(private readonly options: DpopProofsOptions) {}

  /** @throws RoundhouseError `proof_invalid`; what the store throws when it is away: then nobody is let in */
  async check(proof: string, context: ProofContext): Promise<void> {
    if (proof.length > PROOF_BYTES_MAX || !PROOF.test(proof)) throw refusedProof('proof_malformed');
    const { payload, jwk } = await this.verify(proof);
    if ((await calculateJwkThumbprint(jwk, 'sha256')) !== context.jkt) throw refusedProof('proof_other_key');
    if (payload['htm'] !== context.httpMethod || !isSameUrl(payload['htu'], context.url))
      throw refusedProof('proof_other_request');
    if (payload['ath'] !== context.tokenHash) throw refusedProof('proof_other_token');
    this.assertFresh(payload.iat);
    await this.spend(payload.jti, context.jkt);
  }

  private async verify(proof: string): Promise<{ payload: JWTPayload; jwk: JWK }> {
    try {
      const { payload, protectedHeader, key } = await jwtVerify(proof, EmbeddedJWK, {
        algorithms: [...ALGORITHMS],
        typ: 'dpop+jwt',
        currentDate: new Date(this.options.now()),
        clockTolerance: PROOF_SKEW_MS / 1_000,
      });
      if (!('algorithm' in key)) throw refusedProof('proof_malformed');
      return { payload, jwk: protectedHeader.jwk as JWK };
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) throw refusedProof('proof_unauthentic');
      if (error instanceof errors.JOSEError) throw refusedProof('proof_malformed');
      if (error instanceof RoundhouseError) throw error;
      // Keys that cannot be imported fail in many ways, all of them the client's.
      throw refusedProof('proof_malformed');
    }
  }

  private assertFresh(iat: unknown): void {
    const ageMs = typeof iat === 'number' ? this.options.now() - iat * 1_000 : NaN;
    // NaN is neither, and refused.
    if (!(ageMs <= PROOF_SKEW_MS && ageMs >= -PROOF_SKEW_MS)) throw refusedProof('proof_stale');
  }

  /** Last of all: a proof that is good for nothing else must not use anything up. */
  private async spend(jti: unknown, jkt: string): Promise<void> {
    if (typeof jti !== 'string' || jti === '' || jti.length > JTI_CHARS_MAX) throw refusedProof('proof_malformed');
    const id = hash('sha256', `dpop:${jkt}:${jti}`, 'base64url');
    if (!(await this.options.store.spendOnce(id, PROOF_REMEMBERED_MS))) throw refusedProof('proof_replayed');
  }
}

function refusedProof(reason: Reason): RoundhouseError {
  return new RoundhouseError('proof_invalid', { reason });
}

/** RFC 9449 section 4.3: compared without query and fragment, after normalising. */
function isSameUrl(htu: unknown, ours: string): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return false;
  const url = new URL(htu);
  url.search = '';
  url.hash = '';
  return url.href === new URL(ours).href;
}
