/** Puts together, from the configuration, who decides about requests and what is published about it. */
import { Logger } from '@nestjs/common';
import {
  Challenges,
  DpopProofs,
  GuardedFetch,
  PublishedIssuer,
  openTokenVerifier,
  protectedResourceOf,
  type IssuerSettings,
  type ProtectedResource,
} from '@roundhouse/auth';
import type { RoundhouseError } from '@roundhouse/errors';
import type { RouterConfig } from '../config.js';
import { randomId } from '../rounds/random-id.js';
import type { ReplayClient } from '../rounds/replay-client.js';
import { ClosedAccess, type AccessControl } from './access.js';
import type { AuthConfig } from './auth-settings.js';
import { BelievedAccess } from './believed-access.js';
import { ClientAddress } from './client-address.js';
import { FailureGuard } from './failure-guard.js';
import { FailuresBySource } from './failures-by-source.js';
import { OAuthAccess } from './oauth-access.js';
import { ScopeGate } from './scope-gate.js';
import { readSecretFile } from './secret-file.js';

export interface OpenAccess {
  readonly control: AccessControl;
  readonly gate: ScopeGate;
  /** Undefined where no tokens are taken. */
  readonly resource: ProtectedResource | undefined;
  /** For clients that know nothing of the above; undefined where none of them is served. */
  readonly issuer: PublishedIssuer | undefined;
  /** Makes the first token wait less. Never rejects. */
  warm(): Promise<void>;
}

/** The revision whose clients look for an authorization server where the resource is. */
const OLDEST = '2025-03-26';

const nothingToWarm = (): Promise<void> => Promise.resolve();

/** Hears of every fetch of an issuer's keys: why it failed, or that it did not. */
export type OnKeys = (issuer: string, failure: RoundhouseError | undefined) => void;

export function openAccess(config: RouterConfig, replay: ReplayClient, onKeys?: OnKeys): OpenAccess {
  const { auth } = config;
  if (auth.mode === 'oauth') return openOAuthAccess(config, replay, onKeys);
  const control = auth.mode === 'development' ? new BelievedAccess(auth.principalHeader) : new ClosedAccess();
  return { control, gate: new ScopeGate(undefined), resource: undefined, issuer: undefined, warm: nothingToWarm };
}

function openOAuthAccess(
  { auth, publicUrl, development, trustedProxies, legacy }: RouterConfig,
  replay: ReplayClient,
  onKeys: OnKeys | undefined,
): OpenAccess {
  const { dpop, requiredScopes, scopesSupported } = auth;
  const url = new URL(publicUrl);
  const issuers = auth.issuers.map(({ issuer }) => issuer);
  const resource = protectedResourceOf({ publicUrl: url, issuers, scopesSupported, dpop });
  const scopes = [...new Set([...scopesSupported, ...requiredScopes])];
  const challenges = new Challenges({ metadataUrl: resource.metadataUrl, scopes, dpop });
  const gate = new ScopeGate(challenges);
  const report = reportKeys();
  const fetch = new GuardedFetch({
    allowLoopback: development.allowLoopbackIssuers,
    privateHosts: auth.privateHosts,
  });
  const { verifier, warm } = openTokenVerifier({
    issuers: auth.issuers.map((issuer) => toSettings(issuer, resource)),
    fetch,
    onKeys: (issuer, failure) => {
      report(issuer, failure);
      onKeys?.(issuer, failure);
    },
  });
  const proofs = new DpopProofs({
    store: { spendOnce: (id, retainMs) => replay.mark({ id, owner: randomId(), retainMs }) },
    now: Date.now,
  });
  const failures = new FailuresBySource({ ...auth.failuresPerSource, now: () => performance.now() });
  const guard = new FailureGuard(new ClientAddress(trustedProxies), failures);
  const control = new OAuthAccess({ verifier, proofs, challenges, gate, guard, dpop, requiredScopes, url: url.href });
  const [first = ''] = issuers;
  const issuer = legacy.revisions.includes(OLDEST) ? new PublishedIssuer({ issuer: first, fetch }) : undefined;
  return { control, gate, resource, issuer, warm };
}

function toSettings(issuer: AuthConfig['issuers'][number], { audiences }: ProtectedResource): IssuerSettings {
  const { introspection, audience } = issuer;
  return {
    issuer: issuer.issuer,
    audiences: audience === undefined ? audiences : [audience],
    algorithms: issuer.algorithms,
    jwksUri: issuer.jwksUri,
    introspection: introspection && {
      endpoint: introspection.endpoint,
      clientId: introspection.clientId,
      readSecret: () => readSecretFile(introspection.clientSecretFile),
    },
    requireAtJwt: issuer.requireAtJwt,
    scopeClaim: issuer.scopeClaim,
    clientIdClaim: issuer.clientIdClaim,
    tenantClaim: issuer.tenantClaim,
    claims: issuer.claims,
  };
}

/** One line a change, not one a fetch. */
function reportKeys(): OnKeys {
  const log = new Logger('access');
  const away = new Set<string>();
  return (issuer, failure) => {
    if ((failure !== undefined) === away.has(issuer)) return;
    if (failure === undefined) {
      away.delete(issuer);
      log.log(`the keys of ${issuer} can be fetched again`);
    } else {
      away.add(issuer);
      log.warn(`the keys of ${issuer} cannot be fetched: ${failure.reason}; those already known go on for a day`);
    }
  };
}
