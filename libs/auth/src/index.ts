export { parseAuthorization, type Credentials } from './authorization-header.js';
export { Challenges, type ChallengesOptions } from './challenge/challenges.js';
export {
  DpopProofs,
  PROOF_REMEMBERED_MS,
  PROOF_SKEW_MS,
  type DpopProofsOptions,
  type ProofContext,
  type ProofStore,
} from './dpop/dpop-proof.js';
export { FETCH_TIMEOUT_MS, GuardedFetch, type GuardedFetchOptions, type OutboundPolicy } from './http/guarded-fetch.js';
export { ALGORITHMS, type Algorithm, type IntrospectionSettings, type IssuerSettings } from './issuer-settings.js';
export { TOKEN_SKEW_MS } from './jwt/access-claims.js';
export {
  protectedResourceOf,
  type DpopMode,
  type ProtectedResource,
  type ProtectedResourceSettings,
} from './metadata/protected-resource.js';
export { PublishedIssuer, type PublishedIssuerOptions } from './metadata/published-issuer.js';
export { isNamePattern, nameMatcher, type NameMatcher } from './policy/name-pattern.js';
export { policyRulesSchema, type PolicySettings } from './policy/policy-settings.js';
export { Policy, type PolicyTarget, type RefusalReason, type Terms, type Verdict } from './policy/policy.js';
export type { Caller } from './policy/rule-input.js';
export { Selections, type Selection } from './policy/selections.js';
export { OUTBOUND_TOKENS_MAX, RENEW_BEFORE_MS } from './outbound/outbound-cache.js';
export {
  isDeniedHeader,
  toOutboundHeaders,
  type HeaderValues,
  type OutboundHeaderOptions,
  type UpstreamCredential,
} from './outbound/outbound-headers.js';
export {
  OutboundTokens,
  type OutboundCaller,
  type OutboundMode,
  type OutboundTokensOptions,
} from './outbound/outbound-tokens.js';
export { openTokenVerifier, type OpenVerifier, type OpenVerifierOptions } from './open-token-verifier.js';
export { ScopeSets, isScope } from './scope-sets.js';
export { TOKEN_BYTES_MAX, TokenVerifier, tokenHash } from './token-verifier.js';
export type { Confirmation, VerifiedAccess, VerifiedPrincipal } from './verified-access.js';
