/** Puts the verifier together from settings: one key set for each issuer, each behind the same guards. */
import type { RoundhouseError } from '@roundhouse/errors';
import type { GuardedFetch } from './http/guarded-fetch.js';
import { Introspector } from './introspection/introspector.js';
import type { IssuerSettings } from './issuer-settings.js';
import { KeySet } from './jwks/key-set.js';
import { loadKeys } from './jwks/load-keys.js';
import { JwtVerifier } from './jwt/jwt-verifier.js';
import { IssuerEndpoints } from './metadata/issuer-endpoints.js';
import { ScopeSets } from './scope-sets.js';
import { TokenVerifier } from './token-verifier.js';

export interface OpenVerifierOptions {
  /** At most one with introspection: a token that is no JWT does not say whom to ask, and goes to nobody else. */
  readonly issuers: readonly IssuerSettings[];
  readonly fetch: GuardedFetch;
  /** Hears of every fetch of an issuer's keys: why it failed, or that it did not. */
  readonly onKeys?: (issuer: string, failure: RoundhouseError | undefined) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Milliseconds; a clock that never steps back. */
  readonly steadyNow?: () => number;
}

export interface OpenVerifier {
  readonly verifier: TokenVerifier;
  /** Fetches every issuer's keys, so that the first token need not wait. Never rejects. */
  warm(): Promise<void>;
}

export function openTokenVerifier(options: OpenVerifierOptions): OpenVerifier {
  const { issuers, fetch, onKeys, now = Date.now, steadyNow = () => performance.now() } = options;
  const scopeSets = new ScopeSets();
  const opened = issuers.map((settings) => {
    const configured = { jwksUri: settings.jwksUri, introspectionEndpoint: settings.introspection?.endpoint };
    const endpoints = new IssuerEndpoints({ issuer: settings.issuer, configured, fetch, now: steadyNow });
    const source = { endpoints, fetch, algorithms: settings.algorithms };
    const onLoad = onKeys && ((failure: RoundhouseError | undefined) => onKeys(settings.issuer, failure));
    return { settings, endpoints, keys: new KeySet({ load: () => loadKeys(source), now: steadyNow, onLoad }) };
  });
  const introspectors = opened.flatMap(({ settings, endpoints }) => {
    const { introspection } = settings;
    return introspection === undefined
      ? []
      : [new Introspector({ settings: { ...settings, introspection }, endpoints, fetch, scopeSets, now })];
  });
  const jwts = new JwtVerifier(opened, { scopeSets, now });
  return {
    verifier: new TokenVerifier({ jwts, introspector: introspectors[0], now }),
    warm: async () => void (await Promise.all(opened.map(({ keys }) => keys.warm()))),
  };
}
