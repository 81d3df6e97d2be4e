/**
 * The endpoint as clients of older revisions know it (section K): `initialize`, then everything by a session, on any
 * router. What a call is, is for the bridge; what a session is set to, for its own methods.
 */
import type { IncomingMessage } from 'node:http';
import { RoundhouseError } from '@roundhouse/errors';
import {
  LEGACY_FEATURES,
  isLegacySessionMethod,
  isLegacySharedMethod,
  isRequestId,
  type LegacyRevision,
} from '@roundhouse/protocol';
import type { Access } from '../access/access.js';
import type { ParsedBody } from '../intake/body.js';
import type { Exchange, McpHeaders } from '../intake/exchange.js';
import { VERSION_HEADER } from '../intake/mcp-headers.js';
import type { Reply } from '../reply/reply.js';
import { BatchReply } from './batch-reply.js';
import type { LegacyReply } from './bridged-call.js';
import type { CallBridge } from './call-bridge.js';
import type { ChangeStreams } from './change-streams.js';
import type { Courier } from './courier.js';
import { LEGACY_ERRORS } from './error-form.js';
import { initializeResult, negotiate } from './initialize.js';
import { toExchange } from './legacy-exchange.js';
import { parseLegacyMessage, type LegacyMessage } from './legacy-message.js';
import type { OpenSession, SessionBook } from './session-book.js';
import type { SessionMethods } from './session-methods.js';
import type { StreamResumer } from './stream-resumer.js';

export const SESSION_HEADER = 'mcp-session-id';
const LAST_EVENT_HEADER = 'last-event-id';
/** Messages of one batch. */
const BATCH_MAX = 64;

/** A request of an older client, once it is known who sends it. */
export interface LegacyArrival {
  readonly request: IncomingMessage;
  readonly reply: Reply;
  readonly access: Access;
  /** In `performance.now()` milliseconds. */
  readonly arrivedMs: number;
  readonly serve: (exchange: Exchange) => Promise<void>;
  /** Of a part of a batch; everything else is thrown. */
  readonly report: (error: RoundhouseError) => void;
}

/** What a client posted. */
export interface LegacyPost {
  readonly body: ParsedBody;
  readonly headers: McpHeaders;
}

export interface LegacyParts {
  /** Newest first; not empty. */
  readonly revisions: readonly LegacyRevision[];
  readonly sessions: SessionBook;
  readonly methods: SessionMethods;
  readonly bridge: CallBridge;
  readonly courier: Courier;
  readonly changes: ChangeStreams;
  readonly resumer: StreamResumer;
}

interface Arrived {
  readonly session: OpenSession;
  readonly arrival: LegacyArrival;
  readonly reply: LegacyReply;
  readonly argumentsText: string | undefined;
}

type Request = Extract<LegacyMessage, { kind: 'request' }>;

export class LegacyEndpoint {
  constructor(private readonly parts: LegacyParts) {}

  /** Verbs that mean something with a session, and nothing without one (K-10). */
  takesVerb({ method, headers }: IncomingMessage): boolean {
    return (method === 'GET' || method === 'DELETE') && headers[SESSION_HEADER] !== undefined;
  }

  /** Before anything of the request is understood, so that errors speak the language of its sender. */
  expect({ headers }: IncomingMessage, reply: Reply): void {
    if (headers[SESSION_HEADER] !== undefined) reply.errors = LEGACY_ERRORS;
  }

  async serveVerb(arrival: LegacyArrival): Promise<void> {
    const { request, reply } = arrival;
    const session = await this.openSession(arrival, request.headers[VERSION_HEADER]);
    if (request.method === 'DELETE') {
      if (!this.parts.sessions.canEnd) throw new RoundhouseError('verb_not_allowed');
      await this.parts.sessions.end(session);
      return reply.noContent();
    }
    const lastEvent = request.headers[LAST_EVENT_HEADER];
    if (lastEvent === undefined) this.parts.changes.begin(session, arrival);
    else await this.parts.resumer.resume(session, String(lastEvent), reply);
  }

  async servePost(arrival: LegacyArrival, { body, headers }: LegacyPost): Promise<void> {
    const { reply, access } = arrival;
    reply.errors = LEGACY_ERRORS;
    const version = headers.get(VERSION_HEADER);
    if (Array.isArray(body.value)) return this.serveBatch(arrival, version, body.value);
    const message = parseLegacyMessage(body.value);
    if (message.kind === 'request' && message.method === 'initialize') return this.initialize(message, arrival);
    const opened = this.openSession(arrival, version);
    const session = opened instanceof Promise ? await opened : opened;
    if (message.kind === 'response') {
      await this.parts.courier.deliver(session, message, access);
      return reply.accept();
    }
    if (message.kind === 'notification') {
      await this.notified(session, message);
      return reply.accept();
    }
    const span = body.argumentsSpan;
    const argumentsText = span === undefined ? undefined : body.text.slice(span.start, span.end);
    await this.serveRequest(message, { session, arrival, reply, argumentsText });
  }

  private initialize({ id, params }: Request, { reply, access }: LegacyArrival): void {
    const terms = negotiate(params, this.parts.revisions);
    const sessionId = this.parts.sessions.begin(access.principal, terms);
    reply.succeed(id, initializeResult(terms.revision), { [SESSION_HEADER]: sessionId });
  }

  /** @throws RoundhouseError `session_missing`, `session_refused`, `session_version` */
  private openSession({ request, access }: LegacyArrival, version: unknown): OpenSession | Promise<OpenSession> {
    const id = request.headers[SESSION_HEADER];
    if (typeof id !== 'string') throw new RoundhouseError('session_missing');
    const opened = this.parts.sessions.open(id, access.principal);
    if (opened instanceof Promise) return opened.then((session) => inVersion(session, version));
    return inVersion(opened, version);
  }

  private async serveRequest(message: Request, arrived: Arrived): Promise<void> {
    const { id, method, params } = message;
    const { session, arrival, reply, argumentsText } = arrived;
    if (isLegacySessionMethod(method))
      return reply.succeed(id, await this.parts.methods.serve(session, { method, params, access: arrival.access }));
    if (!isLegacySharedMethod(method)) throw new RoundhouseError('method_not_found', { detail: method });
    const { request, access, arrivedMs } = arrival;
    const { canStream } = reply;
    const exchange = toExchange(session, { id, method, params, argumentsText, request, access, arrivedMs, canStream });
    await this.parts.bridge.serve({ session, exchange, reply, line: arrival.reply, serve: arrival.serve });
  }

  private async notified(
    session: OpenSession,
    { method, params }: Extract<LegacyMessage, { kind: 'notification' }>,
  ): Promise<void> {
    const { requestId } = params;
    if (method === 'notifications/cancelled' && isRequestId(requestId))
      await this.parts.courier.cancel(session, requestId);
  }

  /** Of 2025-03-26 alone (K-08); the handshake is never part of one. */
  private async serveBatch(arrival: LegacyArrival, version: unknown, values: readonly unknown[]): Promise<void> {
    const { reply, access } = arrival;
    const session = await this.openSession(arrival, version);
    if (!LEGACY_FEATURES[session.revision].batches) throw refused('batches are not served in this revision');
    if (values.length === 0 || values.length > BATCH_MAX) throw refused(`a batch has 1 to ${BATCH_MAX} messages`);
    const messages = values.map(parseLegacyMessage);
    const requests = messages.filter((message) => message.kind === 'request');
    if (requests.some(({ method }) => method === 'initialize')) throw refused('initialize is never part of a batch');
    for (const message of messages) {
      if (message.kind === 'response') await this.parts.courier.deliver(session, message, access);
      if (message.kind === 'notification') await this.notified(session, message);
    }
    if (requests.length === 0) return reply.accept();
    const batch = new BatchReply(reply, requests.length);
    await Promise.all(requests.map((request) => this.servePart(request, { session, arrival, batch })));
  }

  private async servePart(
    request: Request,
    { session, arrival, batch }: { session: OpenSession; arrival: LegacyArrival; batch: BatchReply },
  ): Promise<void> {
    const args = request.params['arguments'];
    const argumentsText = args === undefined ? undefined : JSON.stringify(args);
    try {
      await this.serveRequest(request, { session, arrival, reply: batch.part(), argumentsText });
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      arrival.report(error);
      batch.fail(request.id, error);
    }
  }
}

/** The revisions that have the header send the one that was settled; the oldest has none (K-16). */
function inVersion(session: OpenSession, version: unknown): OpenSession {
  if (version !== undefined && String(version).trim() !== session.revision)
    throw new RoundhouseError('session_version');
  return session;
}

function refused(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_request', { reason: 'body_not_a_message', detail });
}
