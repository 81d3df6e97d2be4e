/**
 * What is written down of each decision (OBS-13): who, what, and how it was decided. Digests where a value could tell
 * something; no token, state, argument or answer.
 */
import { hash } from 'node:crypto';
import type { Principal } from '@roundhouse/contracts';
import type { RoundhouseError, ErrorCode } from '@roundhouse/errors';
import { principalDigest } from '@roundhouse/sealed-state';
import type { Route } from '../catalogue/route.js';
import type { Exchange } from '../intake/exchange.js';
import type { Flow } from '../rounds/flow-sealer.js';
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
  'audit_unavailable',
]);
/** Longest name that is written, in characters: what nobody serves may be called anything. */
const NAME_CHARS_MAX = 256;

export interface AuditorOptions {
  /** Undefined writes nothing down. */
  readonly stream: Pick<AuditStream, 'record' | 'note'> | undefined;
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

interface Decision extends Refused {
  readonly outcome: 'allowed' | 'refused';
  readonly target: unknown;
  readonly flow?: string;
  readonly round?: number;
  readonly code?: ErrorCode;
  readonly reason?: string | undefined;
  readonly rule?: unknown;
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

  /** Before a round is forwarded, or its stored result given out. @throws RoundhouseError `audit_unavailable` */
  allowed(exchange: Exchange, route: Route, { flowId: flow, round }: Pick<Flow, 'flowId' | 'round'>): void {
    const { stream } = this.options;
    if (stream === undefined) return;
    const target = route.publicName.slice(0, NAME_CHARS_MAX);
    stream.record(this.entry({ outcome: 'allowed', principal: exchange.principal, exchange, target, flow, round }));
  }

  refused({ code, reason, facts }: RoundhouseError, { principal, exchange }: Refused): void {
    const { stream } = this.options;
    if (stream === undefined || !DECISIONS.has(code)) return;
    const target = facts['target'] ?? (exchange && nameOf(exchange));
    const rule = facts['rule'] ?? facts['limit'];
    stream.note(this.entry({ outcome: 'refused', principal, exchange, target, code, reason, rule }));
  }

  /** Written out member by member: one that spreads parts of it costs several times as much, for each call. */
  private entry(decision: Decision): object {
    const { audience, catalogueHash, now } = this.options;
    const { outcome, principal, exchange, target, flow, round, code, reason, rule } = decision;
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
