/**
 * Tells what is asked of the MCP endpoint from what Fastify routes, by its path alone: every limit and every error on it is
 * the endpoint's own, and a call costs no routing (ADR 0013).
 */
import type { Take } from '@roundhouse/service-kit';
import type { McpEndpoint } from './mcp-endpoint.js';

export function takeMcp(path: string, endpoint: Pick<McpEndpoint, 'handle'>): Take {
  return (request, response) => {
    if (!isAt(path, request.url ?? '')) return false;
    void endpoint.handle(request, response);
    return true;
  };
}

/** Whether a request target (RFC 9112 section 3.2) is this path; with or without a query, which nothing here reads. */
export function isAt(path: string, target: string): boolean {
  if (target === path) return true;
  // In absolute form, as it is sent to proxies. Its host counts for nothing: the endpoint checks the Host header.
  if (!target.startsWith('/')) return URL.canParse(target) && new URL(target).pathname === path;
  return target[path.length] === '?' && target.startsWith(path);
}
