/**
 * The port for the operator, never for MCP clients: startup, liveness (the event loop turns), readiness (may take
 * traffic), read-only pages of the service, and the few controls that whoever is on the machine itself may use.
 * Whoever reaches it may read it all, so no page holds a secret.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminReply } from './admin-reply.js';
import { readControlBody } from './control-body.js';
import { isLocalPeer, isPrivateHost } from './who-asks.js';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
}

/** Undefined when ready, otherwise why not, in a few words without secrets. */
export type Readiness = () => string | undefined;

/** What each path shows, asked at every request with its Accept header: an `AdminReply` as it stands, all else as JSON. */
export type AdminPages = Readonly<Record<string, (accept: string | undefined) => unknown>>;

/** What each path does with the JSON of a PUT; what it returns is shown like a page. Undefined refuses the body. */
export type AdminControls = Readonly<Record<string, (body: unknown) => unknown>>;

export interface AdminParts {
  readonly readiness: Readiness;
  /** Undefined once the service began to serve. Default: it has, or this server would not be asked. */
  readonly started?: Readiness;
  readonly pages?: AdminPages;
  readonly controls?: AdminControls;
}

export class AdminServer {
  private constructor(private readonly server: Server) {}

  static async start(options: AdminOptions, parts: AdminParts): Promise<AdminServer> {
    const desk = new AdminDesk(parts);
    const server = createServer((request, response) => {
      // A page that fails must not take the service with it.
      desk.serve(request).then(
        (reply) => reply.write(response, request.method === 'HEAD'),
        () => new AdminReply({ status: 500, body: 'this page failed\n' }).write(response, false),
      );
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

class AdminDesk {
  private hasStarted = false;

  constructor(private readonly parts: AdminParts) {}

  async serve(request: IncomingMessage): Promise<AdminReply> {
    const { method, url = '' } = request;
    // A page of the internet that a browser was made to take for this address reads and sets nothing.
    if (!isPrivateHost(request.headers.host)) return refusal(421, 'not served under this name');
    if (method === 'PUT') return this.control(url, request);
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'read only');
    if (url === '/livez') return probe(undefined);
    if (url === '/startupz') return probe(this.whyNotStarted());
    if (url === '/readyz') return probe(this.parts.readiness());
    const { pages = {} } = this.parts;
    return Object.hasOwn(pages, url)
      ? AdminReply.of(await pages[url]!(request.headers.accept))
      : refusal(404, 'not found');
  }

  private async control(url: string, request: IncomingMessage): Promise<AdminReply> {
    const { controls = {} } = this.parts;
    if (!Object.hasOwn(controls, url)) return refusal(405, 'read only');
    if (!isLocalPeer(request)) return refusal(403, 'only from the machine itself, as through a port-forward');
    const body = await readControlBody(request);
    const shown = body === undefined ? undefined : controls[url]!(body.value);
    return shown === undefined ? refusal(400, 'refused') : AdminReply.of(shown);
  }

  /** Stays true: what happens after the start is for the other probes to tell. */
  private whyNotStarted(): string | undefined {
    if (this.hasStarted) return undefined;
    const problem = this.parts.started?.();
    this.hasStarted = problem === undefined;
    return problem;
  }
}

function probe(problem: string | undefined): AdminReply {
  return problem === undefined ? new AdminReply({ body: 'ok\n' }) : refusal(503, problem);
}

function refusal(status: number, text: string): AdminReply {
  return new AdminReply({ status, body: `${text}\n` });
}
