/** What an operator says about one authorization server whose tokens are taken. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** RFC 9068 and BCP 225: signatures that only the issuer can make. Nothing symmetric, and never `none`. */
export type Algorithm = (typeof ALGORITHMS)[number];

export interface IntrospectionSettings {
  /** Undefined: as the issuer's metadata says. */
  readonly endpoint: string | undefined;
  readonly clientId: string;
  /** Asked each time, so that a secret can change while the process runs. */
  readonly readSecret: () => Promise<string>;
}

export interface IssuerSettings {
  /** Exactly what stands in `iss`. */
  readonly issuer: string;
  /** Any of these has to be in `aud`. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly Algorithm[];
  /** Undefined: as the issuer's metadata says. */
  readonly jwksUri: string | undefined;
  /** Undefined: tokens that are no JWT are not taken. */
  readonly introspection: IntrospectionSettings | undefined;
  /** False also takes tokens whose `typ` does not tell them from other JWTs of the issuer. */
  readonly requireAtJwt: boolean;
  readonly scopeClaim: string;
  readonly clientIdClaim: string;
  /** Undefined: principals of this issuer have no tenant. Otherwise a token without it is refused. */
  readonly tenantClaim: string | undefined;
  /** Claims that policy may look at. */
  readonly claims: readonly string[];
}
