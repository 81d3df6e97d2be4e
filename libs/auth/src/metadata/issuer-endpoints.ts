/** Where an issuer's keys and its introspection are: as configured, or as its metadata says, which is kept for a while. */
import type { GuardedFetch } from '../http/guarded-fetch.js';
import { refusedAnswer } from '../http/json-document.js';
import { fetchIssuerMetadata, type IssuerMetadata } from './issuer-metadata.js';

/** Endpoints move rarely; a server that moves them keeps the old ones for longer than this. */
export const METADATA_AGE_MAX_MS = 3_600_000;

export interface IssuerEndpointsOptions {
  readonly issuer: string;
  readonly configured: IssuerMetadata;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

export class IssuerEndpoints {
  private known: IssuerMetadata | undefined;
  private knownMs = -Infinity;

  constructor(private readonly options: IssuerEndpointsOptions) {}

  /** @throws RoundhouseError `authorization_unavailable` */
  async find(name: keyof IssuerMetadata): Promise<URL> {
    const text = this.options.configured[name] ?? (await this.metadata())[name];
    if (text === undefined || !URL.canParse(text))
      throw refusedAnswer(new URL(this.options.issuer), `its metadata has no ${name}`);
    return new URL(text);
  }

  /** What failed may have failed because it moved: the metadata is asked for again. */
  doubt(): void {
    this.knownMs = -Infinity;
  }

  private async metadata(): Promise<IssuerMetadata> {
    const { issuer, fetch, now } = this.options;
    if (this.known === undefined || now() - this.knownMs >= METADATA_AGE_MAX_MS) {
      this.known = await fetchIssuerMetadata(issuer, fetch);
      this.knownMs = now();
    }
    return this.known;
  }
}
