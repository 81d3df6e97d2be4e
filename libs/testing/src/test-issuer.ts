/**
 * An authorization server as resource servers see one: metadata, keys and introspection on loopback, and tokens as the test
 * wants them. It logs nobody in; e2e has a real one for that.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair, type CryptoKey, type JWK, type JWTPayload } from 'jose';

/** Long enough for any test, short enough that no rule about life times is met. */
const TOKEN_LIFE_S = 600;

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface TokenOverrides {
  /** Undefined values leave a claim out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: SigningKey;
}

export interface TestIssuerOptions {
  /** What tokens are made for. */
  readonly audience: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Lives below the origin, such as `/realms/acme`. */
  readonly path?: string;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class TestIssuer {
  /** Paths asked for, in order. */
  readonly requests: string[] = [];
  /** What introspection says, by token; anything else is inactive. */
  readonly introspected = new Map<string, object>();
  /** Credentials that came with introspection requests. */
  readonly credentials: string[] = [];
  /** Answers by path instead of the usual. */
  readonly answers = new Map<string, Answer>();
  private readonly server: Server;
  private keys: readonly SigningKey[] = [];
  private port = 0;

  private constructor(private readonly options: TestIssuerOptions) {
    this.server = createServer((request, response) => this.answer(request, response));
  }

  static async start(options: TestIssuerOptions): Promise<TestIssuer> {
    const issuer = new TestIssuer(options);
    issuer.keys = [await createSigningKey('key-1')];
    await issuer.listen();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}${this.options.path ?? ''}`;
  }

  get jwksUri(): string {
    return `${this.url}/jwks`;
  }

  get introspectionEndpoint(): string {
    return `${this.url}/introspect`;
  }

  /** Times that the keys were asked for. */
  get keyFetches(): number {
    return this.requests.filter((path) => path.endsWith('/jwks')).length;
  }

  /** The keys that are published from now on; the first signs. */
  publish(...keys: readonly SigningKey[]): void {
    this.keys = keys;
  }

  get signingKey(): SigningKey {
    return this.keys[0] as SigningKey;
  }

  /** An access token by RFC 9068 unless the overrides spoil it. */
  async sign({ claims, header, key = this.signingKey }: TokenOverrides = {}): Promise<string> {
    const { audience, now = Date.now } = this.options;
    const iat = Math.floor(now() / 1_000);
    const usual = { iss: this.url, aud: audience, sub: 'alice', client_id: 'client-1', scope: 'mcp:read' };
    const payload = { ...usual, iat, exp: iat + TOKEN_LIFE_S, jti: `${Math.random()}`, ...claims };
    return new SignJWT(payload as JWTPayload)
      .setProtectedHeader({ typ: 'at+jwt', kid: key.kid, ...header, alg: key.algorithm })
      .sign(key.privateKey);
  }

  /** Nobody answers any more; `listen` brings it back on the same port. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  async listen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.requests.push(path);
    const { path: base = '' } = this.options;
    const usual: Readonly<Record<string, Answer>> = {
      [`/.well-known/oauth-authorization-server${base}`]: () => send(response, this.metadata),
      [`${base}/jwks`]: () => send(response, { keys: this.keys.map(({ publicJwk }) => publicJwk) }),
      [`${base}/introspect`]: () => void this.introspect(request, response),
    };
    const answer = this.answers.get(path) ?? usual[path];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  }

  private get metadata(): object {
    const { url, jwksUri, introspectionEndpoint } = this;
    return { issuer: url, jwks_uri: jwksUri, introspection_endpoint: introspectionEndpoint };
  }

  private async introspect(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.credentials.push(request.headers.authorization ?? '');
    const token = new URLSearchParams(body).get('token') ?? '';
    send(response, this.introspected.get(token) ?? { active: false });
  }
}

export async function createSigningKey(kid: string, algorithm = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    kid,
    algorithm,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' },
  };
}

function send(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
