/** One JSON-RPC message of an older client: a request, a notification, or the answer to a question of ours. */
import { RoundhouseError } from '@roundhouse/errors';
import { isJsonObject, type JsonObject, type RequestId } from '@roundhouse/protocol';
import { isResponse, parseMessage } from '../intake/message.js';
import type { AskResponse } from './pending-asks.js';

export type LegacyMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: unknown; readonly response: AskResponse };

/** @throws RoundhouseError `invalid_request` */
export function parseLegacyMessage(value: unknown): LegacyMessage {
  if (isResponse(value)) {
    const response = Object.hasOwn(value, 'error') ? { error: value['error'] } : { result: value['result'] };
    return { kind: 'response', id: value['id'], response };
  }
  const { id, method, params } = parseMessage(value);
  if (params !== undefined && !isJsonObject(params))
    throw new RoundhouseError('invalid_request', { reason: 'body_not_a_message', detail: 'params must be an object' });
  return id === undefined
    ? { kind: 'notification', method, params: params ?? {} }
    : { kind: 'request', id, method, params: params ?? {} };
}
