/** What the console knows of the traffic: how many requests came and failed lately, and why the last ones were refused. */
import type { RoundhouseError } from '@roundhouse/errors';
import type { CatalogueSnapshot } from '../catalogue/snapshot.js';
import type { Exchange } from '../intake/exchange.js';
import { RefusalRing } from './refusal-ring.js';
import { SecondCounts } from './second-counts.js';

export class ExchangeWatch {
  readonly requests: SecondCounts;
  /** Refused for what the caller sent. */
  readonly refusedRequests: SecondCounts;
  /** Failed for any other reason. */
  readonly failedRequests: SecondCounts;
  readonly refusals = new RefusalRing();

  constructor(
    private readonly catalogue: () => CatalogueSnapshot,
    nowMs: () => number = () => performance.now(),
  ) {
    this.requests = new SecondCounts(nowMs);
    this.refusedRequests = new SecondCounts(nowMs);
    this.failedRequests = new SecondCounts(nowMs);
  }

  began(): void {
    this.requests.add();
  }

  refused({ code, reason, row }: RoundhouseError, exchange: Exchange | undefined): void {
    // Whoever went away was refused nothing.
    if (reason === 'client_gone') return;
    (row.blame === 'client' ? this.refusedRequests : this.failedRequests).add();
    this.refusals.add({
      atMs: Date.now(),
      code,
      reason,
      blame: row.blame,
      method: exchange?.method,
      name: exchange && this.knownName(exchange),
    });
  }

  private knownName({ method, params }: Exchange): string | undefined {
    const catalogue = this.catalogue();
    if (method === 'tools/call') return catalogue.tool(params['name'])?.publicName;
    if (method === 'prompts/get') return catalogue.prompt(params['name'])?.publicName;
    return undefined;
  }
}
