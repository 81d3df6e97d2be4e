/**
 * Serves the three methods that may stop and ask: tools/call, prompts/get, resources/read. One round from opened state to
 * written reply, as a list of steps; each step lives in a file of its own beside this one.
 */
import type { Span } from '@opentelemetry/api';
import type { Answers, CallMethod, CallReply, CallRequest } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { capabilitiesOfAsk, checkAsk, missingCapabilities } from '@roundhouse/protocol';
import type { FlowClaims } from '@roundhouse/sealed-state';
import { ATTRIBUTE, LINK_KIND, TOOL_ERROR, carrierOf, toLink, toTraceRef } from '@roundhouse/telemetry';
import type { Auditor, TellOutcome } from '../audit/auditor.js';
import type { CallGate } from '../access/call-gate.js';
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';
import type { Route } from '../catalogue/route.js';
import { catalogueOffers } from '../catalogue/snapshot.js';
import { WorkerCall, type CallTarget } from '../dispatch/worker-call.js';
import type { Exchange } from '../intake/exchange.js';
import type { InFlight } from '../intake/in-flight.js';
import type { CallLimits } from '../limits/call-limits.js';
import type { OpenFlows, RoundEnd } from '../limits/open-flows.js';
import { sampledTraceId } from '../measures/sampled-trace.js';
import { judgeAnswers, openAnswers } from './answers.js';
import { nameAsker } from './asker.js';
import { assertCallable } from './callable.js';
import { outcomeUnknown, type Claim, type ClaimKeeper } from './claim-keeper.js';
import { endExchangeSpan, endWorkerSpan, noteReply, startExchangeSpan, startWorkerSpan } from './exchange-span.js';
import type { Flow, FlowSealer, NextRound } from './flow-sealer.js';
import { noticeRelay } from './notices.js';
import type { Outcome } from './outcome.js';
import { completeResult, inputRequiredResult } from './result-text.js';
import { workerError } from './worker-error.js';

/** Errors after which a dispatched call may have run all the same. */
const MAY_HAVE_RUN = new Set(['worker_lost', 'deadline_exceeded', 'internal']);
/** Errors of a dispatch that reached no worker: the claim is given back. */
const NEVER_BEGAN = new Set(['worker_unavailable', 'overloaded']);

export interface CallRoundsOptions {
  readonly callTimeoutMs: number;
  readonly allowInsecureUrls: boolean;
  readonly inFlight: InFlight;
  readonly limits: Pick<CallLimits, 'enter'>;
  readonly openFlows: Pick<OpenFlows, 'assertRoom' | 'opened' | 'roundEnded' | 'roundFailed'>;
  readonly auditor: Pick<Auditor, 'allowed'>;
  /** Asked in every round, before its state is opened and before a stored result is looked for. */
  readonly gate: CallGate;
}

type Leave = () => void;

/** One object a round, completed as it becomes known: copies with one more member cost a hidden class each. */
interface Round {
  readonly exchange: Exchange;
  readonly route: Route;
  readonly flow: Flow;
  readonly span: Span;
  readonly timeoutMs: number;
  /** Answers of the flow so far, this round's included. */
  answers: Answers | undefined;
  claim: Claim | undefined;
  end: RoundEnd;
}

export class CallRounds {
  constructor(
    private readonly catalogue: CatalogueKeeper,
    private readonly flows: FlowSealer,
    private readonly claims: ClaimKeeper,
    private readonly options: CallRoundsOptions,
  ) {}

  async serve(exchange: Exchange): Promise<void> {
    const begun = this.begin(exchange);
    const round = begun instanceof Promise ? await begun : begun;
    try {
      const entered = this.enter(round);
      const leave = entered instanceof Promise ? await entered : entered;
      try {
        const tell = this.options.auditor.allowed(exchange, round.route, round.flow);
        exchange.reply.succeed(exchange.id, await this.outcomeOf(round, tell));
      } finally {
        leave();
      }
      endExchangeSpan(round.span, exchange);
    } catch (thrown) {
      endExchangeSpan(round.span, exchange, RoundhouseError.from(thrown));
      throw thrown;
    }
  }

  /** What came of the round, counted and written down: a stored outcome ended its flow when it was stored. */
  private async outcomeOf(round: Round, tell: TellOutcome | undefined): Promise<string> {
    const { openFlows } = this.options;
    const { exchange, flow } = round;
    try {
      const outcome = await this.run(round);
      if ('error' in outcome) throw outcome.error;
      openFlows.roundEnded(exchange.access, flow, round.end);
      tell?.(round.end);
      return outcome.result;
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      if (round.end !== 'refetched') openFlows.roundFailed(exchange.access, flow, error);
      tell?.(round.end, error);
      throw thrown;
    }
  }

  /** Room for the call, by this process and by whom it is for. The function that comes back ends both. */
  private enter({ exchange, route }: Round): Leave | Promise<Leave> {
    const { inFlight, limits } = this.options;
    const leaveProcess = inFlight.enter(exchange.reply);
    try {
      const entered = limits.enter(exchange.access, route);
      if (!(entered instanceof Promise)) return both(entered, leaveProcess);
      const refused = (error: unknown): never => {
        leaveProcess();
        throw error;
      };
      return entered.then((leaveLimits) => both(leaveLimits, leaveProcess), refused);
    } catch (error) {
      leaveProcess();
      throw error;
    }
  }

  /** The span is created once its links are known, so what is refused before gets one without any. */
  private begin(exchange: Exchange): Round | Promise<Round> {
    try {
      const route = (exchange.observed.route = assertCallable(exchange, this.catalogue));
      this.options.gate.assert(exchange.access, route, exchange.params);
      const flow = this.flows.open(exchange, route);
      if (!(flow instanceof Promise)) return this.toRound(exchange, route, flow);
      const refused = (thrown: unknown): never => refuseRound(exchange, thrown);
      return flow.then((opened) => this.toRound(exchange, route, opened), refused);
    } catch (thrown) {
      return refuseRound(exchange, thrown);
    }
  }

  private toRound(exchange: Exchange, route: Route, flow: Flow): Round {
    exchange.observed.flow = flow;
    const span = startExchangeSpan(exchange, route, flow);
    exchange.observed.traceId = sampledTraceId(span);
    const timeoutMs = route.timeoutMs ?? this.options.callTimeoutMs;
    return { exchange, route, flow, span, timeoutMs, answers: undefined, claim: undefined, end: 'complete' };
  }

  private run(round: Round): Promise<Outcome> {
    const { exchange, route, flow } = round;
    if (flow.claims !== undefined) return this.goOn(round, flow.claims);
    // Answers without a state count as not given, unless the tool declared that nothing depends on who was asked.
    if (route.openAnswers) round.answers = openAnswers(exchange.params['inputResponses']);
    return this.runOnWorker(round);
  }

  private async goOn(round: Round, claims: FlowClaims): Promise<Outcome> {
    const { exchange, route, span } = round;
    assertStillAskable(exchange, claims.asks);
    const judged = judgeAnswers(claims.asks, exchange.params['inputResponses']);
    exchange.observed.answers = judged.given;
    round.answers = { ...claims.answers, ...judged.given };
    if (Object.keys(judged.open).length > 0) {
      const next = { ...claims, owner: claims.owner, asks: judged.open, answers: round.answers };
      return { result: await this.ask(round, next) };
    }
    if (!route.singleUse) return this.runOnWorker(round);
    const claimed = await this.claims.take({
      claims,
      principal: exchange.principal,
      given: judged.given,
      allCancelled: judged.allCancelled,
      timeoutMs: round.timeoutMs,
      rerunAllowed: route.rerunAllowed,
      traced: round,
    });
    if ('run' in claimed) return this.runOnce(round, (round.claim = claimed.run));
    round.end = 'refetched';
    exchange.observed.isStored = true;
    span.setAttribute(ATTRIBUTE.replayOutcome, 'done');
    const link = claimed.traceRef === undefined ? undefined : toLink(claimed.traceRef, LINK_KIND.originalExecution);
    if (link !== undefined) span.addLink(link);
    return claimed.stored;
  }

  /** A claimed round's outcome is stored before anybody hears of it. */
  private async runOnce(round: Round, claim: Claim): Promise<Outcome> {
    const outcome = await this.runOnWorker(round).catch((thrown: unknown): Outcome => ({
      error: RoundhouseError.from(thrown),
    }));
    if ('error' in outcome && NEVER_BEGAN.has(outcome.error.code)) {
      await claim.release();
      return outcome;
    }
    const known: Outcome =
      'error' in outcome && MAY_HAVE_RUN.has(outcome.error.code)
        ? { error: outcomeUnknown({ cause: outcome.error }) }
        : outcome;
    return claim.settle(known, toTraceRef(round.span.spanContext()));
  }

  private async runOnWorker(round: Round): Promise<Outcome> {
    const { exchange, route, claim } = round;
    const workerSpan = startWorkerSpan(exchange, route, round);
    const call = new WorkerCall(this.targetOf(round), this.toRequest(round, workerSpan), noticeRelay(exchange));
    exchange.observed.call = call;
    // A claimed run is finished and stored although its caller is gone: the caller will fetch it again (REP-9).
    if (claim === undefined || route.abortOnDisconnect) exchange.reply.cancelWhenGone = call;
    if (exchange.reply.hasEnded) exchange.reply.cancelWhenGone?.cancel();
    let reply: CallReply;
    try {
      reply = await call.reply;
    } catch (thrown) {
      endWorkerSpan(workerSpan, call.endpointName, RoundhouseError.from(thrown));
      throw thrown;
    }
    endWorkerSpan(workerSpan, call.endpointName, reply);
    const result = this.toResult(round, reply, call.catalogueHash);
    return { result: typeof result === 'string' ? result : await result };
  }

  private targetOf({ route, flow }: Round): CallTarget {
    return {
      group: route.group,
      offers: (catalogue) => catalogueOffers(catalogue, route),
      catalogueHash: flow.claims?.catalogueHash,
      owner: flow.claims?.owner,
    };
  }

  private toRequest({ exchange, route, flow, answers, claim, timeoutMs }: Round, span: Span): CallRequest {
    const { envelope } = exchange;
    return {
      callId: this.options.inFlight.nextCallId(),
      method: exchange.method as CallMethod,
      target: route.kind === 'resourceTemplates' ? String(exchange.params['uri']) : route.ownName,
      revision: envelope.protocolVersion,
      clientCapabilities: envelope.clientCapabilities,
      principal: exchange.principal,
      deadlineMs: timeoutMs,
      wantsProgress: envelope.progressToken !== undefined,
      logLevel: envelope.logLevel,
      mayCloseStream: exchange.reply.canBeTakenUp ? true : undefined,
      trace: carrierOf(span, exchange.trace.baggage),
      flowId: flow.flowId,
      round: flow.round,
      idempotencyKey: claim?.idempotencyKey,
      continuation: flow.claims?.continuation,
      answers,
      meta: envelope.vendor,
      body: exchange.argumentsText,
    };
  }

  private toResult(round: Round, reply: CallReply, catalogueHash: string): string | Promise<string> {
    const { exchange, route, flow, answers, span } = round;
    if (reply.kind === 'complete') {
      if (reply.isError === true) {
        noteReply(span, TOOL_ERROR);
        round.end = 'tool_error';
      }
      return completeResult(exchange.method as CallMethod, reply, flow.round > 1);
    }
    if (reply.kind === 'error') throw workerError(exchange, route, reply);
    const asks = nameAsker(reply.asks, route.asker);
    this.assertAsks(exchange, route, asks);
    if (route.openAnswers) {
      noteReply(span, 'input_required');
      round.end = 'input_required';
      return inputRequiredResult(asks, undefined);
    }
    const next = { asks, continuation: reply.continuation, answers: answers ?? {}, catalogueHash, owner: reply.owner };
    return this.ask(round, next);
  }

  private async ask(round: Round, next: NextRound): Promise<string> {
    const { exchange, route, flow, span } = round;
    const { openFlows } = this.options;
    const isFirst = flow.claims === undefined;
    if (isFirst) openFlows.assertRoom(exchange.access);
    const state = await this.flows.seal(exchange, route, { flow, next, span: span.spanContext() });
    noteReply(span, 'input_required');
    exchange.observed.sealed = state;
    if (isFirst) openFlows.opened(exchange.access, flow);
    round.end = 'input_required';
    return inputRequiredResult(next.asks, state);
  }

  /** Only what the protocol allows and this request's client can answer leaves the router (D-05, D-32, D-35). */
  private assertAsks(exchange: Exchange, route: Route, asks: CallReplyAsks): void {
    for (const [key, ask] of Object.entries(asks)) {
      const problem = checkAsk(ask, { allowInsecureUrls: this.options.allowInsecureUrls });
      if (problem === undefined) continue;
      throw new RoundhouseError('worker_failed', {
        reason: 'worker_ask_refused',
        facts: { tool: route.publicName, ask: key, problem },
      });
    }
    if (Object.keys(asks).length === 0)
      throw new RoundhouseError('worker_failed', { reason: 'worker_reply_malformed' });
    assertStillAskable(exchange, asks);
  }
}

function both(one: Leave, other: Leave): Leave {
  return () => {
    one();
    other();
  };
}

function refuseRound(exchange: Exchange, thrown: unknown): never {
  endExchangeSpan(startExchangeSpan(exchange, undefined, undefined), exchange, RoundhouseError.from(thrown));
  throw thrown;
}

type CallReplyAsks = Extract<CallReply, { kind: 'input_required' }>['asks'];

/** A retry may declare less than the call before it did: then the flow cannot go on (D-48). */
function assertStillAskable(exchange: Exchange, asks: CallReplyAsks): void {
  for (const ask of Object.values(asks)) {
    const missing = missingCapabilities(capabilitiesOfAsk(ask), exchange.envelope.clientCapabilities);
    if (missing !== undefined)
      throw new RoundhouseError('missing_capability', { data: { requiredCapabilities: missing } });
  }
}
