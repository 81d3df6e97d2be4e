/**
 * Hangs the MCP endpoint into Fastify as one raw route: taken over before Fastify looks at the body, so that every limit
 * and every error on it is the pipeline's own.
 */
import type { FastifyInstance } from 'fastify';
import type { McpEndpoint } from './mcp-endpoint.js';

const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function registerMcpRoute(fastify: FastifyInstance, path: string, endpoint: McpEndpoint): void {
  fastify.route({
    method: VERBS,
    url: path,
    exposeHeadRoute: false,
    onRequest: (request, reply) => {
      reply.hijack();
      void endpoint.handle(request.raw, reply.raw);
    },
    handler: () => undefined,
  });
}
