/**
 * What is written down of each decision (OBS-13): who, what, and how it was decided. Digests where a value could tell
 * something; no token, state, argument or answer.
 */
import { createHash } from 'node:crypto';
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
  'session_refused',
  'answer_refused',
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

export class Auditor {
  constructor(private readonly options: AuditorOptions) {}

  /** Before a round is forwarded, or its stored result given out. @throws RoundhouseError `audit_unavailable` */
  allowed(exchange: Exchange, route: Route, { flowId, round }: Pick<Flow, 'flowId' | 'round'>): void {
    const { stream } = this.options;
    if (stream === undefined) return;
    stream.record({
      ...this.entry('allowed', exchange.principal, exchange),
      target: route.publicName.slice(0, NAME_CHARS_MAX),
      flow: flowId,
      round,
    });
  }

  refused({ code, reason, facts }: RoundhouseError, { principal, exchange }: Refused): void {
    const { stream } = this.options;
    if (stream === undefined || !DECISIONS.has(code)) return;
    stream.note({
      ...this.entry('refused', principal, exchange),
      ...(facts['target'] !== undefined && { target: facts['target'] }),
      ...{ code, reason, rule: facts['rule'] ?? facts['limit'] },
    });
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
