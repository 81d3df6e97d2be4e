/**
 * The MCP endpoint: from a raw HTTP request to a served exchange. `receive` is the ladder of protocol section 1, one line
 * a rung; whoever changes the order changes which error a client sees first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { Principal } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import {
  hostPolicy,
  isJsonObject,
  isModernMethod,
  isMultiRoundMethod,
  parseAccept,
  type HostPolicy,
  type ModernMethod,
  type MultiRoundMethod,
  type RequestId,
} from '@roundhouse/protocol';
import { parentFrom } from '@roundhouse/telemetry';
import type { Access, AccessControl } from '../access/access.js';
import type { CallGate } from '../access/call-gate.js';
import type { Auditor } from '../audit/auditor.js';
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';
import { serveList } from '../catalogue/lists.js';
import type { VisibleLists } from '../catalogue/visible-lists.js';
import { type LegacyArrival, type LegacyEndpoint } from '../legacy/legacy-endpoint.js';
import type { CallLimits } from '../limits/call-limits.js';
import { MODERN_ERRORS, Reply } from '../reply/reply.js';
import type { CallRounds } from '../rounds/call-rounds.js';
import { serveCompletion } from '../rounds/completion.js';
import { endWithError, startExchangeSpan } from '../rounds/exchange-span.js';
import type { ListenStreams } from '../subscriptions/listen-streams.js';
import { readBody } from './body.js';
import { assertModern, assertServed, isLegacyBody } from './era.js';
import type { Exchange } from './exchange.js';
import type { InFlight } from './in-flight.js';
import { assertHeadersAgree, assertHeadersComplete, collectMcpHeaders } from './mcp-headers.js';
import { isResponse, parseMessage, readableId } from './message.js';
import { allowOrigin, preflightHeaders } from './preflight.js';

export interface McpEndpointOptions {
  readonly access: AccessControl;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly bodyBytesMax: number;
  readonly discover: Buffer;
}

export interface McpServers {
  readonly catalogue: CatalogueKeeper;
  readonly calls: CallRounds;
  readonly streams: ListenStreams;
  readonly inFlight: InFlight;
  readonly visible: VisibleLists;
  readonly gate: CallGate;
  readonly limits: CallLimits;
  readonly auditor: Auditor;
  /** Undefined: only the modern revision is served. */
  readonly legacy: LegacyEndpoint | undefined;
}

/** What is known of a request when it fails: the id, once it was readable, who sent it, and all of it. */
interface Received {
  id?: RequestId | undefined;
  principal?: Principal | undefined;
  exchange?: Exchange | undefined;
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reply: Reply;
  readonly received: Received;
}

export class McpEndpoint {
  private readonly log = new Logger('mcp');
  private readonly hostPolicy: HostPolicy;

  constructor(
    private readonly options: McpEndpointOptions,
    private readonly servers: McpServers,
  ) {
    this.hostPolicy = hostPolicy({ hosts: options.hosts, origins: options.origins });
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = new Reply(response, performance.now());
    const received: Received = {};
    try {
      const exchange = await this.receive({ request, response, reply, received });
      received.exchange = exchange;
      if (exchange !== undefined) await this.serve(exchange);
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      this.noteRefusal(error, received);
      reply.fail(received.id, error);
    }
  }

  private noteRefusal(error: RoundhouseError, { principal, exchange }: Received): void {
    this.report(error);
    this.servers.auditor.refused(error, { principal, exchange });
  }

  /** Undefined when the request is answered already. */
  private async receive({ request, response, reply, received }: Arrival): Promise<Exchange | undefined> {
    this.assertHostAndOrigin(request);
    allowOrigin(request, response);
    if (request.method === 'OPTIONS') {
      reply.noContent(preflightHeaders(request));
      return undefined;
    }
    const { legacy } = this.servers;
    const isSessionVerb = legacy?.takesVerb(request) === true;
    if (request.method !== 'POST' && !isSessionVerb) throw refusedVerb(request.method);
    legacy?.expect(request, reply);
    const granted = this.options.access.grant(request);
    const access = granted instanceof Promise ? await granted : granted;
    received.principal = access.principal;
    const admitted = this.servers.limits.admit(access);
    if (admitted instanceof Promise) await admitted;
    // Whoever went away meanwhile sends no body either, and its end would be waited for in vain.
    if (reply.hasEnded) return undefined;
    const accepts = parseAccept(request.headers.accept);
    if (isSessionVerb) {
      reply.canStream = accepts.sse;
      await legacy?.serveVerb(this.legacyArrival({ request, response, reply, received }, access));
      return undefined;
    }
    if (!accepts.json) throw new RoundhouseError('not_acceptable', { detail: 'application/json' });
    reply.canStream = accepts.sse;
    const body = await readBody(request, this.options.bodyBytesMax);
    received.id = readableId(body.value);
    const headers = collectMcpHeaders(request);
    if (legacy !== undefined && isLegacyBody(body.value, headers)) {
      // The id of an answer is one of ours, and no request of theirs.
      if (isResponse(body.value)) received.id = undefined;
      await legacy.servePost({ ...this.legacyArrival({ request, response, reply, received }, access), body, headers });
      return undefined;
    }
    reply.errors = MODERN_ERRORS;
    const message = parseMessage(body.value);
    if (message.id === undefined) {
      // The core defines no client notification over HTTP: accepted, never acted upon (A-25, G-05).
      reply.accept();
      return undefined;
    }
    const { method } = message;
    const envelope = assertModern(message, headers);
    assertHeadersAgree(headers, method, envelope);
    assertServed(envelope.protocolVersion);
    const params = isJsonObject(message.params) ? message.params : {};
    assertHeadersComplete(headers, method, params);
    if (!isModernMethod(method)) throw new RoundhouseError('method_not_found', { detail: method });
    const span = body.argumentsSpan;
    return {
      reply,
      principal: access.principal,
      access,
      id: message.id,
      method,
      params,
      envelope,
      headers,
      argumentsText: span === undefined ? undefined : body.text.slice(span.start, span.end),
      parent: parentFrom(envelope) ?? parentFrom(request.headers as Record<string, string>),
    };
  }

  private legacyArrival({ request, reply, received }: Arrival, access: Access): LegacyArrival {
    return {
      ...{ request, reply, access },
      serve: (exchange) => {
        received.exchange = exchange;
        return this.serve(exchange);
      },
      report: (error) => this.noteRefusal(error, { principal: access.principal }),
    };
  }

  private async serve(exchange: Exchange): Promise<void> {
    if (isMultiRoundMethod(exchange.method)) return this.servers.calls.serve(exchange);
    const span = startExchangeSpan(exchange, undefined, undefined);
    try {
      await this.serveSingleRound(exchange);
      span.end();
    } catch (thrown) {
      endWithError(span, RoundhouseError.from(thrown));
      throw thrown;
    }
  }

  private async serveSingleRound(exchange: Exchange): Promise<void> {
    const { catalogue, visible, streams, inFlight, gate } = this.servers;
    const method = exchange.method as Exclude<ModernMethod, MultiRoundMethod>;
    switch (method) {
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        return serveList(exchange, method, { snapshot: catalogue.snapshot, visible });
      case 'server/discover':
        return exchange.reply.succeedPrepared(exchange.id, this.options.discover);
      case 'completion/complete':
        return serveCompletion(exchange, { snapshot: catalogue.snapshot, inFlight, gate });
      case 'subscriptions/listen':
        return streams.open(exchange);
    }
  }

  private assertHostAndOrigin(request: IncomingMessage): void {
    if (!this.hostPolicy.allowsHost(request.headers.host)) throw new RoundhouseError('host_refused');
    if (!this.hostPolicy.allowsOrigin(request.headers.origin)) throw new RoundhouseError('origin_refused');
  }

  /** Exact for the log, vague for the caller. Nothing that came in a body is among the facts. */
  private report(error: RoundhouseError): void {
    if (error.reason === 'client_gone') return;
    const { logLevel } = error.row;
    const entry = { code: error.code, reason: error.reason, ...error.facts, ...causeOf(error) };
    if (logLevel === 'error') this.log.error(entry);
    else if (logLevel === 'warn') this.log.warn(entry);
    else this.log.debug(entry);
  }
}

/** Clients of 2024-11-05 begin with a GET and are told what else there is. */
function refusedVerb(verb: string | undefined): RoundhouseError {
  return new RoundhouseError(verb === 'GET' ? 'sse_transport_refused' : 'verb_not_allowed');
}

/** A parser's message quotes its input, so only errors of our own making and of the system are described. */
function causeOf(error: RoundhouseError): object {
  if (error.cause === undefined || error.code === 'parse_error') return {};
  return {
    cause:
      error.cause instanceof Error
        ? error.code === 'internal'
          ? error.cause.stack
          : error.cause.message
        : String(error.cause),
  };
}
