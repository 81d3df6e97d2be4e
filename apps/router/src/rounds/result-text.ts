/**
 * The JSON text of a result, spliced around what the worker gave: its body is judged by a scan and passed on as it came,
 * never parsed or encoded again.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { Asks, CallMethod, CallReply } from '@roundhouse/contracts';
import { JSON_DEPTH_MAX, scanObject } from '@roundhouse/protocol';
import { resultMeta, RESULT_META } from './server-identity.js';

type Complete = Extract<CallReply, { kind: 'complete' }>;

/** The member without which a result of this method is nonsense. */
const REQUIRED_MEMBER: Record<CallMethod, string> = {
  'tools/call': 'content',
  'prompts/get': 'messages',
  'resources/read': 'contents',
  'completion/complete': 'completion',
};

/** Members that only the router writes. */
const ROUTER_MEMBERS = ['resultType', '_meta', 'ttlMs', 'cacheScope', 'inputRequests', 'requestState'];

export function completeResult(method: CallMethod, reply: Complete, isRetry: boolean): string {
  const { body } = reply;
  const { verdict, members } = scanObject(body, JSON_DEPTH_MAX);
  const sound =
    verdict === 'ok' && body.startsWith('{') && body.endsWith('}') && members.includes(REQUIRED_MEMBER[method]);
  if (!sound || members.some((member) => ROUTER_MEMBERS.includes(member))) {
    throw new RoundhouseError('worker_failed', { reason: 'worker_reply_malformed' });
  }
  const hints = method === 'resources/read' ? cacheHints(reply, isRetry) : '';
  return `{"resultType":"complete",${body.slice(1, -1)},${hints}"_meta":${resultMeta(reply.meta)}}`;
}

/** `state` is absent for tools whose answers are open. */
export function inputRequiredResult(asks: Asks, state: string | undefined): string {
  const sealed = state === undefined ? '' : `"requestState":"${state}",`;
  return `{"resultType":"input_required","inputRequests":${JSON.stringify(asks)},${sealed}"_meta":${RESULT_META}}`;
}

/** A result won with answers must not be cached by anybody (E-04). */
function cacheHints(reply: Complete, isRetry: boolean): string {
  const hint = isRetry ? undefined : reply.cache;
  return `"ttlMs":${hint?.ttlMs ?? 0},"cacheScope":"${hint?.scope ?? 'private'}",`;
}
