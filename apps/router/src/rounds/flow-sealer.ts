/**
 * Opens the state a client brings and seals the one it gets (D-07, D-40). Everything wrong with a state is one public
 * answer; the true reason is private. Decides nothing about answers or claims.
 */
import type { Answers, Asks } from '@roundhouse/contracts';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { canonicalJson } from '@roundhouse/protocol';
import {
  StateSealer,
  argumentsDigest,
  checkClaims,
  decodeClaims,
  encodeClaims,
  principalDigest,
  sealedChars,
  type FlowClaims,
} from '@roundhouse/sealed-state';
import { nextRoundIds, nextRoundTrace, type RoundTrace } from '@roundhouse/telemetry';
import type { SpanContext } from '@opentelemetry/api';
import type { Route } from '../catalogue/route.js';
import type { RouterConfig } from '../config.js';
import type { Exchange } from '../intake/exchange.js';
import type { EpochKeeper } from './epoch-keeper.js';
import { randomId } from './random-id.js';
import type { StateShelf } from './state-shelf.js';

const PURPOSE = 'request-state';

/** Where a flow stands in one exchange; on a first call everything is fresh. */
export interface Flow {
  readonly flowId: string;
  readonly startedAtMs: number;
  /** 1-based number of this exchange in its flow. */
  readonly round: number;
  readonly claims: FlowClaims | undefined;
}

/** What the next round will need. */
export interface NextRound {
  readonly asks: Asks;
  readonly continuation: string;
  readonly answers: Answers;
  readonly catalogueHash: string;
  readonly owner: string | undefined;
}

export interface SealedRound {
  readonly flow: Flow;
  readonly next: NextRound;
  readonly span: SpanContext;
}

export interface FlowSealerOptions {
  readonly flow: RouterConfig['flow'];
  readonly epochs: EpochKeeper;
  /** Absent where there is no replay service: then a state that is too large ends its flow. */
  readonly shelf: StateShelf | undefined;
  readonly now?: () => number;
}

export class FlowSealer {
  private readonly options: RouterConfig['flow'];
  private readonly now: () => number;

  constructor(
    private readonly sealer: StateSealer,
    private readonly parts: FlowSealerOptions,
  ) {
    this.options = parts.flow;
    this.now = parts.now ?? Date.now;
  }

  /**
   * Throws `state_refused` for any state that is not exactly ours, live, and made for this caller and this call, and
   * `replay_unavailable` when what it stands for cannot be fetched, or when the next state could not be sealed. Waits for
   * nothing where nothing has to be asked for.
   */
  open(exchange: Exchange, route: Route): Flow | Promise<Flow> {
    const flow = this.openState(exchange, route);
    if (flow.claims?.handle === undefined) return this.whenSealable(flow, route);
    return this.takeFromShelf(flow, flow.claims).then((whole) => this.whenSealable(whole, route));
  }

  private async takeFromShelf(flow: Flow, travelled: FlowClaims): Promise<Flow> {
    const claims = await this.parts.shelf?.take(travelled, travelled.handle ?? '');
    if (claims === undefined) throw refused('state_handle_gone');
    return { ...flow, claims };
  }

  /** Before anything runs: what a tool that runs once asks must be sealed under an epoch. */
  private whenSealable(flow: Flow, route: Route): Flow | Promise<Flow> {
    const ready = route.singleUse ? this.parts.epochs.ready() : undefined;
    return ready === undefined ? flow : ready.then(() => flow);
  }

  private openState(exchange: Exchange, route: Route): Flow {
    const state = exchange.params['requestState'];
    // An explicit null is how some clients write "none" (field case B24).
    if (state === undefined || state === null) {
      return { flowId: randomId(), startedAtMs: this.now(), round: 1, claims: undefined };
    }
    const opened = this.sealer.open(PURPOSE, contextOf(exchange, route), state);
    if (!opened.ok) throw refused(opened.reason);
    const claims = decodeClaims(opened.plaintext);
    if (claims === undefined) throw refused('state_claims_malformed');
    const problem = checkClaims(claims, {
      nowMs: this.now(),
      skewMs: this.options.skewMs,
      flowLifeMs: this.options.flowTtlMs,
      method: exchange.method,
      target: route.publicName,
      argumentsDigest: digestOf(exchange, route),
      principal: (salt) => principalDigest(exchange.principal, salt),
      group: route.group.id,
    });
    if (problem !== undefined) throw refused(problem);
    return { flowId: claims.flowId, startedAtMs: claims.flowStartedAtMs, round: claims.round, claims };
  }

  /** Throws `too_many_rounds`, `state_too_large`, or `replay_unavailable` for a state that needs the replay service. */
  async seal(exchange: Exchange, route: Route, round: SealedRound): Promise<string> {
    const { flow } = round;
    if (flow.round >= this.options.roundsMax) throw new RoundhouseError('too_many_rounds', { reason: 'limit_reached' });
    const claims = this.toClaims(exchange, route, round);
    const sealed = this.sealIfSmall(exchange, route, claims);
    if (sealed !== undefined) return sealed;
    const retainMs = claims.expiresAtMs - claims.issuedAtMs + 2 * this.options.skewMs;
    const travelling = await this.parts.shelf?.put(claims, retainMs);
    const small = travelling && this.sealIfSmall(exchange, route, travelling);
    if (small !== undefined) return small;
    throw new RoundhouseError('state_too_large', {
      reason: 'limit_reached',
      facts: { tool: route.publicName, continuationChars: claims.continuation.length },
    });
  }

  private sealIfSmall(exchange: Exchange, route: Route, claims: FlowClaims): string | undefined {
    const text = encodeClaims(claims);
    if (sealedChars(Buffer.byteLength(text)) > this.options.stateBytesMax) return undefined;
    return this.sealer.seal(PURPOSE, contextOf(exchange, route), text);
  }

  private toClaims(exchange: Exchange, route: Route, { flow, next, span }: SealedRound): FlowClaims {
    const issuedAtMs = this.now();
    const nonce = randomId();
    const principal = flow.claims?.principal ?? principalDigest(exchange.principal, flow.flowId);
    const sealedTrace = flow.claims?.trace as RoundTrace | undefined;
    const trace = nextRoundTrace(span, sealedTrace);
    return {
      v: 1,
      issuedAtMs,
      expiresAtMs: Math.min(issuedAtMs + this.lifeOf(next.asks), flow.startedAtMs + this.options.flowTtlMs),
      nonce,
      flowId: flow.flowId,
      flowStartedAtMs: flow.startedAtMs,
      round: flow.round + 1,
      method: exchange.method,
      target: route.publicName,
      argumentsDigest: flow.claims?.argumentsDigest ?? digestOf(exchange, route),
      principal,
      group: route.group.id,
      catalogueHash: next.catalogueHash,
      asks: next.asks,
      continuation: next.continuation,
      answers: next.answers,
      owner: next.owner,
      singleUse: route.singleUse,
      epochs: route.singleUse ? this.parts.epochs.of({ principal, nonce }) : undefined,
      trace,
      // The ids of the rounds that are linked to, so only while there is a span to link to.
      rpcIds: trace === sealedTrace ? flow.claims?.rpcIds : nextRoundIds(exchange.id, flow.claims?.rpcIds),
    };
  }

  private lifeOf(asks: Asks): number {
    const byUrl = Object.values(asks).some((ask) => ask.params?.['mode'] === 'url');
    return byUrl ? this.options.urlTtlMs : this.options.formTtlMs;
  }
}

/** Tenant and route are authenticated beside the claims: a state cannot even be opened for another one. */
function contextOf(exchange: Exchange, route: Route): readonly string[] {
  const tenant = exchange.principal.kind === 'user' ? (exchange.principal.tenant ?? '') : '';
  return [tenant, route.group.id];
}

function digestOf(exchange: Exchange, route: Route): string {
  return argumentsDigest(exchange.method, route.publicName, canonicalJson(exchange.params['arguments'] ?? {}));
}

function refused(reason: Reason): RoundhouseError {
  return new RoundhouseError('state_refused', { reason, data: { reason: 'invalid_request_state' } });
}
