/**
 * What a router that goes down still has to do (HLM-12): calls in flight end by themselves, streams are ended in order,
 * spread over a while so that not all their clients open a new one elsewhere at the same moment.
 */
import type { Drain } from '@roundhouse/service-kit';
import type { RouterParts } from './app.module.js';

export class RouterDrain implements Drain {
  private spreadMs: number;

  constructor(
    private readonly parts: Pick<RouterParts, 'streams' | 'inFlight' | 'legacy'>,
    spreadMs: number,
  ) {
    this.spreadMs = spreadMs;
  }

  begin(): void {
    this.parts.streams.leave(this.spreadMs);
  }

  async idle(): Promise<void> {
    const { inFlight, streams, legacy } = this.parts;
    // A call of an older client may wait for a person between two of its rounds.
    await legacy.idle();
    await Promise.all([inFlight.idle(), streams.idle()]);
  }

  hasten(): void {
    this.spreadMs = 0;
    this.parts.streams.endAll();
  }
}
