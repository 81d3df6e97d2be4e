/**
 * Tokens with which upstreams are called: exchanged for a caller's own (RFC 8693), fetched for ourselves, or a fixed secret.
 * Kept until a minute before they end. What fails is an error: a caller's token is never sent in place of the one that
 * could not be had.
 */
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { basicCredentials } from '../http/basic-credentials.js';
import type { GuardedFetch } from '../http/guarded-fetch.js';
import type { JsonDocument } from '../http/json-document.js';
import type { VerifiedAccess } from '../verified-access.js';
import { OutboundCache, type OutboundToken } from './outbound-cache.js';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
const ANSWER_BYTES_MAX = 64 * 1024;
/** When the server does not say. */
const LIFE_MS_DEFAULT = 5 * 60_000;
const LIFE_S_MAX = 86_400;

interface ServerSettings {
  /** Where the authorization server of the upstream gives tokens. */
  readonly tokenEndpoint: URL;
  readonly clientId: string;
  readonly readSecret: () => Promise<string>;
  /** What the token is for: `resource` a URL, `audience` a name; at least one. */
  readonly resource?: string | undefined;
  readonly audience?: string | undefined;
  /** What the token may do, and no more than that. */
  readonly scopes: readonly string[];
}

export type OutboundMode =
  | { readonly mode: 'static'; readonly readSecret: () => Promise<string> }
  | ({ readonly mode: 'client_credentials' } & ServerSettings)
  | ({ readonly mode: 'token_exchange'; readonly readActorToken?: () => Promise<string> } & ServerSettings);

export interface OutboundCaller {
  readonly access: Pick<VerifiedAccess, 'principal' | 'confirmation' | 'expiresAtMs'>;
  /** The caller's own token, to be exchanged; it goes to the authorization server and nowhere else. */
  readonly token: string;
}

export interface OutboundTokensOptions {
  readonly settings: OutboundMode;
  readonly fetch: GuardedFetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class OutboundTokens {
  private readonly cache: OutboundCache;

  constructor(private readonly options: OutboundTokensOptions) {
    this.cache = new OutboundCache(options.now);
  }

  /** The upstream sees one identity for all callers, so it cannot tell their states apart (KEY-12). */
  get isShared(): boolean {
    return this.options.settings.mode !== 'token_exchange';
  }

  /** @throws RoundhouseError `upstream_unauthorized` */
  async tokenFor(caller: OutboundCaller): Promise<string> {
    const { settings } = this.options;
    try {
      if (settings.mode === 'static') return assertToken(await settings.readSecret());
      if (settings.mode === 'client_credentials')
        return await this.cache.get('shared', Infinity, () => this.ask(settings, { grant_type: 'client_credentials' }));
      const exchange = async (): Promise<OutboundToken> => this.ask(settings, await exchangeForm(settings, caller));
      return await this.cache.get(cacheKey(caller, settings), caller.access.expiresAtMs, exchange);
    } catch (error) {
      throw asUnauthorized(error);
    }
  }

  private async ask(settings: ServerSettings, form: Readonly<Record<string, string>>): Promise<OutboundToken> {
    const { fetch, now } = this.options;
    const { tokenEndpoint: url, clientId, readSecret, resource, audience, scopes } = settings;
    const sent = new URLSearchParams({
      ...form,
      ...(resource !== undefined && { resource }),
      ...(audience !== undefined && { audience }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    });
    const authorization = basicCredentials(clientId, await readSecret());
    const askedMs = now();
    const { status, text } = await fetch.send({ url, bytesMax: ANSWER_BYTES_MAX, form: sent, authorization });
    if (status !== 200) throw refused('outbound_token_refused', `the token endpoint answered ${status}`);
    return toToken(parse(text), { scopes, askedMs, isExchange: form['grant_type'] === EXCHANGE });
  }
}

async function exchangeForm(
  { readActorToken }: Extract<OutboundMode, { mode: 'token_exchange' }>,
  { token }: OutboundCaller,
): Promise<Record<string, string>> {
  return {
    grant_type: EXCHANGE,
    subject_token: token,
    subject_token_type: ACCESS_TOKEN,
    requested_token_type: ACCESS_TOKEN,
    ...(readActorToken !== undefined && { actor_token: await readActorToken(), actor_token_type: ACCESS_TOKEN }),
  };
}

/** Everything that makes the token another one; not the caller's token itself, which changes with each refresh. */
function cacheKey({ access }: OutboundCaller, { resource, audience, scopes }: ServerSettings): string {
  const { issuer, subject, clientId, tenant } = access.principal;
  const scope = [...scopes].sort().join(' ');
  return JSON.stringify([issuer, subject, clientId, tenant, resource, audience, scope, access.confirmation?.jkt]);
}

interface Expected {
  readonly scopes: readonly string[];
  readonly askedMs: number;
  readonly isExchange: boolean;
}

function toToken(answer: JsonDocument, { scopes, askedMs, isExchange }: Expected): OutboundToken {
  const { access_token: token, token_type: type, issued_token_type: issued, scope, expires_in: lifeS } = answer;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw refused('outbound_answer_refused', 'not a bearer token');
  if (isExchange && issued !== ACCESS_TOKEN) throw refused('outbound_answer_refused', 'not an access token');
  if (scope !== undefined && !isWithin(scope, scopes))
    throw refused('outbound_answer_refused', 'more scopes than asked for');
  if (lifeS !== undefined && !(typeof lifeS === 'number' && lifeS > 0 && lifeS <= LIFE_S_MAX))
    throw refused('outbound_answer_refused', 'no sensible life');
  const lifeMs = lifeS === undefined ? LIFE_MS_DEFAULT : (lifeS as number) * 1_000;
  return { token: assertToken(token), expiresAtMs: askedMs + lifeMs };
}

/** A server may give less than was asked for, never more. */
function isWithin(scope: unknown, asked: readonly string[]): boolean {
  return typeof scope === 'string' && (asked.length === 0 || scope.split(' ').every((one) => asked.includes(one)));
}

function assertToken(token: unknown): string {
  if (typeof token !== 'string' || !TOKEN.test(token)) throw refused('outbound_answer_refused', 'no token');
  return token;
}

function parse(text: string): JsonDocument {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonDocument;
  } catch {
    // The parser would quote its input, which may hold a token.
  }
  throw refused('outbound_answer_refused', 'the answer is not a JSON object');
}

function refused(reason: Reason, words: string): RoundhouseError {
  return new RoundhouseError('upstream_unauthorized', { reason, cause: new Error(words) });
}

/** To a client it is the gateway that failed: a challenge of another server would send it the wrong way (C-29). */
function asUnauthorized(error: unknown): RoundhouseError {
  const known = RoundhouseError.from(error);
  if (known.code === 'upstream_unauthorized') return known;
  return new RoundhouseError('upstream_unauthorized', {
    reason: 'outbound_token_failed',
    facts: known.facts,
    cause: known,
  });
}
