/**
 * Knows the epochs of the replay store, so that sealing a state costs no question (REP-5, REP-13). Asks when a call first
 * needs them, again in the background when they are old, and when a claim found one of them stale. States sealed under
 * an epoch that has ended are refused when they come back: safe, and the flow starts again.
 */
import { bucketOf } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { claimIdOf } from './claim-id.js';

/** How long a store that forgot everything may go unnoticed while nobody answers. */
const ASK_AGAIN_AFTER_MS = 30_000;

export interface EpochSource {
  /** Of all buckets, in the order of their numbers. */
  epochs(): Promise<readonly string[]>;
}

export class EpochKeeper {
  private known: readonly string[] | undefined;
  private askedAtMs = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly source: EpochSource,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Undefined where epochs are known, be they the last ones of a service that is away now; otherwise resolves when they are.
   * @throws RoundhouseError `replay_unavailable` when none was ever known
   */
  ready(): Promise<void> | undefined {
    if (this.known === undefined) return this.ask();
    if (this.now() - this.askedAtMs >= ASK_AGAIN_AFTER_MS) this.ask().catch(() => undefined);
    return undefined;
  }

  /** For the two claims that can be made on a state. */
  of(state: { readonly principal: string; readonly nonce: string }): { answer: string; cancel: string } {
    return { answer: this.at(claimIdOf(state, 'answer')), cancel: this.at(claimIdOf(state, 'cancel')) };
  }

  /** Asks again unless that has been done since: whoever sends an old state over and over causes nothing. */
  async replace(claimId: string, stale: string): Promise<void> {
    if (this.known?.[bucketOf(claimId)] === stale) await this.ask().catch(() => undefined);
  }

  private at(claimId: string): string {
    const epoch = this.known?.[bucketOf(claimId)];
    if (epoch === undefined)
      throw new RoundhouseError('replay_unavailable', { reason: 'replay_unreachable', retryAfterS: 1 });
    return epoch;
  }

  /** All that need them at once share one question. */
  private ask(): Promise<void> {
    this.asking ??= this.askOnce().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askOnce(): Promise<void> {
    this.askedAtMs = this.now();
    this.known = await this.source.epochs();
  }
}
