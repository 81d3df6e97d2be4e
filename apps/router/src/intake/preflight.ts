/** What a browser needs to read our answers, for an origin that was checked before (H-19). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReplyHeaders } from '../reply/reply.js';

const HEADERS =
  'authorization, dpop, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name';
/** Browsers cannot use a wildcard with credentials, so the parameter headers a page wants are named back to it. */
const PARAM_HEADER = /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]{1,64}$/;
const PARAM_HEADERS_MAX = 32;

/** Browsers send an Origin; other clients do not and get no extra headers. */
export function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader('access-control-allow-origin', headers.origin);
  response.setHeader('access-control-expose-headers', 'www-authenticate, retry-after, mcp-session-id');
  response.setHeader('vary', 'origin');
}

export function preflightHeaders(request: IncomingMessage): ReplyHeaders {
  const { origin } = request.headers;
  if (origin === undefined) return { allow: 'POST' };
  const wanted = String(request.headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',');
  const params = wanted
    .map((name) => name.trim())
    .filter((name) => PARAM_HEADER.test(name))
    .slice(0, PARAM_HEADERS_MAX);
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': [HEADERS, ...params].join(', '),
    'access-control-max-age': '600',
  };
}
