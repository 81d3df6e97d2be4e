/**
 * The metadata of an authorization server, repeated for clients of 2025-03-26: they know nothing of resource metadata and
 * look for it at the origin of the MCP endpoint (K-20). Anybody may ask, so a question costs the issuer one fetch at most
 * within a while, however it ends.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { GuardedFetch } from '../http/guarded-fetch.js';
import { METADATA_AGE_MAX_MS } from './issuer-endpoints.js';
import { fetchIssuerDocument } from './issuer-metadata.js';

/** How long a failure is repeated before the issuer is asked again. */
const FAILURE_AGE_MAX_MS = 5_000;

export interface PublishedIssuerOptions {
  readonly issuer: string;
  readonly fetch: GuardedFetch;
  /** Milliseconds; a clock that never steps back. */
  readonly now?: () => number;
}

export class PublishedIssuer {
  private known: string | undefined;
  private failure: RoundhouseError | undefined;
  private askedMs = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(private readonly options: PublishedIssuerOptions) {}

  /** JSON text. What is known stays good while the issuer is away. @throws RoundhouseError `authorization_unavailable` */
  async read(): Promise<string> {
    const { now = () => performance.now() } = this.options;
    const ageMaxMs = this.failure === undefined ? METADATA_AGE_MAX_MS : FAILURE_AGE_MAX_MS;
    if (now() - this.askedMs >= ageMaxMs) {
      this.asking ??= this.ask().finally(() => {
        this.askedMs = now();
        this.asking = undefined;
      });
      await this.asking;
    }
    if (this.known === undefined) throw this.failure ?? new RoundhouseError('authorization_unavailable');
    return this.known;
  }

  private async ask(): Promise<void> {
    const { issuer, fetch } = this.options;
    try {
      this.known = JSON.stringify(await fetchIssuerDocument(issuer, fetch));
      this.failure = undefined;
    } catch (thrown) {
      this.failure = RoundhouseError.from(thrown);
    }
  }
}
