/** What a worker's error reply means for the caller. Its own words are shown only where they were written for the caller. */
import type { CallReply } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import type { Route } from '../catalogue/route.js';
import type { Exchange } from '../intake/exchange.js';

type WorkerError = Extract<CallReply, { kind: 'error' }>;

export function workerError(exchange: Exchange, route: Route, reply: WorkerError): RoundhouseError {
  const facts = { target: route.publicName, group: route.group.id, worker: reply.message };
  switch (reply.code) {
    case 'unknown_target':
      return unknown(exchange, route);
    case 'resource_not_found':
      return new RoundhouseError('resource_not_found', { data: { uri: exchange.params['uri'] }, facts });
    case 'invalid_params':
      return new RoundhouseError('invalid_params', { detail: reply.message, facts });
    case 'missing_capability':
      return new RoundhouseError('missing_capability', {
        data: { requiredCapabilities: reply.requiredCapabilities ?? {} },
        facts,
      });
    case 'flow_changed':
      return new RoundhouseError('flow_changed', { facts });
    case 'too_many_rounds':
      return new RoundhouseError('too_many_rounds', { reason: 'limit_reached', facts });
    case 'cancelled':
      return new RoundhouseError('internal', { reason: 'client_gone', facts });
    case 'draining':
      return new RoundhouseError('worker_unavailable', { reason: 'worker_all_aside', retryAfterS: 1, facts });
    case 'failed':
      return new RoundhouseError('worker_failed', { reason: 'worker_threw', facts });
  }
}

function unknown(exchange: Exchange, route: Route): RoundhouseError {
  if (route.kind === 'tools') return new RoundhouseError('unknown_tool', { detail: route.publicName });
  if (route.kind === 'prompts') return new RoundhouseError('unknown_prompt', { detail: route.publicName });
  return new RoundhouseError('resource_not_found', { data: { uri: exchange.params['uri'] } });
}
