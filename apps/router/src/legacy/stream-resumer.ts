/**
 * Takes up a stream where a client lost it, here or from the router that keeps it. When that router is gone, the client is
 * told at once that its call was lost with it, instead of waiting for an answer that cannot come.
 */
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import type { KeepAlive } from '../reply/keep-alive.js';
import type { Reply } from '../reply/reply.js';
import { randomId } from '../rounds/random-id.js';
import type { Whereabouts } from './call-bridge.js';
import type { Follower, Journals } from './journals.js';
import type { Peers } from './peers.js';
import type { Reference, References } from './references.js';
import type { Session } from './session-sealer.js';

/** `<reference>.<number>`, as journals make them. */
const EVENT_ID = /^(v1\.[\w-]+)\.(\d{1,9})$/;

export interface StreamResumerParts {
  readonly references: References;
  readonly journals: Journals;
  readonly peers: Peers;
  readonly whereabouts: Whereabouts;
  readonly keepAlive: KeepAlive;
}

interface Point {
  readonly reference: Reference;
  readonly after: number;
}

export class StreamResumer {
  constructor(private readonly parts: StreamResumerParts) {}

  /** @throws RoundhouseError `stream_refused` or `not_acceptable` */
  async resume({ sid }: Session, lastEventId: string, reply: Reply): Promise<void> {
    if (!reply.canStream) throw new RoundhouseError('not_acceptable', { detail: 'text/event-stream' });
    const point = this.parse(lastEventId);
    if (point === undefined || point.reference.sid !== sid) throw refused('as_coded');
    const watched = this.parts.keepAlive.watch(reply);
    try {
      if (point.reference.run === this.parts.whereabouts.run) await this.resumeHere(point, reply);
      else await this.resumeElsewhere(point, reply);
    } finally {
      this.parts.keepAlive.forget(watched);
    }
  }

  private parse(lastEventId: string): Point | undefined {
    const [, ref, number] = EVENT_ID.exec(lastEventId) ?? [];
    const reference = this.parts.references.open('stream', ref);
    return reference && { reference, after: Number(number) };
  }

  private resumeHere({ reference: { sid, name }, after }: Point, reply: Reply): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        reply.endStream();
        resolve();
      };
      const follower: Follower = {
        event: (id, message, isLast) => {
          reply.repeat(message, id);
          if (isLast) end();
        },
        prime: (id, retryMs) => reply.prime(id, retryMs),
        end,
      };
      reply.cancelWhenGone = {
        cancel: () => {
          this.parts.journals.unfollow(name, follower);
          resolve();
        },
      };
      if (!this.parts.journals.follow({ sid, name, after }, follower)) reject(refused('as_coded'));
    });
  }

  private async resumeElsewhere({ reference, after }: Point, reply: Reply): Promise<void> {
    const { owner, run, sid, name } = reference;
    try {
      if (owner === undefined) throw new RoundhouseError('answer_undelivered', { reason: 'peer_unreachable' });
      const reader = randomId();
      const message = { kind: 'resume' as const, run, sid, name, after, reader };
      reply.cancelWhenGone = { cancel: () => this.tellLeft(owner, reader) };
      await this.parts.peers.resume(owner, message, ({ id, data, retryMs }) =>
        data === '' ? reply.prime(id, retryMs) : reply.repeat(data, id),
      );
      reply.endStream();
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      if (error.code !== 'answer_undelivered') throw error;
      this.tellLost(reference, reply);
    }
  }

  /** So that the end of the call is kept for whoever comes next; a router that cannot be told has forgotten it anyway. */
  private tellLeft(owner: string, reader: string): void {
    void this.parts.peers.tell(owner, { kind: 'left', reader }).catch(() => undefined);
  }

  /** As the answer to the call itself, because that is what the client still waits for. */
  private tellLost({ requestId }: Reference, reply: Reply): void {
    const error = new RoundhouseError('asker_lost', { reason: 'peer_unreachable' });
    if (requestId === undefined) throw error;
    reply.openStream();
    reply.fail(requestId, error);
  }
}

function refused(reason: Reason): RoundhouseError {
  return new RoundhouseError('stream_refused', { reason });
}
