/**
 * A real authorization server on loopback (node-oidc-provider), and the person who logs in to it. It issues access tokens
 * for whatever resource is asked for, JWTs and opaque ones, can change its keys, and can be away.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Configuration, Grant, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { findFreePorts } from './free-ports.js';
import { secretWatch } from './secret-watch.js';
import { watchToken } from './secrets-sent.js';

/** Where the client is told to come back; nobody listens there, the browser reads the address. */
export const REDIRECT_URI = 'http://127.0.0.1:1/callback';
export const CLIENT_ID = 'desk-client';
/** Another one, whose tokens only this server can read. */
export const OPAQUE_CLIENT_ID = 'opaque-desk-client';
/** Every scope there is. */
export const SCOPES = 'mcp:read mcp:call mcp:write';
const SERVICE = { id: 'probe', secret: 'MARK_service_secret_a51e' };
/** Who may ask what is in a token. */
export const GATEWAY = { id: 'gateway', secret: 'MARK_introspection_secret_63fd' };
/** Short enough that a refresh is nothing strange, long enough that no scenario meets the end by accident. */
const TOKEN_LIFE_S = 300;

const LOGIN_LIFE_S = 600;

/** Who logs in, and what they agree to of what is asked; nothing of it is a refusal. */
export interface Person {
  name: string;
  agreesTo: (scopes: readonly string[]) => readonly string[];
}

/** RFC 6749 section 4.1.2.1. */
const REFUSAL = { error: 'access_denied', error_description: 'the person refused' };

export class AuthorizationServer {
  readonly person: Person = { name: 'alice', agreesTo: (scopes) => scopes };
  private keyCount = 0;
  private provider!: Provider;
  private readonly server: Server;

  private constructor(private readonly port: number) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async start(): Promise<AuthorizationServer> {
    for (const { id, secret } of [SERVICE, GATEWAY]) secretWatch.keep(`the secret of ${id}`, secret);
    const [port = 0] = await findFreePorts(1);
    const server = new AuthorizationServer(port);
    await server.changeKey();
    await server.listen();
    return server;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A new key signs from now on; the one before is not published any more. Whoever was logged in no longer is. */
  async changeKey(): Promise<void> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    this.keyCount += 1;
    const key = { ...(await exportJWK(privateKey)), kid: `key-${this.keyCount}`, use: 'sig', alg: 'ES256' };
    // Loaded only here: it has opinions about the version of Node, and tells them to every run that loads it.
    const oidc = await import('oidc-provider');
    this.provider = new oidc.Provider(this.issuer, configurationFor(key));
  }

  async listen(): Promise<void> {
    if (this.server.listening) return;
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Nobody answers any more until it listens again. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** An access token of a service that acts for nobody but itself. */
  serviceToken(resource: string): Promise<string> {
    const authorization = `Basic ${btoa(`${SERVICE.id}:${SERVICE.secret}`)}`;
    return this.askForToken({ grant_type: 'client_credentials', scope: SCOPES, resource }, { authorization });
  }

  /** The next access token of somebody who logged in before, for all that was granted or for less. */
  refresh(refreshToken: string, resource: string, scope?: string): Promise<string> {
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: CLIENT_ID, resource };
    return this.askForToken({ ...form, ...(scope !== undefined && { scope }) }, {});
  }

  private async askForToken(form: Record<string, string>, headers: Record<string, string>): Promise<string> {
    const response = await fetch(`${this.issuer}/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
    const text = await response.text();
    const { access_token: token } = JSON.parse(text) as { access_token?: string };
    if (token === undefined) throw new Error(`the authorization server gave no token: ${response.status} ${text}`);
    watchToken('an access token', token);
    return token;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/interaction/') === true) await this.interact(request, response);
    else await this.provider.callback()(request, response);
  }

  /** Logs the person in, then lets them agree; a person would see two pages here. */
  private async interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider, person } = this;
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const login = { accountId: person.name };
      return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? person.name,
      clientId: String(params['client_id']),
    });
    const missing = (prompt.details['missingResourceScopes'] ?? {}) as Record<string, string[]>;
    for (const [resource, scopes] of Object.entries(missing)) {
      const agreed = new Set(person.agreesTo(scopes));
      if (agreed.size === 0) return provider.interactionFinished(request, response, REFUSAL);
      grant.addResourceScope(resource, scopes.filter((scope) => agreed.has(scope)).join(' '));
      grant.rejectResourceScope(resource, scopes.filter((scope) => !agreed.has(scope)).join(' '));
    }
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }
}

function configurationFor(key: JWK): Configuration {
  return {
    clients: [
      ...[CLIENT_ID, OPAQUE_CLIENT_ID].map((id) => ({
        client_id: id,
        token_endpoint_auth_method: 'none' as const,
        application_type: 'native' as const,
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code' as const],
      })),
      ...[SERVICE, GATEWAY].map(({ id, secret }) => ({
        client_id: id,
        client_secret: secret,
        redirect_uris: [],
        grant_types: ['client_credentials'],
        response_types: [],
      })),
    ],
    jwks: { keys: [key] as never },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      dPoP: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_context, { clientId }) => clientId === GATEWAY.id },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource, { clientId }) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenFormat: clientId === OPAQUE_CLIENT_ID ? 'opaque' : 'jwt',
          accessTokenTTL: TOKEN_LIFE_S,
          jwt: { sign: { alg: 'ES256' } },
        }),
        useGrantedResource: () => true,
      },
    },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: ['only-for-this-run'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    issueRefreshToken: () => true,
    loadExistingGrant: grantOfThisLogin,
    pkce: { required: () => true },
    // Scenarios refresh as often as they like.
    rotateRefreshToken: false,
    ttl: {
      AccessToken: TOKEN_LIFE_S,
      RefreshToken: LOGIN_LIFE_S,
      ClientCredentials: TOKEN_LIFE_S,
      Grant: LOGIN_LIFE_S,
      Interaction: LOGIN_LIFE_S,
      Session: LOGIN_LIFE_S,
    },
  };
}

/** A person is asked each time, so that they can agree to more than the last time. */
async function grantOfThisLogin({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const id = oidc.result?.consent?.grantId;
  return id === undefined ? undefined : oidc.provider.Grant.find(id);
}
