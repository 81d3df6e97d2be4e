/** All that this router counts by itself. Made once, and handed to the steps that have something to tell. */
import type { ClaimAnswer } from '@roundhouse/contracts';
import type { RoundhouseError } from '@roundhouse/errors';
import { Counters, type Family } from '@roundhouse/telemetry';
import type { OnKeys } from '../access/open-access.js';
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';
import type { KeysetKeeper } from '../keyset/keyset-keeper.js';
import type { Reply } from '../reply/reply.js';
import type { StreamEnd } from '../subscriptions/listen-streams.js';
import { ExchangeMeasures } from './exchange-measures.js';
import { FlowMeasures } from './flow-measures.js';
import { KeyFetches } from './key-fetches.js';
import { isGoneTool, liveIn } from './live.js';
import type { Observed } from './observed.js';
import { StateMeasures } from './state-measures.js';
import { StreamMeasures } from './stream-measures.js';

/** All from the start: the first of its kind is the one that an alert must not miss. */
const CLAIM_OUTCOMES = ['new', 'inflight', 'done', 'conflict', 'stale_epoch', 'unknown', 'store_error'] as const;

export interface MeasuredParts {
  readonly catalogue: CatalogueKeeper;
  readonly keyset: KeysetKeeper;
}

export class RouterMeasures {
  readonly onKeys: OnKeys = (issuer, failure) => this.keyFetches.fetched(issuer, failure);
  readonly onStreamEnd = (why: StreamEnd, openMs: number): void => this.streams.subscriptionEnded(why, openMs);
  readonly onClaim = (outcome: ClaimAnswer['status'] | 'store_error'): void => this.claims.add([outcome]);
  private readonly keyFetches = new KeyFetches();
  private readonly streams = new StreamMeasures();
  private readonly claims = new Counters('roundhouse_replay_claims_total').begin(
    ...CLAIM_OUTCOMES.map((outcome) => [outcome] as const),
  );
  private readonly exchanges: ExchangeMeasures;

  constructor({ catalogue, keyset }: MeasuredParts) {
    const live = liveIn(catalogue);
    const flows = new FlowMeasures(([tool]) => isGoneTool(live, tool));
    this.exchanges = new ExchangeMeasures(flows, new StateMeasures(keyset), live);
  }

  ended(observed: Observed, reply: Reply, error: RoundhouseError | undefined): void {
    this.exchanges.ended(observed, reply, error);
    if (reply.wasCutOff) this.streams.cutOff();
  }

  get families(): readonly Family[] {
    return [...this.exchanges.families, this.claims, ...this.streams.families, ...this.keyFetches.families];
  }
}
