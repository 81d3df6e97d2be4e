/**
 * Keeps quiet lines alive: one timer for all open replies. A call silent for too long becomes a stream, because a JSON
 * answer offers nothing to send meanwhile (G-09); a silent stream gets a comment line.
 */
import { PendingTable } from '@roundhouse/service-kit';
import type { ExchangeReply } from './exchange-reply.js';

/** Granularity of both intervals: cheap, and a second more or less matters to nobody. */
const TICK_MS = 1_000;
const NOT_WATCHED = -1;

export interface KeepAliveOptions {
  readonly streamAfterMs: number;
  readonly heartbeatMs: number;
}

export class KeepAlive {
  private readonly quiet = new PendingTable<ExchangeReply>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly options: KeepAliveOptions,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.timer = setInterval(() => this.tick(), Math.min(TICK_MS, options.streamAfterMs, options.heartbeatMs));
    this.timer.unref();
  }

  /** The number returned takes the reply out again. A client that takes no stream is not watched. */
  watch(reply: ExchangeReply): number {
    return reply.canStream ? this.quiet.add(reply) : NOT_WATCHED;
  }

  forget(watched: number): void {
    this.quiet.delete(watched);
  }

  get size(): number {
    return this.quiet.size;
  }

  /** Replies that are event streams by now. */
  countStreams(): number {
    return this.quiet.values().filter(({ isStream }) => isStream).length;
  }

  stop(): void {
    clearInterval(this.timer);
    this.quiet.clear();
  }

  tick(): void {
    const now = this.now();
    for (const reply of this.quiet.values()) {
      const silentMs = now - reply.lastWriteMs;
      if (reply.hasEnded) continue;
      if (reply.isStream && silentMs >= this.options.heartbeatMs) reply.comment();
      else if (!reply.isStream && silentMs >= this.options.streamAfterMs) {
        reply.openStream();
        reply.comment();
      }
    }
  }
}
