/**
 * What is written down of each decision (OBS-13): who, what, how it was decided, and what came of it. Digests where a value could tell
 * something; no token, state, argument or answer.
 */
import { createHash } from 'node:crypto';
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

export class Auditor {
  constructor(private readonly options: AuditorOptions) {}

  /**
   * Before a round is forwarded, or its stored result given out. What comes of it is a line of its own, because this one
   * may not wait for it; undefined when nothing is written down.
   * @throws RoundhouseError `audit_unavailable`
   */
  allowed(exchange: Exchange, route: Route, flow: Pick<Flow, 'flowId' | 'round'>): TellOutcome | undefined {
    const { stream } = this.options;
    if (stream === undefined) return undefined;
    const call = {
      call: randomId(),
      method: exchange.method,
      target: route.publicName.slice(0, NAME_CHARS_MAX),
      flow: flow.flowId,
      round: flow.round,
    };
    stream.record({ ...this.entry('allowed', exchange.principal, exchange), ...call });
    return (end, error) => stream.note(this.outcome(call, end, error));
  }

  /** Before a list, a completion or a stream is served. @throws RoundhouseError `audit_unavailable` */
  served(exchange: Exchange, route?: Route): void {
    const { stream, about } = this.options;
    if (stream === undefined || about === 'calls') return;
    const target = route?.publicName.slice(0, NAME_CHARS_MAX);
    stream.record({ ...this.entry('allowed', exchange.principal, exchange), ...(target !== undefined && { target }) });
  }

  refused({ code, reason, facts }: RoundhouseError, { principal, exchange }: Refused): void {
    const { stream } = this.options;
    if (stream === undefined || !DECISIONS.has(code)) return;
    stream.noteRefusal({
      ...this.entry('refused', principal, exchange),
      ...(facts['target'] !== undefined && { target: facts['target'] }),
      ...{ code, reason, rule: facts['rule'] ?? facts['limit'] },
    });
  }

  private outcome(call: object, end: RoundEnd, error: RoundhouseError | undefined): object {
    return {
      time: new Date(this.options.now()).toISOString(),
      event: 'outcome',
      outcome: error !== undefined && end !== 'refetched' ? 'failed' : end,
      ...call,
      ...{ code: error?.code, reason: error?.reason },
    };
  }

  private entry(outcome: string, principal: Principal | undefined, exchange: Exchange | undefined): object {
    const { audience, catalogueHash, now } = this.options;
    const user = principal?.kind === 'user' ? principal : undefined;
    return {
      time: new Date(now()).toISOString(),
      event: 'decision',
      outcome,
      principal: principal && principalDigest(principal, audience),
      client: user?.clientId,
      tenant: user?.tenant,
      method: exchange?.method,
      target: exchange && nameOf(exchange),
      catalogue: catalogueHash(),
      arguments: exchange?.argumentsText === undefined ? undefined : digestOf(audience, exchange.argumentsText),
    };
  }
}

/** A URI may say more than which resource is meant; of resources only what their route is called is written. */
function nameOf({ params }: Exchange): string | undefined {
  const { name } = params;
  return typeof name === 'string' ? name.slice(0, NAME_CHARS_MAX).toWellFormed() : undefined;
}

function digestOf(audience: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([audience, text]))
    .digest('base64url');
}
