/** How a request counts towards the availability objective (SLO-1): what a caller did wrong is not held against us. */
import type { RoundhouseError } from '@roundhouse/errors';

export type SliOutcome = 'good' | 'bad' | 'excluded';

export interface Ended {
  readonly error: Pick<RoundhouseError, 'row' | 'reason'> | undefined;
  /** We closed its stream under a client that did not read. */
  readonly wasCutOff: boolean;
}

export function sliOutcomeOf({ error, wasCutOff }: Ended): SliOutcome {
  if (wasCutOff) return 'bad';
  if (error === undefined) return 'good';
  // Whoever goes away has cancelled.
  if (error.row.blame === 'client' || error.reason === 'client_gone') return 'excluded';
  return error.row.status >= 500 || error.row.rpcCode === -32603 ? 'bad' : 'excluded';
}
