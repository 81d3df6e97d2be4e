/**
 * How many calls this process runs right now, how to tell when the last is over, and the ids they go by towards workers.
 * Beyond the limit a call is refused before any work was done for it (BP-1).
 */
import { randomBytes } from 'node:crypto';
import { RoundhouseError } from '@roundhouse/errors';
import type { KeepAlive } from '../reply/keep-alive.js';
import type { ExchangeReply } from '../reply/exchange-reply.js';

export class InFlight {
  private count = 0;
  private sequence = 0;
  private readonly processId = randomBytes(6).toString('base64url');
  private whenIdle: (() => void) | undefined;

  constructor(
    private readonly callsMax: number,
    private readonly keepAlive: KeepAlive,
  ) {}

  get size(): number {
    return this.count;
  }

  /** Throws `overloaded`. The function returned must be called once, when the call is over. */
  enter(reply: ExchangeReply): () => void {
    if (this.count >= this.callsMax)
      throw new RoundhouseError('overloaded', { reason: 'limit_reached', retryAfterS: 1 });
    this.count += 1;
    const watched = this.keepAlive.watch(reply);
    return () => {
      this.keepAlive.forget(watched);
      this.count -= 1;
      if (this.count === 0) this.whenIdle?.();
    };
  }

  /** Unique among all routers that talk to a worker. */
  nextCallId(): string {
    this.sequence += 1;
    return `${this.processId}-${this.sequence}`;
  }

  async idle(): Promise<void> {
    if (this.count === 0) return;
    await new Promise<void>((resolve) => {
      this.whenIdle = resolve;
    });
  }
}
