/**
 * A load balancer at its least helpful: every request goes to the next router on a connection of its own, and nothing
 * ties a client to a router. Told to keep connections it does so on both sides, and still sends nothing twice.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn } from './pass-on.js';
import type { HeaderList } from './raw-client.js';
import { watchReply, watchRequest } from './secrets-sent.js';

export interface PassedRequest {
  /** Place of the router in the list, from 0. */
  readonly router: number;
  readonly verb: string;
  /** The Mcp-Method header as sent. */
  readonly method: string | undefined;
  /** Of a client of 2025. */
  readonly sessionId: string | undefined;
  /** A stream is taken up again. */
  readonly resumes: boolean;
}

export interface RoundRobinOptions {
  readonly keepsConnections?: boolean | undefined;
}

/** What proxies have by default. */
const KEPT_MS = 60_000;

export class RoundRobin {
  /** Everything that was passed on, in order of arrival. */
  readonly passed: PassedRequest[] = [];
  private ports: readonly number[] = [];
  private next = 0;

  private constructor(
    private readonly server: Server,
    private readonly agent: Agent | undefined,
  ) {
    server.on('request', (incoming, outgoing) => this.pass(incoming, outgoing));
  }

  static async start({ keepsConnections = false }: RoundRobinOptions = {}): Promise<RoundRobin> {
    const server = createServer({ keepAliveTimeout: keepsConnections ? KEPT_MS : 1 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RoundRobin(server, keepsConnections ? new Agent({ keepAlive: true }) : undefined);
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

  /** Drops every connection, as a balancer does that is replaced. */
  cut(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    this.agent?.destroy();
    await closed;
  }

  private pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const router = this.next % this.ports.length;
    this.next += 1;
    const { method: verb = '', headers } = incoming;
    const sessionId = headers['mcp-session-id']?.toString();
    const resumes = headers['last-event-id'] !== undefined;
    this.passed.push({ router, verb, method: headers['mcp-method']?.toString(), sessionId, resumes });
    readWhole(incoming, (body) => watchRequest({ path: incoming.url, headers: pairsOf(incoming.rawHeaders), body }));
    passOn(incoming, outgoing, {
      port: this.ports[router],
      agent: this.agent,
      onResponse: (response) => readWhole(response, (text) => watchReply(response.statusCode ?? 0, text)),
    });
  }
}

/** Beside whoever else reads it. What has come counts, even when the rest never does. */
function readWhole(message: IncomingMessage, use: (text: string) => void): void {
  const chunks: Buffer[] = [];
  message.on('data', (chunk: Buffer) => chunks.push(chunk));
  message.once('close', () => use(Buffer.concat(chunks).toString()));
}

function pairsOf(raw: readonly string[]): HeaderList {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
