/**
 * What is written down of each decision (OBS-13): who, what, how it was decided, and what came of it. Digests where a value could tell
 * something; no token, state, argument or answer.
 */
import { hash } from 'node:crypto';
import type { Principal } from '@roundhouse/contracts';
import type { RoundhouseError, ErrorCode } from '@roundhouse/errors';
import { principalDigest } from '@roundhouse/sealed-state';
import type { Route } from '../catalogue/route.js';
import type { Exchange } from '../intake/exchange.js';
import type { RoundEnd } from '../limits/open-flows.js';
import type { Flow } from '../rounds/flow-sealer.js';
import { randomId } from '../rounds/random-id.js';
import type { AuditStream } from './audit-stream.js';

/** Decisions about who may do what; other refusals are about the form of a request. */
const DECISIONS: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'token_invalid',
  'proof_invalid',
  'authorization_malformed',
  'authorization_unavailable',
  'scope_insufficient',
  'not_permitted',
  'rate_limited',
  'state_refused',
  'session_refused',
  'answer_refused',
  'subscription_limit',
  'audit_unavailable',
]);
/** Longest name that is written, in characters: what nobody serves may be called anything. */
const NAME_CHARS_MAX = 256;

export interface AuditorOptions {
  /** Undefined writes nothing down. */
  readonly stream: Pick<AuditStream, 'record' | 'note' | 'noteRefusal'> | undefined;
  readonly about: 'calls' | 'all';
  /** Salts the digests. */
  readonly audience: string;
  /** Of the catalogue in force. */
  readonly catalogueHash: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What is known of a request when it is refused. */
export interface Refused {
  readonly principal: Principal | undefined;
  readonly exchange: Exchange | undefined;
}

/** Tells what came of an allowed call; `error` also of a stored one. */
export type TellOutcome = (end: RoundEnd, error?: RoundhouseError) => void;

interface Decision extends Refused {
  readonly outcome: 'allowed' | 'refused';
  readonly target: unknown;
  /** Names the call in the line that tells its outcome. */
  readonly call?: string;
  readonly flow?: string;
  readonly round?: number;
  readonly code?: ErrorCode;
  readonly reason?: string | undefined;
  readonly rule?: unknown;
}

/** What both lines of an allowed call say. */
interface Allowed {
  readonly call: string;
  readonly method: string;
  readonly target: string;
  readonly flow: string;
  readonly round: number;
}

interface Caller {
  readonly digest: string;
  readonly client: string | undefined;
  readonly tenant: string | undefined;
}

export class Auditor {
  private readonly callers = new WeakMap<Principal, Caller>();
  private time = { atMs: NaN, text: '' };

  constructor(private readonly options: AuditorOptions) {}

  /**
   * Before a round is forwarded, or its stored result given out. What comes of it is a line of its own, because this one
   * may not wait for it; undefined when nothing is written down.
   * @throws RoundhouseError `audit_unavailable`
   */
  allowed(
    exchange: Exchange,
    route: Route,
    { flowId: flow, round }: Pick<Flow, 'flowId' | 'round'>,
  ): TellOutcome | undefined {
    const { stream } = this.options;
    if (stream === undefined) return undefined;
    const call = randomId();
    const target = route.publicName.slice(0, NAME_CHARS_MAX);
    const { principal, method } = exchange;
    stream.record(this.entry({ outcome: 'allowed', principal, exchange, target, call, flow, round }));
    const known: Allowed = { call, method, target, flow, round };
    return (end, error) => stream.note(this.outcome(known, end, error));
  }

  /** Before a list, a completion or a stream is served. @throws RoundhouseError `audit_unavailable` */
  served(exchange: Exchange, route?: Route): void {
    const { stream, about } = this.options;
    if (stream === undefined || about === 'calls') return;
    const target = route === undefined ? nameOf(exchange) : route.publicName.slice(0, NAME_CHARS_MAX);
    stream.record(this.entry({ outcome: 'allowed', principal: exchange.principal, exchange, target }));
  }

  refused({ code, reason, facts }: RoundhouseError, { principal, exchange }: Refused): void {
    const { stream } = this.options;
    if (stream === undefined || !DECISIONS.has(code)) return;
    const target = facts['target'] ?? (exchange && nameOf(exchange));
    const rule = facts['rule'] ?? facts['limit'];
    stream.noteRefusal(this.entry({ outcome: 'refused', principal, exchange, target, code, reason, rule }));
  }

  private outcome(
    { call, method, target, flow, round }: Allowed,
    end: RoundEnd,
    error: RoundhouseError | undefined,
  ): object {
    return {
      time: this.textOf(this.options.now()),
      event: 'outcome',
      outcome: error !== undefined && end !== 'refetched' ? 'failed' : end,
      call,
      method,
      target,
      flow,
      round,
      code: error?.code,
      reason: error?.reason,
    };
  }

  /** Written out member by member: one that spreads parts of it costs several times as much, for each call. */
  private entry(decision: Decision): object {
    const { audience, catalogueHash, now } = this.options;
    const { outcome, principal, exchange, target, call, flow, round, code, reason, rule } = decision;
    const caller = principal && this.callerOf(principal);
    return {
      time: this.textOf(now()),
      event: 'decision',
      outcome,
      principal: caller?.digest,
      client: caller?.client,
      tenant: caller?.tenant,
      method: exchange?.method,
      target,
      catalogue: catalogueHash(),
      arguments: exchange?.argumentsText === undefined ? undefined : digestOf(audience, exchange.argumentsText),
      call,
      flow,
      round,
      code,
      reason,
      rule,
    };
  }

  /** Several calls fall into one millisecond. */
  private textOf(nowMs: number): string {
    if (nowMs !== this.time.atMs) this.time = { atMs: nowMs, text: new Date(nowMs).toISOString() };
    return this.time.text;
  }

  /** The same for every call that a token makes, whose principal is one object for as long as it is remembered. */
  private callerOf(principal: Principal): Caller {
    const known = this.callers.get(principal);
    if (known !== undefined) return known;
    const user = principal.kind === 'user' ? principal : undefined;
    const digest = principalDigest(principal, this.options.audience);
    const caller = { digest, client: user?.clientId, tenant: user?.tenant };
    this.callers.set(principal, caller);
    return caller;
  }
}

/** A URI may say more than which resource is meant; of resources only what their route is called is written. */
function nameOf({ params }: Exchange): string | undefined {
  const { name } = params;
  return typeof name === 'string' ? name.slice(0, NAME_CHARS_MAX).toWellFormed() : undefined;
}

function digestOf(audience: string, text: string): string {
  // An address has no line break, so no two pairs meet.
  return hash('sha256', `${audience}\n${text}`, 'base64url');
}
