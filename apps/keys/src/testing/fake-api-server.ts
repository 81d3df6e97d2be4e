/**
 * The part of a Kubernetes API server that deals with Secrets, over real HTTP or HTTPS: tokens, versions and conflicts as
 * the real one has them. Only specs use it.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface StoredSecret {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string; readonly labels?: unknown };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface FakeApiServerOptions {
  readonly token: string;
  readonly namespace: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export class FakeApiServer {
  readonly secrets = new Map<string, StoredSecret>();
  /** Method and path of every request, in order. */
  readonly requests: string[] = [];
  /** Answers every request with this status and body instead. */
  failure: { readonly status: number; readonly body: string } | undefined;
  /** Runs before a request is answered, such as another run that is faster. */
  beforeReply: (method: string) => void = () => undefined;
  private version = 0;
  private server!: Server;

  private constructor(private readonly options: FakeApiServerOptions) {}

  static async start(options: FakeApiServerOptions): Promise<FakeApiServer> {
    const fake = new FakeApiServer(options);
    const listener: RequestListener = (request, response) => void fake.answer(request, response);
    fake.server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
    await new Promise<void>((resolve) => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  store(secret: StoredSecret): void {
    this.version += 1;
    const metadata = { ...secret.metadata, resourceVersion: String(this.version) };
    this.secrets.set(metadata.name, { ...secret, metadata });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    this.requests.push(`${method} ${url}`);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    this.beforeReply(method);
    const { status, json } = this.judge({ method, url, body, authorization: request.headers.authorization });
    response.writeHead(this.failure?.status ?? status, { 'content-type': 'application/json' });
    response.end(this.failure?.body ?? JSON.stringify(json ?? { kind: 'Status', code: status }));
  }

  private judge({ method, url, body, authorization }: Asked): { status: number; json?: unknown } {
    const folder = `/api/v1/namespaces/${this.options.namespace}/secrets`;
    if (authorization !== `Bearer ${this.options.token}`) return { status: 401 };
    if (!url.startsWith(folder)) return { status: 403 };
    const stored = this.secrets.get(url.slice(folder.length + 1));
    if (method === 'POST') return this.create(JSON.parse(body) as StoredSecret);
    if (stored === undefined) return { status: 404 };
    if (method === 'GET') return { status: 200, json: stored };
    return this.replace(stored, JSON.parse(body) as StoredSecret);
  }

  private create(secret: StoredSecret): { status: number; json?: unknown } {
    if (this.secrets.has(secret.metadata.name)) return { status: 409 };
    this.store(secret);
    return { status: 201, json: this.secrets.get(secret.metadata.name) };
  }

  private replace(stored: StoredSecret, next: StoredSecret): { status: number; json?: unknown } {
    const { resourceVersion } = next.metadata;
    if (resourceVersion !== undefined && resourceVersion !== stored.metadata.resourceVersion) return { status: 409 };
    this.store(next);
    return { status: 200, json: this.secrets.get(next.metadata.name) };
  }
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly authorization: string | undefined;
}
