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
import type { IncomingMessage } from 'node:http';
import type { Access } from '../access/access.js';
import type { Exchange } from '../intake/exchange.js';
import { readIncomingTrace } from '../intake/incoming-trace.js';
import { Observed } from '../measures/observed.js';
import type { ExchangeReply } from '../reply/exchange-reply.js';
import type { OpenSession } from './session-book.js';

export interface LegacyRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** JSON text of `params.arguments`. */
  readonly argumentsText: string | undefined;
  readonly request: IncomingMessage;
  /** In `performance.now()` milliseconds. */
  readonly arrivedMs: number;
  readonly access: Access;
  readonly canStream: boolean;
}

/** An exchange that will know where it goes once a round of it begins. */
export type UnansweredExchange = Omit<Exchange, 'reply'> & { reply: ExchangeReply | undefined };

/** One literal, because copies with more members cost each call another hidden class. */
export function toExchange(session: OpenSession, legacy: LegacyRequest): UnansweredExchange {
  const { access, request } = legacy;
  const envelope = toEnvelope(session, legacy);
  return {
    request,
    reply: undefined,
    principal: access.principal,
    access,
    id: legacy.id,
    method: legacy.method,
    params: withoutRounds(legacy.params),
    envelope,
    headers: undefined,
    argumentsText: legacy.argumentsText,
    observed: new Observed(legacy.arrivedMs),
    trace: readIncomingTrace(envelope, request.headers),
    arrivedMs: legacy.arrivedMs,
    httpSpan: undefined,
    span: undefined,
    spokenRevision: session.revision,
  };
}

/** The next exchange of the same call: what is measured and recorded of it begins anew. */
export function nextExchange(exchange: UnansweredExchange): UnansweredExchange {
  const arrivedMs = performance.now();
  return {
    ...exchange,
    reply: undefined,
    arrivedMs,
    observed: new Observed(arrivedMs),
    httpSpan: undefined,
    span: undefined,
  };
}

/** A state and answers to it are between us and modern clients. */
function withoutRounds(params: JsonObject): JsonObject {
  if (!('requestState' in params) && !('inputResponses' in params)) return params;
  const { requestState: _state, inputResponses: _responses, ...rest } = params;
  return rest;
}

function toEnvelope(session: OpenSession, { params, canStream }: LegacyRequest): Envelope {
  const { capabilities, settings } = session;
  const clientCapabilities = canStream ? capabilities : withoutStream(capabilities);
  const { logLevel } = settings;
  // Most requests have no _meta, and then there is nothing to read.
  if (params['_meta'] === undefined)
    return { protocolVersion: MODERN_REVISION, clientCapabilities, ...(logLevel !== undefined && { logLevel }) };
  const meta: Record<string, unknown> = {};
  const own = params['_meta'];
  for (const [key, value] of Object.entries(isJsonObject(own) ? own : {}))
    if (!key.startsWith(PROTOCOL_META_PREFIX)) setOwn(meta, key, value);
  meta[META.protocolVersion] = MODERN_REVISION;
  meta[META.clientCapabilities] = clientCapabilities;
  if (logLevel !== undefined) meta[META.logLevel] = logLevel;
  const envelope = parseEnvelope(meta);
  if ('missing' in envelope)
    throw new RoundhouseError('invalid_params', { detail: `_meta key ${envelope.missing} is malformed` });
  return envelope;
}

/** Addresses can be told in the answer itself. */
export function withoutStream({ elicitation }: JsonObject): Record<string, unknown> {
  return isJsonObject(elicitation) && isJsonObject(elicitation['url']) ? { elicitation: { url: {} } } : {};
}
