/**
 * The MCP endpoint: from a raw HTTP request to a served exchange. `receive` is the ladder of protocol section 1, one line
 * a rung; whoever changes the order changes which error a client sees first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { isSpanContextValid, type Span } from '@opentelemetry/api';
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
import { ATTRIBUTE } from '@roundhouse/telemetry';
import type { AccessControl } from '../access/access.js';
import type { CallGate } from '../access/call-gate.js';
import type { Auditor } from '../audit/auditor.js';
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';
import { serveList } from '../catalogue/lists.js';
import type { VisibleLists } from '../catalogue/visible-lists.js';
import type { ExchangeWatch } from '../console/exchange-watch.js';
import type { CallLimits } from '../limits/call-limits.js';
import { Observed } from '../measures/observed.js';
import type { RouterMeasures } from '../measures/router-measures.js';
import { sampledTraceId } from '../measures/sampled-trace.js';
import { Reply } from '../reply/reply.js';
import type { CallRounds } from '../rounds/call-rounds.js';
import { serveCompletion } from '../rounds/completion.js';
import { recordRefusal } from '../rounds/http-span.js';
import { endExchangeSpan, startExchangeSpan } from '../rounds/exchange-span.js';
import type { ListenStreams } from '../subscriptions/listen-streams.js';
import { readBody } from './body.js';
import { assertModern, assertServed } from './era.js';
import type { Exchange } from './exchange.js';
import type { InFlight } from './in-flight.js';
import { readIncomingTrace } from './incoming-trace.js';
import { assertHeadersAgree, assertHeadersComplete, collectMcpHeaders } from './mcp-headers.js';
import { parseMessage, readableId } from './message.js';
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
  readonly watch: ExchangeWatch;
  /** Undefined where nothing is measured. */
  readonly measures: RouterMeasures | undefined;
}

/** What is known of a request when it fails: the id, once it was readable, who sent it, and all of it. */
interface Received {
  id?: RequestId | undefined;
  principal?: Principal | undefined;
  exchange?: Exchange | undefined;
  readonly observed: Observed;
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reply: Reply;
  readonly received: Received;
  readonly arrivedMs: number;
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
    const arrivedMs = performance.now();
    const observed = new Observed(arrivedMs);
    const reply = new Reply(response, arrivedMs);
    const received: Received = { observed };
    let failure: RoundhouseError | undefined;
    this.servers.watch.began();
    try {
      const exchange = await this.receive({ request, response, reply, received, arrivedMs });
      received.exchange = observed.exchange = exchange;
      if (exchange !== undefined) await this.serve(exchange);
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      failure = error;
      this.report(error, received.exchange);
      this.servers.watch.refused(error, received.exchange);
      if (received.exchange === undefined) recordRefusal(request, arrivedMs, error);
      this.servers.auditor.refused(error, { principal: received.principal, exchange: received.exchange });
      reply.fail(received.id, error);
    }
    this.servers.measures?.ended(observed, reply, failure);
  }

  /** Undefined when the request is answered already. */
  private async receive({ request, response, reply, received, arrivedMs }: Arrival): Promise<Exchange | undefined> {
    this.assertHostAndOrigin(request);
    allowOrigin(request, response);
    if (request.method === 'OPTIONS') {
      reply.preflight(preflightHeaders(request));
      return undefined;
    }
    if (request.method !== 'POST') throw new RoundhouseError('verb_not_allowed');
    const granted = this.options.access.grant(request);
    const access = granted instanceof Promise ? await granted : granted;
    received.principal = access.principal;
    const admitted = this.servers.limits.admit(access);
    if (admitted instanceof Promise) await admitted;
    // Whoever went away meanwhile sends no body either, and its end would be waited for in vain.
    if (reply.hasEnded) return undefined;
    const accepts = parseAccept(request.headers.accept);
    if (!accepts.json) throw new RoundhouseError('not_acceptable', { detail: 'application/json' });
    reply.canStream = accepts.sse;
    const body = await readBody(request, this.options.bodyBytesMax);
    received.id = readableId(body.value);
    const headers = collectMcpHeaders(request);
    const message = parseMessage(body.value);
    if (message.id === undefined) {
      // The core defines no client notification over HTTP: accepted, never acted upon (A-25, G-05).
      reply.accept();
      return undefined;
    }
    const { method } = message;
    received.observed.method = method;
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
      observed: received.observed,
      trace: readIncomingTrace(envelope, request.headers),
      arrivedMs,
      httpSpan: undefined,
      span: undefined,
    };
  }

  private async serve(exchange: Exchange): Promise<void> {
    if (isMultiRoundMethod(exchange.method)) return this.servers.calls.serve(exchange);
    const span = startExchangeSpan(exchange, undefined, undefined);
    exchange.observed.traceId = sampledTraceId(span);
    try {
      await this.serveSingleRound(exchange, span);
      endExchangeSpan(span, exchange);
    } catch (thrown) {
      endExchangeSpan(span, exchange, RoundhouseError.from(thrown));
      throw thrown;
    }
  }

  private async serveSingleRound(exchange: Exchange, span: Span): Promise<void> {
    const { catalogue, visible, streams, inFlight, gate, auditor } = this.servers;
    const method = exchange.method as Exclude<ModernMethod, MultiRoundMethod>;
    switch (method) {
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        auditor.served(exchange);
        return serveList(exchange, method, { snapshot: catalogue.snapshot, visible });
      case 'server/discover':
        return exchange.reply.succeedPrepared(exchange.id, this.options.discover);
      case 'completion/complete':
        return serveCompletion(exchange, { snapshot: catalogue.snapshot, inFlight, gate, auditor, span });
      case 'subscriptions/listen':
        return streams.open(exchange);
    }
  }

  private assertHostAndOrigin(request: IncomingMessage): void {
    if (!this.hostPolicy.allowsHost(request.headers.host)) throw new RoundhouseError('host_refused');
    if (!this.hostPolicy.allowsOrigin(request.headers.origin)) throw new RoundhouseError('origin_refused');
  }

  /** Exact for the log, vague for the caller. Nothing that came in a body is among the facts. */
  private report(error: RoundhouseError, exchange: Exchange | undefined): void {
    if (error.reason === 'client_gone') return;
    const { logLevel } = error.row;
    const entry = { code: error.code, reason: error.reason, ...error.facts, ...causeOf(error), ...tracesOf(exchange) };
    if (logLevel === 'error') this.log.error(entry);
    else if (logLevel === 'warn') this.log.warn(entry);
    else this.log.debug(entry);
  }
}

/** So that a line is found from its trace, and the rounds of one flow from each other. */
function tracesOf(exchange: Exchange | undefined): object {
  const span = exchange?.span?.spanContext();
  if (exchange === undefined || span === undefined || !isSpanContextValid(span)) return {};
  return { trace_id: span.traceId, span_id: span.spanId, [ATTRIBUTE.flowId]: exchange.observed.flow?.flowId };
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
