/**
 * From a JSON value to one JSON-RPC message: shape and id, nothing about what the method means.
 */
import { RoundhouseError } from '@roundhouse/errors';
import { isJsonObject, isRequestId, type RequestId } from '@roundhouse/protocol';

export interface Message {
  /** Undefined for a notification. */
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: unknown;
}

export function parseMessage(value: unknown): Message {
  if (!isJsonObject(value)) throw refused(Array.isArray(value) ? 'batches are not served' : 'not an object');
  if (value['jsonrpc'] !== '2.0') throw refused('jsonrpc must be "2.0"');
  const { method, id } = value;
  if (typeof method !== 'string')
    throw refused('result' in value || 'error' in value ? 'responses are not served' : 'method must be a string');
  if (id === undefined && !Object.hasOwn(value, 'id')) return { id: undefined, method, params: value['params'] };
  if (!isRequestId(id)) throw refused('id must be a string or an integer');
  return { id, method, params: value['params'] };
}

/** The answer to a request of ours, as only older clients send them. */
export function isResponse(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0' || Object.hasOwn(value, 'method')) return false;
  return Object.hasOwn(value, 'result') || (Object.hasOwn(value, 'error') && isRequestId(value['id']));
}

/** The id to echo when a message is refused before it was understood. */
export function readableId(value: unknown): RequestId | undefined {
  return isJsonObject(value) && isRequestId(value['id']) ? value['id'] : undefined;
}

function refused(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_request', { reason: 'body_not_a_message', detail });
}
