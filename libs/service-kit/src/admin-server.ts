/**
 * The port for the operator, never for MCP clients: liveness (the event loop turns), readiness (may take traffic), and
 * read-only JSON pages of the service. Whoever reaches it may read it all, so no page holds a secret.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
}

/** Undefined when ready, otherwise why not, in a few words without secrets. */
export type Readiness = () => string | undefined;

/** What each path shows, asked at every request. */
export type AdminPages = Readonly<Record<string, () => unknown>>;

export class AdminServer {
  private constructor(private readonly server: Server) {}

  static async start(options: AdminOptions, readiness: Readiness, pages: AdminPages = {}): Promise<AdminServer> {
    const server = createServer(({ url = '' }, response) => {
      if (url === '/livez') answerProbe(response);
      else if (url === '/readyz') answerProbe(response, readiness());
      else if (Object.hasOwn(pages, url)) answer(response, { status: 200, json: pages[url]!() });
      else answer(response, { status: 404, text: 'not found' });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
    server.unref();
    return new AdminServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

function answerProbe(response: ServerResponse, problem?: string): void {
  answer(response, problem === undefined ? { status: 200, text: 'ok' } : { status: 503, text: problem });
}

function answer(response: ServerResponse, reply: { status: number; text?: string; json?: unknown }): void {
  const isJson = reply.text === undefined;
  response.writeHead(reply.status, { 'content-type': isJson ? 'application/json' : 'text/plain' });
  response.end(`${isJson ? JSON.stringify(reply.json) : reply.text}\n`);
}
