/** How the keys of authorization servers are fetched: whether it works, and when it last did. Issuers are configured. */
import type { RoundhouseError } from '@roundhouse/errors';
import { Counters, Readings, type Family } from '@roundhouse/telemetry';

export class KeyFetches {
  private readonly fetches = new Counters('roundhouse_jwks_fetches_total');
  private readonly fetchedMs = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  fetched(issuer: string, failure: RoundhouseError | undefined): void {
    this.fetches.add([issuer, failure === undefined ? 'ok' : 'error']);
    if (failure === undefined) this.fetchedMs.set(issuer, this.now());
  }

  get families(): readonly Family[] {
    const ages = new Readings('roundhouse_jwks_age_seconds', () =>
      [...this.fetchedMs].map(([issuer, atMs]) => [[issuer], (this.now() - atMs) / 1_000] as const),
    );
    return [this.fetches, ages];
  }
}
