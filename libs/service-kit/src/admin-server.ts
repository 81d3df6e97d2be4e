/**
 * The port for the operator, never for MCP clients: liveness (the event loop turns) and readiness (may take traffic).
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
}

/** Undefined when ready, otherwise why not, in a few words without secrets. */
export type Readiness = () => string | undefined;

export class AdminServer {
  private constructor(private readonly server: Server) {}

  static async start(options: AdminOptions, readiness: Readiness): Promise<AdminServer> {
    const server = createServer((request, response) => {
      const problem = request.url === '/livez' ? undefined : request.url === '/readyz' ? readiness() : 'not found';
      response.writeHead(problem === undefined ? 200 : problem === 'not found' ? 404 : 503, {
        'content-type': 'text/plain',
      });
      response.end(`${problem ?? 'ok'}\n`);
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
