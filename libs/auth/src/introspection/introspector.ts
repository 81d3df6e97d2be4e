/**
 * Asks an authorization server about a token that only it can read (RFC 7662). The answer is judged by the same rules as
 * a JWT; one that names no audience is not for us.
 */
import { RoundhouseError } from '@roundhouse/errors';
import { basicCredentials } from '../http/basic-credentials.js';
import type { GuardedFetch } from '../http/guarded-fetch.js';
import { fetchDocument, refusedAnswer, type JsonDocument } from '../http/json-document.js';
import type { IntrospectionSettings, IssuerSettings } from '../issuer-settings.js';
import { refusedToken, toVerifiedAccess } from '../jwt/access-claims.js';
import type { IssuerEndpoints } from '../metadata/issuer-endpoints.js';
import type { ScopeSets } from '../scope-sets.js';
import type { VerifiedAccess } from '../verified-access.js';

export const INTROSPECTION_BYTES_MAX = 64 * 1024;
/** Questions under way; a flood of unknown tokens is shed here, not passed on to the server. */
export const INTROSPECTIONS_MAX = 64;

export interface IntrospectorOptions {
  readonly settings: IssuerSettings & { readonly introspection: IntrospectionSettings };
  readonly endpoints: IssuerEndpoints;
  readonly fetch: GuardedFetch;
  readonly scopeSets: ScopeSets;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class Introspector {
  private underWay = 0;

  constructor(private readonly options: IntrospectorOptions) {}

  /** @throws RoundhouseError `token_invalid`, `authorization_unavailable`, `overloaded` */
  async verify(token: string): Promise<VerifiedAccess> {
    if (this.underWay >= INTROSPECTIONS_MAX)
      throw new RoundhouseError('overloaded', { reason: 'limit_reached', retryAfterS: 1 });
    this.underWay += 1;
    try {
      return this.judge(await this.ask(token));
    } finally {
      this.underWay -= 1;
    }
  }

  private async ask(token: string): Promise<JsonDocument> {
    const { settings, endpoints, fetch } = this.options;
    const { clientId, readSecret } = settings.introspection;
    const url = await endpoints.find('introspectionEndpoint');
    const answer = await fetchDocument(fetch, {
      url,
      bytesMax: INTROSPECTION_BYTES_MAX,
      form: new URLSearchParams({ token, token_type_hint: 'access_token' }),
      authorization: basicCredentials(clientId, await readSecret()),
    });
    if (answer === undefined) throw refusedAnswer(url, 'it has no introspection there');
    return answer;
  }

  private judge(answer: JsonDocument): VerifiedAccess {
    const { settings, scopeSets, now } = this.options;
    if (answer['active'] !== true) throw refusedToken('token_inactive');
    if (answer['iss'] !== undefined && answer['iss'] !== settings.issuer) throw refusedToken('token_unknown_issuer');
    const audience = [answer['aud']].flat();
    if (!settings.audiences.some((ours) => audience.includes(ours))) throw refusedToken('token_other_audience');
    return toVerifiedAccess(answer, { settings, scopeSets, nowMs: now() });
  }
}
