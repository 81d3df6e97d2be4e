/**
 * The port for the operator, never for MCP clients: liveness (the event loop turns), readiness (may take traffic), and
 * read-only pages of the service. Whoever reaches it may read it all, so no page holds a secret.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
}

/** Undefined when ready, otherwise why not, in a few words without secrets. */
export type Readiness = () => string | undefined;

/** A page that is no JSON. */
export class TextPage {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** What each path shows, asked at every request with its Accept header: a text page as it is, all else as JSON. */
export type AdminPages = Readonly<Record<string, (accept: string | undefined) => unknown>>;

export class AdminServer {
  private constructor(private readonly server: Server) {}

  static async start(options: AdminOptions, readiness: Readiness, pages: AdminPages = {}): Promise<AdminServer> {
    const server = createServer(({ url = '', headers }, response) => {
      if (url === '/livez') answerProbe(response);
      else if (url === '/readyz') answerProbe(response, readiness());
      else if (Object.hasOwn(pages, url)) void answerPage(response, async () => pages[url]!(headers.accept));
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

/** A page that fails must not take the process with it; what it failed of is none of the reader's business. */
async function answerPage(response: ServerResponse, show: () => Promise<unknown>): Promise<void> {
  try {
    const page = await show();
    if (!(page instanceof TextPage)) return answer(response, { status: 200, json: page });
    response.writeHead(200, { 'content-type': page.contentType });
    response.end(page.text);
  } catch {
    answer(response, { status: 500, text: 'the page cannot be shown' });
  }
}

function answer(response: ServerResponse, reply: { status: number; text?: string; json?: unknown }): void {
  const isJson = reply.text === undefined;
  response.writeHead(reply.status, { 'content-type': isJson ? 'application/json' : 'text/plain' });
  response.end(`${isJson ? JSON.stringify(reply.json) : reply.text}\n`);
}
