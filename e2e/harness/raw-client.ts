/**
 * HTTP as a test wants it: every header and byte as given, each request on a connection of its own unless told otherwise,
 * replies untouched.
 * Knows nothing of MCP beyond the framing of event streams.
 */
import { once } from 'node:events';
import { request, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { watchReply, watchRequest } from './secrets-sent.js';
import { within } from './until.js';

/** Longer than any call of the scenarios; a reply that takes this long is a failure of its own. */
const REPLY_WITHIN_MS = 30_000;

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface RawRequest {
  readonly port: number;
  readonly method?: string;
  readonly path?: string;
  /** Sent in this order, repeated ones included; Host is added when absent. */
  readonly headers?: HeaderList;
  readonly body?: string | Buffer;
  readonly withinMs?: number;
  /** Whose connections are used; without it, one that serves nothing else. */
  readonly agent?: Agent;
  /** Called once all of it is on its way: a request may have to wait for a connection. */
  readonly onSent?: () => void;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request and reads its whole reply. */
export async function sendRaw(options: RawRequest): Promise<RawReply> {
  const stream = await RawStream.open(options);
  return { status: stream.status, headers: stream.headers, text: await stream.rest(options.withinMs) };
}

/** A reply under way: its head has arrived, its body is read as it comes. */
export class RawStream {
  private text = '';
  private ended = false;
  /** A connection that broke before the end of the body. */
  private broken = false;

  private constructor(
    private readonly response: IncomingMessage,
    readonly socket: Socket,
  ) {
    response.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    response.once('end', () => (this.ended = true)).once('error', () => (this.broken = true));
    response.once('close', () => watchReply(this.status, this.text));
  }

  static async open(options: RawRequest): Promise<RawStream> {
    const { outgoing, response } = beginRaw(options);
    const incoming = await within(response, { what: 'a reply', withinMs: options.withinMs ?? REPLY_WITHIN_MS });
    return new RawStream(incoming, outgoing.socket as Socket);
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  /** What has arrived so far. */
  get received(): string {
    return this.text;
  }

  get hasEnded(): boolean {
    return this.ended || this.broken;
  }

  /** The server ended the body in order, instead of dropping the connection. */
  get endedInOrder(): boolean {
    return this.ended;
  }

  /** The whole body, once it has ended. */
  async rest(withinMs = REPLY_WITHIN_MS): Promise<string> {
    if (!this.hasEnded) await within(once(this.response, 'close'), { what: 'the end of a reply', withinMs });
    return this.text;
  }

  /** Closes the connection as a client that goes away does. */
  close(): void {
    this.socket.destroy();
  }
}

export interface BegunRequest {
  readonly outgoing: ReturnType<typeof request>;
  readonly response: Promise<IncomingMessage>;
}

/** Sends a request without waiting for anything. The response rejects when the connection breaks before its head. */
export function beginRaw(options: RawRequest): BegunRequest {
  const { port, method = 'POST', path = '/mcp', headers = [], body, agent = false, onSent } = options;
  watchRequest({ path, headers, body: String(body) });
  const outgoing = request({ host: '127.0.0.1', port, method, path, agent, headers: toFlatHeaders(options) });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject);
  });
  // The promise may be dropped by a caller that only wants to break the connection.
  response.catch(() => undefined);
  if (onSent !== undefined) outgoing.once('finish', onSent);
  outgoing.end(body);
  return { outgoing, response };
}

/** Node sends a flat array exactly as it stands and adds nothing but chunking. */
function toFlatHeaders({ port, headers = [], body, agent }: RawRequest): string[] {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const added: [string, string][] = [
    ['Host', `127.0.0.1:${port}`],
    ['Connection', agent === undefined ? 'close' : 'keep-alive'],
  ];
  if (body !== undefined && !given.has('transfer-encoding'))
    added.push(['Content-Length', String(Buffer.byteLength(body))]);
  return [...added.filter(([name]) => !given.has(name.toLowerCase())), ...headers].flat();
}
