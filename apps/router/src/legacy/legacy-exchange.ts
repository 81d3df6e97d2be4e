/**
 * An older client's request as the exchange that a modern one would have been: the envelope is made of what the session
 * settled. A client that cannot be sent a stream can be asked nothing.
 */
import { RoundhouseError } from '@roundhouse/errors';
import {
  META,
  MODERN_REVISION,
  PROTOCOL_META_PREFIX,
  isJsonObject,
  parseEnvelope,
  setOwn,
  type Envelope,
  type JsonObject,
  type RequestId,
} from '@roundhouse/protocol';
import { parentFrom } from '@roundhouse/telemetry';
import type { Access } from '../access/access.js';
import type { Exchange } from '../intake/exchange.js';
import type { OpenSession } from './session-book.js';

export interface LegacyRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** JSON text of `params.arguments`. */
  readonly argumentsText: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly access: Access;
  readonly canStream: boolean;
}

export function toExchange(session: OpenSession, request: LegacyRequest): Omit<Exchange, 'reply'> {
  const { id, method, argumentsText, headers, access } = request;
  const envelope = toEnvelope(session, request);
  return {
    ...{ id, method, argumentsText, access, envelope, params: withoutRounds(request.params) },
    principal: access.principal,
    headers: undefined,
    spokenRevision: session.revision,
    parent: parentFrom(envelope) ?? parentFrom(headers as Record<string, string>),
  };
}

/** A state and answers to it are between us and modern clients. */
function withoutRounds(params: JsonObject): JsonObject {
  if (!('requestState' in params) && !('inputResponses' in params)) return params;
  const { requestState: _state, inputResponses: _responses, ...rest } = params;
  return rest;
}

function toEnvelope({ capabilities, settings }: OpenSession, { params, canStream }: LegacyRequest): Envelope {
  const meta: Record<string, unknown> = {};
  const own = params['_meta'];
  for (const [key, value] of Object.entries(isJsonObject(own) ? own : {}))
    if (!key.startsWith(PROTOCOL_META_PREFIX)) setOwn(meta, key, value);
  meta[META.protocolVersion] = MODERN_REVISION;
  meta[META.clientCapabilities] = canStream ? capabilities : {};
  if (settings.logLevel !== undefined) meta[META.logLevel] = settings.logLevel;
  const envelope = parseEnvelope(meta);
  if ('missing' in envelope)
    throw new RoundhouseError('invalid_params', { detail: `_meta key ${envelope.missing} is malformed` });
  return envelope;
}
