/**
 * The keys of one issuer as they are now (OAU-8). Asked for by tokens, never by a timer: an idle process fetches nothing,
 * a flood of unknown keys fetches once a cool-down, and an issuer that is away does not take its known keys with it.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { CryptoKey } from 'jose';
import type { Algorithm } from '../issuer-settings.js';
import type { VerificationKey, VerificationKeys } from './verification-keys.js';

/** How old keys may be before a token waits for fresh ones. */
export const KEYS_AGE_MAX_MS = 10 * 60_000;
/** At this age fresh ones are fetched while the old ones go on. */
export const KEYS_REFRESH_AFTER_MS = KEYS_AGE_MAX_MS * 0.8;
/** How long known keys outlive an issuer that cannot be reached. */
export const KEYS_STALE_MAX_MS = 24 * 3_600_000;
/** Between two fetches, whatever came of the first. */
export const KEYS_COOL_DOWN_MS = 30_000;
/** The cool-down doubles with each failure in a row, up to this. */
export const KEYS_COOL_DOWN_MAX_MS = 120_000;
/** Keys of one id that are tried; honest sets have one. */
const CANDIDATES_MAX = 4;

export interface WantedKey {
  readonly kid: string | undefined;
  readonly algorithm: Algorithm;
}

export interface FoundKeys {
  /** At least one. */
  readonly candidates: readonly CryptoKey[];
  /** Of the key set when they were found. */
  readonly version: number;
}

export interface KeySetOptions {
  /** @throws RoundhouseError `authorization_unavailable` */
  readonly load: () => Promise<VerificationKeys>;
  /** Milliseconds; a clock that never steps back. */
  readonly now: () => number;
  /** Hears of every fetch: why it failed, or that it did not. */
  readonly onLoad?: ((failure: RoundhouseError | undefined) => void) | undefined;
}

export class KeySet {
  private keys: readonly VerificationKey[] | undefined;
  private fingerprint = '';
  private loadedMs = -Infinity;
  private nextLoadMs = -Infinity;
  private failures = 0;
  private failure: RoundhouseError | undefined;
  private loading: Promise<void> | undefined;
  private changes = 0;

  constructor(private readonly options: KeySetOptions) {}

  /** Another number than before: other keys than before, and what was verified with those counts no more. */
  get version(): number {
    return this.changes;
  }

  /** Fetches the keys before the first token needs them. Never rejects. */
  warm(): Promise<void> {
    return this.load();
  }

  /**
   * Keys that may have made a signature.
   * @throws RoundhouseError `token_invalid` when there is none; `authorization_unavailable` when that cannot be told
   */
  async find(wanted: WantedKey): Promise<FoundKeys> {
    await this.untilUsable();
    let candidates = this.select(wanted);
    if (candidates.length === 0) {
      // The issuer may have made a new key.
      await this.load();
      candidates = this.select(wanted);
    }
    if (candidates.length === 0) throw new RoundhouseError('token_invalid', { reason: 'token_unknown_key' });
    return { candidates, version: this.changes };
  }

  private async untilUsable(): Promise<void> {
    const ageMs = this.options.now() - this.loadedMs;
    if (this.keys !== undefined && ageMs >= KEYS_STALE_MAX_MS) this.forget();
    if (this.keys === undefined) await this.loadOrThrow();
    // While the issuer is away nobody waits for it but whoever finds it away first.
    else if (ageMs >= KEYS_AGE_MAX_MS && this.failures === 0) await this.load();
    else if (ageMs >= KEYS_REFRESH_AFTER_MS) void this.load();
  }

  private async loadOrThrow(): Promise<void> {
    await this.load();
    if (this.keys !== undefined) return;
    const waitMs = Math.max(0, this.nextLoadMs - this.options.now());
    throw new RoundhouseError('authorization_unavailable', {
      reason: this.failure?.reason ?? 'issuer_unreachable',
      facts: this.failure?.facts ?? {},
      cause: this.failure?.cause,
      retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)),
    });
  }

  /** One at a time, and none within the cool-down of the last. Never rejects. */
  private load(): Promise<void> {
    if (this.loading !== undefined) return this.loading;
    const nowMs = this.options.now();
    if (nowMs < this.nextLoadMs) return Promise.resolve();
    this.nextLoadMs = nowMs + KEYS_COOL_DOWN_MS;
    this.loading = this.loadNow().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async loadNow(): Promise<void> {
    try {
      const { keys, fingerprint } = await this.options.load();
      this.failures = 0;
      this.failure = undefined;
      this.loadedMs = this.options.now();
      this.keys = keys;
      if (fingerprint !== this.fingerprint) this.changes += 1;
      this.fingerprint = fingerprint;
      this.options.onLoad?.(undefined);
    } catch (thrown) {
      this.failures += 1;
      this.failure = RoundhouseError.from(thrown);
      const backOffMs = Math.min(KEYS_COOL_DOWN_MS * 2 ** (this.failures - 1), KEYS_COOL_DOWN_MAX_MS);
      this.nextLoadMs = this.options.now() + backOffMs;
      this.options.onLoad?.(this.failure);
    }
  }

  private forget(): void {
    this.keys = undefined;
    this.fingerprint = '';
    this.changes += 1;
  }

  /** A token without a key id is matched only where there is nothing to choose (RFC 7515 section 4.1.4). */
  private select({ kid, algorithm }: WantedKey): readonly CryptoKey[] {
    const fitting = (this.keys ?? []).filter((key) => key.byAlgorithm.has(algorithm));
    const named = kid === undefined ? (fitting.length === 1 ? fitting : []) : fitting.filter((key) => key.kid === kid);
    return named.slice(0, CANDIDATES_MAX).map((key) => key.byAlgorithm.get(algorithm) as CryptoKey);
  }
}
