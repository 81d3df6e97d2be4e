/**
 * What every proxy of the harness does with a request: it goes on to a loopback port on a connection of its own, with
 * headers, bytes and closed connections as they come, Host included.
 */
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HeaderList } from './raw-client.js';

export interface PassOptions {
  readonly port: number | undefined;
  /** Sent besides the headers that came. */
  readonly added?: HeaderList;
  /** Told of the response before its body comes. */
  readonly onResponse?: (response: IncomingMessage) => void;
}

export function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { port, added = [], onResponse }: PassOptions,
): void {
  const upstream = request({
    host: '127.0.0.1',
    port,
    method: incoming.method,
    path: incoming.url,
    agent: false,
    setHost: false,
    headers: [...withoutConnection(incoming.rawHeaders), ...added.flat()],
  });
  upstream.once('response', (response) => {
    onResponse?.(response);
    relay(response, outgoing);
  });
  upstream.once('error', () => outgoing.destroy());
  outgoing.once('close', () => upstream.destroy());
  incoming.pipe(upstream);
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
