/**
 * Brings what a client posts to the router it is for: an answer to the one that asked, a cancellation to whichever runs the
 * call. Whoever gets it holds it against the session once more.
 */
import type { Access } from '../access/access.js';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import type { RequestId } from '@roundhouse/protocol';
import type { Whereabouts } from './call-bridge.js';
import type { AnswerAccess, AskResponse, PendingAsks } from './pending-asks.js';
import type { Peers } from './peers.js';
import type { References } from './references.js';
import type { RouterTold } from './router-messages.js';
import type { RunningCalls } from './running-calls.js';
import type { SessionBook } from './session-book.js';
import type { Session } from './session-sealer.js';

export interface CourierParts {
  readonly pending: PendingAsks;
  readonly running: RunningCalls;
  readonly references: References;
  readonly peers: Peers;
  readonly whereabouts: Whereabouts;
  readonly sessions: () => SessionBook;
}

type Told<K extends RouterTold['kind']> = Extract<RouterTold, { kind: K }>;

export class Courier {
  constructor(private readonly parts: CourierParts) {}

  /** @throws RoundhouseError `answer_refused`, or `answer_undelivered` when the router that asked is gone */
  async deliver(
    { sid }: Session,
    { id, response }: { readonly id: unknown; readonly response: AskResponse },
    access: Access,
  ): Promise<void> {
    const { references, whereabouts, pending, peers } = this.parts;
    const reference = references.open('ask', id);
    if (reference === undefined) throw refused('ask_not_waiting');
    if (reference.sid !== sid) throw refused('ask_of_other_session');
    const { owner, run, name } = reference;
    if (run === whereabouts.run) {
      if (pending.answer(sid, name, { response, access })) return;
      throw refused('ask_not_waiting');
    }
    if (owner === undefined) throw new RoundhouseError('answer_undelivered', { reason: 'peer_unreachable' });
    const answer = { kind: 'answer' as const, run, sid, name, ...response, ...toTold(access) };
    if (!(await peers.tell(owner, answer))) throw refused('ask_not_waiting');
  }

  async cancel({ sid }: Session, requestId: RequestId): Promise<void> {
    const { running, peers } = this.parts;
    if (!running.cancel(sid, requestId)) await peers.tellAll({ kind: 'cancel', sid, requestId });
  }

  /** What another router says; whether it was of any use here. The principal is the session's, which that router checked. */
  take(told: RouterTold): boolean {
    switch (told.kind) {
      case 'answer':
        return this.takeAnswer(told);
      case 'cancel':
        return this.parts.running.cancel(told.sid, told.requestId);
      case 'ended':
      case 'settings':
        return this.parts.sessions().learn(told);
      case 'resume':
      case 'left':
        return false;
    }
  }

  private takeAnswer({ run, sid, name, result, error, ...access }: Told<'answer'>): boolean {
    const { whereabouts, pending } = this.parts;
    if (run !== whereabouts.run) return false;
    const response = error === undefined ? { result } : { error };
    return pending.answer(sid, name, { response, access: toAccess(access) });
  }
}

function toTold({ scopes, claims, expiresAtMs }: Access): Pick<Told<'answer'>, 'scopes' | 'claims' | 'accessEndsAtMs'> {
  return {
    claims,
    ...(scopes !== undefined && { scopes: [...scopes] }),
    ...(expiresAtMs !== Infinity && { accessEndsAtMs: expiresAtMs }),
  };
}

function toAccess({
  scopes,
  claims,
  accessEndsAtMs,
}: Pick<Told<'answer'>, 'scopes' | 'claims' | 'accessEndsAtMs'>): AnswerAccess {
  return {
    claims,
    scopes: scopes === undefined ? undefined : new Set(scopes),
    expiresAtMs: accessEndsAtMs ?? Infinity,
  };
}

function refused(reason: Reason): RoundhouseError {
  return new RoundhouseError('answer_refused', { reason });
}
