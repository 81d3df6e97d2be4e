/**
 * Publishes the metadata of the resource (RFC 9728) for everybody, browsers included. Made once; whatever Host a request
 * names, it gets the same bytes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProtectedResource } from '@roundhouse/auth';
import type { FastifyInstance } from 'fastify';

const COMMON = { 'access-control-allow-origin': '*' };
export const DOCUMENT = { ...COMMON, 'content-type': 'application/json', 'cache-control': 'max-age=3600' };
/** SDKs send their protocol version along, which browsers ask about first. */
const PREFLIGHT = {
  ...COMMON,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'mcp-protocol-version, content-type, accept',
  'access-control-max-age': '3600',
};

export function registerResourceMetadata(fastify: FastifyInstance, { paths, document }: ProtectedResource): void {
  const bytes = Buffer.from(document);
  for (const url of paths) {
    fastify.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url,
      exposeHeadRoute: false,
      onRequest: (request, reply) => {
        reply.hijack();
        answer(request.raw, reply.raw, bytes);
      },
      handler: () => undefined,
    });
  }
}

function answer({ method }: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
  if (method !== 'GET' && method !== 'HEAD') return answerVerb(method, response);
  response.writeHead(200, { ...DOCUMENT, 'content-length': bytes.length }).end(method === 'GET' ? bytes : undefined);
}

/** To whoever does not read. */
export function answerVerb(method: string | undefined, response: ServerResponse): void {
  if (method === 'OPTIONS') response.writeHead(204, PREFLIGHT).end();
  else response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 }).end();
}
