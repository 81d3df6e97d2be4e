/**
 * From a JWK Set to keys that can verify (RFC 7517). One bad key does not spoil the others: it is passed over. Only public
 * members are read, so a set that publishes a private key by mistake verifies nothing with it beyond its public half.
 */
import { createHash } from 'node:crypto';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { Algorithm } from '../issuer-settings.js';
import type { JsonDocument } from '../http/json-document.js';

/** Keys of one issuer; no server has as many, and each costs an import. */
export const KEYS_MAX = 100;
/** RFC 7518 section 3.3. */
const RSA_BITS_MIN = 2_048;

export interface VerificationKey {
  readonly kid: string | undefined;
  readonly byAlgorithm: ReadonlyMap<Algorithm, CryptoKey>;
}

export interface VerificationKeys {
  readonly keys: readonly VerificationKey[];
  /** Differs when the keys differ. */
  readonly fingerprint: string;
}

/** Undefined when the document is no JWK Set, or one beyond the limit. A set without usable keys is an empty one. */
export async function importKeys(
  document: JsonDocument,
  algorithms: readonly Algorithm[],
): Promise<VerificationKeys | undefined> {
  const listed = document['keys'];
  if (!Array.isArray(listed) || listed.length > KEYS_MAX) return undefined;
  const keys = await Promise.all((listed as unknown[]).map((jwk) => importKey(jwk, algorithms)));
  const usable = keys.filter((key) => key !== undefined);
  const fingerprint = createHash('sha256').update(JSON.stringify(usable.map(({ text }) => text).sort()));
  return { keys: usable.map(({ key }) => key), fingerprint: fingerprint.digest('base64url') };
}

interface ImportedKey {
  readonly key: VerificationKey;
  readonly text: string;
}

async function importKey(value: unknown, algorithms: readonly Algorithm[]): Promise<ImportedKey | undefined> {
  if (typeof value !== 'object' || value === null) return undefined;
  const jwk = value as JWK;
  const kid = jwk.kid;
  if ((kid !== undefined && typeof kid !== 'string') || !isForSignatures(jwk)) return undefined;
  const byAlgorithm = new Map<Algorithm, CryptoKey>();
  for (const algorithm of algorithms) {
    const publicJwk = publicPartFor(jwk, algorithm);
    const key = publicJwk && (await importAs(publicJwk, algorithm));
    if (key !== undefined) byAlgorithm.set(algorithm, key);
  }
  if (byAlgorithm.size === 0) return undefined;
  const text = JSON.stringify([kid, jwk.alg, jwk.kty, jwk.crv, jwk.n, jwk.e, jwk.x, jwk.y]);
  return { key: { kid, byAlgorithm }, text };
}

/** `use`, `key_ops` and `alg` are optional (field case B103); where they are there, they are obeyed. */
function isForSignatures({ use, key_ops: operations }: JWK): boolean {
  if (use !== undefined && use !== 'sig') return false;
  return operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
}

function publicPartFor(jwk: JWK, algorithm: Algorithm): JWK | undefined {
  if (jwk.alg !== undefined && jwk.alg !== algorithm && !(algorithm === 'EdDSA' && jwk.alg === 'Ed25519'))
    return undefined;
  const { kty, crv, n, e, x, y } = jwk as Record<string, string>;
  switch (algorithm) {
    case 'RS256':
    case 'PS256':
      return kty === 'RSA' ? ({ kty, n, e } as JWK) : undefined;
    case 'ES256':
      return kty === 'EC' && crv === 'P-256' ? ({ kty, crv, x, y } as JWK) : undefined;
    case 'EdDSA':
      return kty === 'OKP' && crv === 'Ed25519' ? ({ kty, crv, x } as JWK) : undefined;
  }
}

async function importAs(jwk: JWK, algorithm: Algorithm): Promise<CryptoKey | undefined> {
  try {
    const key = (await importJWK(jwk, algorithm)) as CryptoKey;
    const bits = (key.algorithm as { modulusLength?: number }).modulusLength ?? RSA_BITS_MIN;
    return bits >= RSA_BITS_MIN ? key : undefined;
  } catch {
    // A key that cannot be imported is passed over, as the opening says.
    return undefined;
  }
}
