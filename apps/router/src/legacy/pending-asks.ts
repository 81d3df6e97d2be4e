/**
 * Questions of this router that wait for an answer. Each is taken once: what comes twice, late, or from another session
 * finds nothing. How many may wait is limited, because each keeps a call and its connection.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { Access } from '../access/access.js';

/** What a client posted for a request of ours; untrusted. */
export type AskResponse = { readonly result: unknown } | { readonly error: unknown };

/** What whoever answered may do now: the next round is judged by it (C-10). Who it is, the session has settled. */
export type AnswerAccess = Omit<Access, 'principal'>;

export interface Answered {
  readonly response: AskResponse;
  readonly access: AnswerAccess;
}

interface Waiting {
  readonly sid: string;
  readonly owner: string;
  take(answered: Answered): void;
  abandon(): void;
}

export interface PendingAsksOptions {
  readonly asksMax: number;
  readonly perPrincipalMax: number;
}

export class PendingAsks {
  private readonly waiting = new Map<string, Waiting>();
  private readonly owned = new Map<string, number>();

  constructor(private readonly options: PendingAsksOptions) {}

  get size(): number {
    return this.waiting.size;
  }

  /** @throws RoundhouseError `overloaded` */
  add(name: string, waiting: Waiting): void {
    const owned = this.owned.get(waiting.owner) ?? 0;
    const { asksMax, perPrincipalMax } = this.options;
    if (this.waiting.size >= asksMax || owned >= perPrincipalMax)
      throw new RoundhouseError('overloaded', { reason: 'limit_reached', retryAfterS: 1 });
    this.waiting.set(name, waiting);
    this.owned.set(waiting.owner, owned + 1);
  }

  forget(name: string): void {
    const waiting = this.waiting.get(name);
    if (waiting === undefined) return;
    this.waiting.delete(name);
    const owned = (this.owned.get(waiting.owner) ?? 0) - 1;
    if (owned > 0) this.owned.set(waiting.owner, owned);
    else this.owned.delete(waiting.owner);
  }

  /** Whether it was waited for. */
  answer(sid: string, name: string, answered: Answered): boolean {
    const waiting = this.waiting.get(name);
    if (waiting === undefined || waiting.sid !== sid) return false;
    this.forget(name);
    waiting.take(answered);
    return true;
  }

  /** Whatever still waits is told that nobody will be here to hear the answer. */
  abandonAll(): void {
    for (const waiting of [...this.waiting.values()]) waiting.abandon();
  }
}
