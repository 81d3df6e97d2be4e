/**
 * Repeats the metadata of the first authorization server at our origin's root, where clients of 2025-03-26 look for it (K-20).
 * Newer ones find the server by the metadata of the resource and never ask here.
 */
import type { ServerResponse } from 'node:http';
import type { PublishedIssuer } from '@roundhouse/auth';
import { RoundhouseError } from '@roundhouse/errors';
import type { FastifyInstance } from 'fastify';
import { DOCUMENT, answerVerb } from './resource-metadata-route.js';

const PATH = '/.well-known/oauth-authorization-server';
const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function registerIssuerMetadata(fastify: FastifyInstance, issuer: Pick<PublishedIssuer, 'read'>): void {
  fastify.route({
    method: VERBS,
    url: PATH,
    exposeHeadRoute: false,
    onRequest: (request, reply) => {
      reply.hijack();
      const { method } = request.raw;
      if (method === 'GET' || method === 'HEAD') void answer(issuer, reply.raw, method);
      else answerVerb(method, reply.raw);
    },
    handler: () => undefined,
  });
}

async function answer(
  issuer: Pick<PublishedIssuer, 'read'>,
  response: ServerResponse,
  method: 'GET' | 'HEAD',
): Promise<void> {
  try {
    const bytes = Buffer.from(await issuer.read());
    response.writeHead(200, { ...DOCUMENT, 'content-length': bytes.length }).end(method === 'GET' ? bytes : undefined);
  } catch (thrown) {
    // What is wrong with it is said in the log where its keys are asked for.
    const { row, retryAfterS = 1 } = RoundhouseError.from(thrown);
    response.writeHead(row.status, { 'retry-after': String(retryAfterS), 'content-length': 0 }).end();
  }
}
