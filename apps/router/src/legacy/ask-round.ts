/**
 * The questions of one round, put to an older client as requests of ours on its call's own stream (K-31), and gathered. It
 * is over with the last answer, or with the first that cannot be had; then the client need not answer the others.
 */
import type { Ask, Asks } from '@roundhouse/contracts';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { isJsonObject, legacyAskParams, setOwn, type LegacyRevision } from '@roundhouse/protocol';
import { randomId } from '../rounds/random-id.js';
import type { AnswerAccess, Answered, PendingAsks } from './pending-asks.js';

export interface AskRoundParts {
  readonly pending: PendingAsks;
  readonly sid: string;
  readonly owner: string;
  readonly revision: LegacyRevision;
  /** How long the state lives that waits for the answers. */
  readonly lifeMs: number;
  /** The id by which the client answers, for a name that means something here. */
  readonly referTo: (name: string) => string;
  readonly send: (message: string) => void;
}

export interface RoundAnswers {
  readonly inputResponses: Readonly<Record<string, unknown>>;
  readonly access: AnswerAccess | undefined;
}

interface Put {
  readonly key: string;
  readonly name: string;
  readonly id: string;
  readonly ask: Ask;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

export class AskRound {
  private readonly open = new Map<string, Put>();
  private readonly given: Record<string, unknown> = {};
  private access: AnswerAccess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private settle: ((answers: RoundAnswers) => void) | undefined;
  private refuse: ((error: RoundhouseError) => void) | undefined;

  constructor(
    asks: Asks,
    private readonly parts: AskRoundParts,
  ) {
    // All of them before the first is sent: a person is not asked what leads nowhere.
    for (const [key, ask] of Object.entries(asks)) this.open.set(key, this.toPut(key, ask));
  }

  /** @throws RoundhouseError `ask_unanswered`, `overloaded`, `draining` */
  run(): Promise<RoundAnswers> {
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.refuse = reject;
      this.timer = setTimeout(() => this.fail('ask_timed_out', 'its time is over'), this.parts.lifeMs);
      try {
        for (const put of this.open.values()) this.wait(put);
      } catch (error) {
        return this.end(RoundhouseError.from(error));
      }
      for (const { id, ask, params } of this.open.values())
        this.parts.send(JSON.stringify({ jsonrpc: '2.0', id, method: ask.method, params }));
    });
  }

  /** The call is over: nothing is waited for any more. */
  stop(): void {
    this.end(new RoundhouseError('ask_unanswered', { reason: 'client_gone', detail: 'the call was cancelled' }));
  }

  private toPut(key: string, ask: Ask): Put {
    const made = legacyAskParams(ask, this.parts.revision, randomId());
    if ('refused' in made) throw new RoundhouseError('ask_unsayable', { detail: made.refused });
    const name = randomId();
    return { key, ask, name, id: this.parts.referTo(name), params: made.params };
  }

  private wait({ key, name }: Put): void {
    const { pending, sid, owner } = this.parts;
    pending.add(name, {
      sid,
      owner,
      take: (answered) => this.take(key, answered),
      abandon: () => this.end(new RoundhouseError('draining', { retryAfterS: 1 })),
    });
  }

  private take(key: string, { response, access }: Answered): void {
    this.open.delete(key);
    if ('error' in response) return this.fail('ask_refused_by_client', refusalText(response.error));
    setOwn(this.given, key, response.result);
    this.access = access;
    if (this.open.size > 0) return;
    clearTimeout(this.timer);
    this.settle?.({ inputResponses: this.given, access: this.access });
  }

  private fail(reason: Reason, detail: string): void {
    this.end(new RoundhouseError('ask_unanswered', { reason, detail }));
  }

  private end(error: RoundhouseError): void {
    clearTimeout(this.timer);
    for (const { id, name } of this.open.values()) {
      this.parts.pending.forget(name);
      const params = { requestId: id, reason: 'no longer waited for' };
      this.parts.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
    }
    this.open.clear();
    this.refuse?.(error);
  }
}

/** The code alone: a client's own words may repeat what it was asked. */
function refusalText(error: unknown): string {
  const code = isJsonObject(error) ? error['code'] : undefined;
  return `the client refused it${Number.isSafeInteger(code) ? ` with ${String(code)}` : ''}`;
}
