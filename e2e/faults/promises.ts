/** What a fault run is held to: one sentence a promise, the requirements it keeps, and how a campaign shows it. */
import type { RequirementId } from '../requirements.js';
import type { Campaign } from './campaign.js';
import type { FaultOptions } from './options.js';

/** A sentence and what speaks against it; nothing when it held. */
export interface Check {
  readonly sentence: string;
  readonly against: readonly string[];
}

export interface Promised {
  readonly sentence: string;
  readonly cites: readonly RequirementId[];
  /** What speaks against it; nothing when it held. */
  against(campaign: Campaign, options: FaultOptions): readonly string[];
}

const count = (number: number): readonly string[] => (number === 0 ? [] : [String(number)]);

export const PROMISES: readonly Promised[] = [
  {
    sentence: 'no nonce ran twice',
    cites: ['TST-1', 'TST-2', 'REP-4', 'REP-5', 'REP-8'],
    against: ({ verdict }) => count(verdict.doubleExecutions),
  },
  {
    sentence: 'no nonce accepted a second answer',
    cites: ['TST-1', 'REP-2'],
    against: ({ verdict }) => count(verdict.secondAnswers),
  },
  {
    sentence: 'every result of a nonce is the same but for its id',
    cites: ['TST-1', 'REP-2'],
    against: ({ verdict }) => count(verdict.differentBodies),
  },
  {
    sentence: 'every result is that of a run',
    cites: ['TST-1'],
    against: ({ verdict }) => count(verdict.successesWithoutRun),
  },
  {
    sentence: 'no good state is refused, whatever becomes of processes and keys',
    cites: ['TST-1', 'KEY-2'],
    against: ({ verdict }) => count(verdict.wrongRefusals),
  },
  {
    sentence: 'every nonce is resolved or said to be unknown',
    cites: ['TST-1', 'REP-8', 'REP-14'],
    against: ({ verdict }) => count(verdict.unresolved),
  },
  {
    sentence: 'every error has an explanation',
    cites: ['REP-10'],
    against: ({ verdict }) => count(verdict.unexplainedErrors),
  },
  { sentence: 'no process logs a mistake', cites: ['TST-2'], against: ({ complaints }) => complaints },
  {
    sentence: 'there are enough claims',
    cites: ['TST-1'],
    against: ({ verdict: { claims } }, { claimsMin }) =>
      claims < claimsMin ? [`${claims} instead of ${claimsMin}`] : [],
  },
  {
    sentence: 'enough different faults strike',
    cites: ['TST-2'],
    against: ({ struck }, { faults, faultsMin }) =>
      struck.size >= faultsMin ? [] : faults.filter(({ name }) => !struck.has(name)).map(({ name }) => `not ${name}`),
  },
];
