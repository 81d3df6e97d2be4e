/** Fetches an issuer's JWK Set from where the issuer has it. */
import type { Algorithm } from '../issuer-settings.js';
import type { GuardedFetch } from '../http/guarded-fetch.js';
import { fetchDocument, refusedAnswer } from '../http/json-document.js';
import type { IssuerEndpoints } from '../metadata/issuer-endpoints.js';
import { importKeys, type VerificationKeys } from './verification-keys.js';

/** A hundred RSA keys of 4,096 bits with their certificates. */
export const JWKS_BYTES_MAX = 256 * 1024;

export interface KeySource {
  readonly endpoints: IssuerEndpoints;
  readonly fetch: GuardedFetch;
  readonly algorithms: readonly Algorithm[];
}

/** @throws RoundhouseError `authorization_unavailable` */
export async function loadKeys({ endpoints, fetch, algorithms }: KeySource): Promise<VerificationKeys> {
  const url = await endpoints.find('jwksUri');
  try {
    const document = await fetchDocument(fetch, { url, bytesMax: JWKS_BYTES_MAX });
    const keys = document && (await importKeys(document, algorithms));
    if (keys === undefined) throw refusedAnswer(url, 'it has no JWK Set there');
    return keys;
  } catch (error) {
    endpoints.doubt();
    throw error;
  }
}
