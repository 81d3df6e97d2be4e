/**
 * The MCP endpoint: from a raw HTTP request to a served exchange. `admit`, `receive` and `readExchange` are the
 * ladder of protocol section 1, one line a rung; whoever changes the order changes which error a client sees first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { isSpanContextValid, type Span } from '@opentelemetry/api';
import type { Principal } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import {
  hostPolicy,
  isMultiRoundMethod,
  parseAccept,
  type HostPolicy,
  type ModernMethod,
  type MultiRoundMethod,
  type RequestId,
} from '@roundhouse/protocol';
import { ATTRIBUTE } from '@roundhouse/telemetry';
import type { Access, AccessControl } from '../access/access.js';
import type { CallGate } from '../access/call-gate.js';
import type { Auditor } from '../audit/auditor.js';
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';
import { serveList } from '../catalogue/lists.js';
import type { VisibleLists } from '../catalogue/visible-lists.js';
import type { ExchangeWatch } from '../console/exchange-watch.js';
import type { LegacyArrival, LegacyEndpoint, LegacyPost } from '../legacy/legacy-endpoint.js';
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
import { isLegacyBody } from './era.js';
import type { Exchange } from './exchange.js';
import type { InFlight } from './in-flight.js';
import { collectMcpHeaders } from './mcp-headers.js';
import { isResponse, readableId } from './message.js';
import { allowOrigin, preflightHeaders } from './preflight.js';
import { readExchange } from './read-exchange.js';

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
      const arrival = { request, response, reply, received, arrivedMs };
      const admitted = this.admit(arrival);
      const access = admitted instanceof Promise ? await admitted : admitted;
      const exchange = access && (await this.receive(arrival, access));
      received.exchange = observed.exchange = exchange;
      if (exchange !== undefined) await this.serve(exchange);
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      failure = error;
      this.noteRefusal(error, received);
      if (received.exchange === undefined) recordRefusal(request, arrivedMs, error);
      reply.fail(received.id, error);
    }
    // Each round of an older client's call is measured by itself.
    if (received.exchange?.spokenRevision === undefined) this.servers.measures?.ended(observed, reply, failure);
  }

  private noteRefusal(error: RoundhouseError, { principal, exchange }: Omit<Received, 'observed'>): void {
    this.report(error, exchange);
    this.servers.watch.refused(error, exchange);
    this.servers.auditor.refused(error, { principal, exchange });
  }

  /**
   * The rungs before the body, without a wait where that is possible: a flood is refused here, and Node takes note of each
   * promise that is rejected before anybody waits for it. Undefined when the request is answered already.
   */
  private admit({ request, response, reply, received }: Arrival): Access | undefined | Promise<Access> {
    this.assertHostAndOrigin(request);
    allowOrigin(request, response);
    if (request.method === 'OPTIONS') {
      reply.noContent(preflightHeaders(request));
      return undefined;
    }
    const { legacy } = this.servers;
    if (request.method !== 'POST' && legacy?.takesVerb(request) !== true) throw refusedVerb(request.method);
    legacy?.expect(request, reply);
    const granted = this.options.access.grant(request);
    if (granted instanceof Promise) return granted.then((access) => this.assertRoom(access, received));
    return this.assertRoom(granted, received);
  }

  private assertRoom(access: Access, received: Received): Access | Promise<Access> {
    received.principal = access.principal;
    const admitted = this.servers.limits.admit(access);
    return admitted instanceof Promise ? admitted.then(() => access) : access;
  }

  /** Undefined when the request is answered already. */
  private async receive(
    { request, reply, received, arrivedMs }: Arrival,
    access: Access,
  ): Promise<Exchange | undefined> {
    // Whoever went away meanwhile sends no body either, and its end would be waited for in vain.
    if (reply.hasEnded) return undefined;
    const accepts = parseAccept(request.headers.accept);
    reply.canStream = accepts.sse;
    // Only older clients have verbs other than POST.
    if (request.method !== 'POST') return this.serveOlder({ request, reply, received }, access);
    if (!accepts.json) throw new RoundhouseError('not_acceptable', { detail: 'application/json' });
    const body = await readBody(request, this.options.bodyBytesMax);
    received.id = readableId(body.value);
    const headers = collectMcpHeaders(request);
    if (this.servers.legacy !== undefined && isLegacyBody(body.value, headers))
      return this.serveOlder({ request, reply, received }, access, { body, headers });
    return readExchange({ request, reply, access, body, headers, observed: received.observed, arrivedMs });
  }

  /** A client of an older revision; without a message it sent a verb of its session. */
  private async serveOlder(
    { request, reply, received }: Pick<Arrival, 'request' | 'reply' | 'received'>,
    access: Access,
    message?: Pick<LegacyPost, 'body' | 'headers'>,
  ): Promise<undefined> {
    const { legacy } = this.servers;
    const arrival: LegacyArrival = {
      request,
      reply,
      access,
      arrivedMs: received.observed.startedMs,
      serve: (exchange) => {
        received.exchange = exchange;
        return this.serveRound(exchange, reply);
      },
      report: (error) => this.noteRefusal(error, { principal: access.principal }),
    };
    // The id of an answer is one of ours, and no request of theirs.
    if (isResponse(message?.body.value)) received.id = undefined;
    if (message === undefined) await legacy?.serveVerb(arrival);
    else await legacy?.servePost(arrival, message);
    return undefined;
  }

  /** One of several exchanges that answer an older client's request. */
  private async serveRound(exchange: Exchange, line: Reply): Promise<void> {
    const { observed, method } = exchange;
    observed.method = method;
    observed.exchange = exchange;
    try {
      await this.serve(exchange);
      this.servers.measures?.ended(observed, line, undefined);
    } catch (thrown) {
      this.servers.measures?.ended(observed, line, RoundhouseError.from(thrown));
      throw thrown;
    }
  }

  private serve(exchange: Exchange): Promise<void> {
    return isMultiRoundMethod(exchange.method) ? this.servers.calls.serve(exchange) : this.serveAtOnce(exchange);
  }

  private async serveAtOnce(exchange: Exchange): Promise<void> {
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
    const { code, reason, facts } = error;
    // Not spread: V8 takes 3 µs for that here.
    const entry = Object.assign({ code, reason }, facts, causeOf(error), tracesOf(exchange));
    if (logLevel === 'error') this.log.error(entry);
    else if (logLevel === 'warn') this.log.warn(entry);
    else this.log.debug(entry);
  }
}

/** Clients of 2024-11-05 begin with a GET and are told what else there is. */
function refusedVerb(verb: string | undefined): RoundhouseError {
  return new RoundhouseError(verb === 'GET' ? 'sse_transport_refused' : 'verb_not_allowed');
}

/** So that a line is found from its trace, and the rounds of one flow from each other. */
function tracesOf(exchange: Exchange | undefined): object | undefined {
  const span = exchange?.span?.spanContext();
  if (exchange === undefined || span === undefined || !isSpanContextValid(span)) return undefined;
  return { trace_id: span.traceId, span_id: span.spanId, [ATTRIBUTE.flowId]: exchange.observed.flow?.flowId };
}

/** A parser's message quotes its input, so only errors of our own making and of the system are described. */
function causeOf(error: RoundhouseError): object | undefined {
  if (error.cause === undefined || error.code === 'parse_error') return undefined;
  return {
    cause:
      error.cause instanceof Error
        ? error.code === 'internal'
          ? error.cause.stack
          : error.cause.message
        : String(error.cause),
  };
}
