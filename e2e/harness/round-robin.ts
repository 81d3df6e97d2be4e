/**
 * A load balancer at its least helpful: every request goes to the next router on a connection of its own, and nothing
 * ties a client to a router. Passes headers, bytes and closed connections through as they come, Host included.
 */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PassedRequest {
  /** Place of the router in the list, from 0. */
  readonly router: number;
  /** The Mcp-Method header as sent. */
  readonly method: string | undefined;
}

export class RoundRobin {
  /** Everything that was passed on, in order of arrival. */
  readonly passed: PassedRequest[] = [];
  private ports: readonly number[] = [];
  private next = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (incoming, outgoing) => this.pass(incoming, outgoing));
  }

  static async start(): Promise<RoundRobin> {
    const server = createServer({ keepAliveTimeout: 1 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RoundRobin(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** The routers, in the order in which they take turns. */
  route(ports: readonly number[]): void {
    this.ports = ports;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const router = this.next % this.ports.length;
    this.next += 1;
    this.passed.push({ router, method: incoming.headers['mcp-method']?.toString() });
    const upstream = request({
      host: '127.0.0.1',
      port: this.ports[router],
      method: incoming.method,
      path: incoming.url,
      agent: false,
      setHost: false,
      headers: withoutConnection(incoming.rawHeaders),
    });
    upstream.once('response', (response) => relay(response, outgoing));
    upstream.once('error', () => outgoing.destroy());
    outgoing.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }
}

function relay(response: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(response.statusCode ?? 502, withoutConnection(response.rawHeaders));
  outgoing.flushHeaders();
  response.once('error', () => outgoing.destroy());
  response.pipe(outgoing);
}

/** Hop-by-hop fields (RFC 9110 section 7.6.1) belong to one connection; `close` is said on each. */
function withoutConnection(raw: readonly string[]): string[] {
  const kept: string[] = ['Connection', 'close'];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(name)) kept.push(name, raw[at + 1] as string);
  }
  return kept;
}
