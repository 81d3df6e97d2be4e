/** Sealed states, by the key that sealed them: how a rotation is watched, and what comes back that should not. */
import type { Reason, RoundhouseError } from '@roundhouse/errors';
import { claimedKid } from '@roundhouse/sealed-state';
import { Counters, Histograms, type Family } from '@roundhouse/telemetry';
import type { KeysetKeeper } from '../keyset/keyset-keeper.js';
import type { Observed } from './observed.js';

export type OpenOutcome = 'ok' | 'malformed' | 'unknown_key' | 'auth' | 'expired' | 'binding' | 'principal' | 'epoch';

/** Of a state that was refused as such. One whose nonce was spent had been opened. */
const REFUSED: Readonly<Partial<Record<Reason, OpenOutcome>>> = {
  state_not_a_string: 'malformed',
  state_too_large: 'malformed',
  state_malformed: 'malformed',
  state_claims_malformed: 'malformed',
  state_unknown_key: 'unknown_key',
  state_unauthentic: 'auth',
  state_expired: 'expired',
  state_from_the_future: 'expired',
  state_flow_expired: 'expired',
  state_handle_gone: 'expired',
  state_other_method: 'binding',
  state_other_target: 'binding',
  state_other_arguments: 'binding',
  state_other_route: 'binding',
  state_other_principal: 'principal',
  state_stale_epoch: 'epoch',
};

export function openOutcomeOf(error: Pick<RoundhouseError, 'code' | 'reason'> | undefined): OpenOutcome | undefined {
  return error?.code === 'state_refused' ? REFUSED[error.reason] : undefined;
}

export class StateMeasures {
  private readonly seals: Counters<'roundhouse_request_state_seals_total'>;
  private readonly opens: Counters<'roundhouse_request_state_opens_total'>;
  private readonly size = new Histograms('roundhouse_request_state_size_bytes');

  constructor(
    private readonly keyset: Pick<KeysetKeeper, 'current'>,
    private readonly now: () => number = Date.now,
  ) {
    // Keys that were destroyed leave with their series.
    const isGone = ([kid = '']: readonly string[]): boolean => kid !== '' && keyset.current().byKid(kid) === undefined;
    this.seals = new Counters('roundhouse_request_state_seals_total', isGone);
    this.opens = new Counters('roundhouse_request_state_opens_total', isGone);
  }

  ended({ exchange, flow, sealed }: Observed, error: RoundhouseError | undefined): void {
    if (sealed !== undefined) {
      this.seals.add([claimedKid(sealed) ?? '']);
      this.size.observe([], sealed.length);
    }
    const outcome = openOutcomeOf(error) ?? (flow?.claims === undefined ? undefined : 'ok');
    if (outcome !== undefined) this.opened(exchange?.params['requestState'], outcome);
  }

  get families(): readonly Family[] {
    return [this.seals, this.opens, this.size];
  }

  /** What names no key of ours might name any. */
  private opened(state: unknown, outcome: OpenOutcome): void {
    const keyset = this.keyset.current();
    const kid = claimedKid(state);
    const key = kid === undefined ? undefined : keyset.byKid(kid);
    const role = key && keyset.roleAt(key, this.now());
    const isOpening = role === 'primary' || role === 'previous' || role === 'staged';
    this.opens.add([key?.kid ?? '', isOpening ? role : 'none', outcome]);
  }
}
