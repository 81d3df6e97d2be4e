/**
 * What we say about ourselves (RFC 9728), and where. Everything follows from the configured address: whatever a request
 * says about host, scheme or path changes nothing here (OAU-1).
 */
import { ALGORITHMS } from '../issuer-settings.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export type DpopMode = 'off' | 'optional' | 'required';

export interface ProtectedResourceSettings {
  /** The address clients use: https, or http on loopback; without query and fragment. */
  readonly publicUrl: URL;
  readonly issuers: readonly string[];
  readonly scopesSupported: readonly string[];
  readonly dpop: DpopMode;
}

export interface ProtectedResource {
  /** The canonical URI: what tokens have to be made for. */
  readonly resource: string;
  /** All spellings of it that are one URI by RFC 3986; more than one only for an address without a path. */
  readonly audiences: readonly string[];
  /** Where the metadata is, for challenges. */
  readonly metadataUrl: string;
  /** Paths that serve it: the inserted form first, and the root, since one deployment is one resource. */
  readonly paths: readonly string[];
  /** JSON text of the document. */
  readonly document: string;
}

export function protectedResourceOf(settings: ProtectedResourceSettings): ProtectedResource {
  const { publicUrl, issuers, scopesSupported, dpop } = settings;
  const path = publicUrl.pathname === '/' ? '' : publicUrl.pathname;
  const resource = `${publicUrl.origin}${path}`;
  const inserted = `${WELL_KNOWN}${path}`;
  return {
    resource,
    audiences: path === '' ? [resource, `${resource}/`] : [resource],
    metadataUrl: `${publicUrl.origin}${inserted}`,
    paths: [...new Set([inserted, WELL_KNOWN])],
    document: JSON.stringify({
      resource,
      authorization_servers: issuers,
      ...(scopesSupported.length > 0 && { scopes_supported: scopesSupported }),
      bearer_methods_supported: ['header'],
      ...(dpop !== 'off' && { dpop_signing_alg_values_supported: ALGORITHMS }),
      ...(dpop === 'required' && { dpop_bound_access_tokens_required: true }),
    }),
  };
}
