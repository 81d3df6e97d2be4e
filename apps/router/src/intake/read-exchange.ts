/**
 * The second part of the ladder: from the body of a client of the modern revision to an exchange. One line a rung; whoever
 * changes the order changes which error a client sees first.
 */
import type { IncomingMessage } from 'node:http';
import { RoundhouseError } from '@roundhouse/errors';
import { isJsonObject, isModernMethod } from '@roundhouse/protocol';
import type { Access } from '../access/access.js';
import type { Observed } from '../measures/observed.js';
import { MODERN_ERRORS, type Reply } from '../reply/reply.js';
import type { ParsedBody } from './body.js';
import { assertModern, assertServed } from './era.js';
import type { Exchange, McpHeaders } from './exchange.js';
import { readIncomingTrace } from './incoming-trace.js';
import { assertHeadersAgree, assertHeadersComplete } from './mcp-headers.js';
import { parseMessage } from './message.js';

export interface ReceivedBody {
  readonly request: IncomingMessage;
  readonly reply: Reply;
  readonly access: Access;
  readonly body: ParsedBody;
  readonly headers: McpHeaders;
  readonly observed: Observed;
  readonly arrivedMs: number;
}

/** Undefined when the message is answered already. @throws RoundhouseError */
export function readExchange(received: ReceivedBody): Exchange | undefined {
  const { request, reply, access, body, headers, observed, arrivedMs } = received;
  reply.errors = MODERN_ERRORS;
  const message = parseMessage(body.value);
  if (message.id === undefined) {
    // The core defines no client notification over HTTP: accepted, never acted upon (A-25, G-05).
    reply.accept();
    return undefined;
  }
  const { method } = message;
  observed.method = method;
  const envelope = assertModern(message, headers);
  assertHeadersAgree(headers, method, envelope);
  assertServed(envelope.protocolVersion);
  const params = isJsonObject(message.params) ? message.params : {};
  assertHeadersComplete(headers, method, params);
  if (!isModernMethod(method)) throw new RoundhouseError('method_not_found', { detail: method });
  const span = body.argumentsSpan;
  return {
    request,
    reply,
    principal: access.principal,
    access,
    id: message.id,
    method,
    params,
    envelope,
    headers,
    argumentsText: span === undefined ? undefined : body.text.slice(span.start, span.end),
    observed,
    trace: readIncomingTrace(envelope, request.headers),
    arrivedMs,
    httpSpan: undefined,
    span: undefined,
  };
}
