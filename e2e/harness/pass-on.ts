/**
 * What every proxy of the harness does with a request: it goes on to a loopback port, on a connection of its own unless
 * told otherwise, with headers, bytes and closed connections as they come, Host included.
 */
import { request, type Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HeaderList } from './raw-client.js';

const CLOSED = ['Connection', 'close'];

export interface PassOptions {
  readonly port: number | undefined;
  /** Sent besides the headers that came. */
  readonly added?: HeaderList;
  /** Told of the response before its body comes. */
  readonly onResponse?: (response: IncomingMessage) => void;
  /** Whose connections are used and kept, on both sides; without it none is used again. */
  readonly agent?: Agent | undefined;
}

export function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { port, added = [], onResponse, agent }: PassOptions,
): void {
  const connection = agent === undefined ? CLOSED : [];
  const upstream = request({
    host: '127.0.0.1',
    port,
    method: incoming.method,
    path: incoming.url,
    agent: agent ?? false,
    setHost: false,
    headers: [...connection, ...withoutConnection(incoming.rawHeaders), ...added.flat()],
  });
  upstream.once('response', (response) => {
    onResponse?.(response);
    relay(response, outgoing, connection);
  });
  upstream.once('error', () => outgoing.destroy());
  outgoing.once('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

function relay(response: IncomingMessage, outgoing: ServerResponse, connection: readonly string[]): void {
  outgoing.writeHead(response.statusCode ?? 502, [...connection, ...withoutConnection(response.rawHeaders)]);
  outgoing.flushHeaders();
  response.once('error', () => outgoing.destroy());
  response.pipe(outgoing);
}

/** Hop-by-hop fields (RFC 9110 section 7.6.1) belong to one connection. */
function withoutConnection(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!/^(connection|keep-alive|transfer-encoding)$/i.test(name)) kept.push(name, raw[at + 1] as string);
  }
  return kept;
}
