/**
 * Ladder steps 10 to 12 for a call: capabilities, mirrored parameters, then params. A name that nobody serves skips to
 * the last step, because only a known tool can say what it needs.
 */
import { RoundhouseError } from '@roundhouse/errors';
import { SEALED_STATE_CHARS_MAX, checkParamHeaders, isJsonObject, missingCapabilities } from '@roundhouse/protocol';
import type { Route } from '../catalogue/route.js';
import type { CatalogueSnapshot } from '../catalogue/snapshot.js';
import type { Exchange } from '../intake/exchange.js';

const HEADER_PROBLEM = {
  header_missing: 'is required',
  header_malformed: 'is malformed',
  header_differs: 'does not match the body',
} as const;

/** What can be called now, and why that may not be all yet. */
export interface Catalogue {
  readonly snapshot: CatalogueSnapshot;
  whyNotReady(): string | undefined;
}

export function assertCallable(exchange: Exchange, catalogue: Catalogue): Route {
  const route = findRoute(exchange, catalogue.snapshot);
  if (route !== undefined) {
    assertCapabilities(exchange, route);
    assertParamHeaders(exchange, route);
  }
  assertParams(exchange);
  if (route === undefined) throw catalogue.whyNotReady() === undefined ? unknownTarget(exchange) : notYetKnown();
  return route;
}

function findRoute({ method, params }: Exchange, snapshot: CatalogueSnapshot): Route | undefined {
  if (method === 'tools/call') return snapshot.tool(params['name']);
  if (method === 'prompts/get') return snapshot.prompt(params['name']);
  return snapshot.resource(params['uri']);
}

function assertCapabilities(exchange: Exchange, route: Route): void {
  if (route.needs === undefined) return;
  const missing = missingCapabilities(route.needs, exchange.envelope.clientCapabilities);
  if (missing !== undefined)
    throw new RoundhouseError('missing_capability', { data: { requiredCapabilities: missing } });
}

function assertParamHeaders(exchange: Exchange, route: Route): void {
  const { headers } = exchange;
  if (headers === undefined || route.paramHeaders.length === 0) return;
  const problem = checkParamHeaders(route.paramHeaders, exchange.params['arguments'], (name) => headers.get(name));
  if (problem === undefined) return;
  const { header, reason } = problem;
  throw new RoundhouseError('header_mismatch', { reason, detail: `${header} ${HEADER_PROBLEM[reason]}` });
}

function assertParams({ method, params }: Exchange): void {
  const name = params[method === 'resources/read' ? 'uri' : 'name'];
  if (typeof name !== 'string')
    throw invalid(method === 'resources/read' ? 'uri must be a string' : 'name must be a string');
  const { arguments: args, requestState } = params;
  if (args !== undefined && !isJsonObject(args)) throw invalid('arguments must be an object');
  if (
    method === 'prompts/get' &&
    args !== undefined &&
    Object.values(args).some((value) => typeof value !== 'string')
  ) {
    throw invalid('prompt arguments must be strings');
  }
  if (typeof requestState === 'string' && requestState.length > SEALED_STATE_CHARS_MAX) {
    throw new RoundhouseError('state_refused', {
      reason: 'state_too_large',
      data: { reason: 'invalid_request_state' },
    });
  }
}

/** A router that just started must not tell a client for good that a tool does not exist (B11). */
function notYetKnown(): RoundhouseError {
  return new RoundhouseError('worker_unavailable', { reason: 'worker_none_known', retryAfterS: 1 });
}

function unknownTarget({ method, params }: Exchange): RoundhouseError {
  if (method === 'tools/call') return new RoundhouseError('unknown_tool', { detail: String(params['name']) });
  if (method === 'prompts/get') return new RoundhouseError('unknown_prompt', { detail: String(params['name']) });
  return new RoundhouseError('resource_not_found', { data: { uri: params['uri'] } });
}

function invalid(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_params', { detail });
}
