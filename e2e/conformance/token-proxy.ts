/** The suite sends no token and cannot be told to: this stands on its side and adds one to each of its requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn } from '../harness/pass-on.js';
import type { HeaderList } from '../harness/raw-client.js';

export interface Destination {
  readonly port: number;
  readonly added: HeaderList;
}

export class TokenProxy {
  private destination: Destination | undefined;

  private constructor(private readonly server: Server) {
    server.on('request', (incoming, outgoing) => this.pass(incoming, outgoing));
  }

  static async start(): Promise<TokenProxy> {
    const server = createServer({ keepAliveTimeout: 1 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TokenProxy(server);
  }

  /** What the suite is told to call; known before the gateway, whose public address it is. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/mcp`;
  }

  passTo(destination: Destination): void {
    this.destination = destination;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.destination === undefined) outgoing.writeHead(502).end();
    else passOn(incoming, outgoing, this.destination);
  }
}
