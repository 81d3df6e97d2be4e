import { describe, expect, it } from '@jest/globals';
import { RoundhouseError, type ErrorCode } from '@roundhouse/errors';
import type { Flow } from '../rounds/flow-sealer.js';
import { isFinished } from './flow-measures.js';
import { Observed } from './observed.js';

function observed(changes: Partial<Observed>): Observed {
  return Object.assign(new Observed(0), changes);
}
const first: Flow = { flowId: 'f', startedAtMs: 0, round: 1, claims: undefined };
const later = { ...first, round: 2, claims: {} } as unknown as Flow;
const error = (code: ErrorCode): RoundhouseError => new RoundhouseError(code);

describe('a flow', () => {
  it('finishes with a result after a question', () => {
    expect(isFinished(observed({ flow: later }), undefined)).toBe(true);
  });

  it.each([
    ['a call without questions', { flow: first }, undefined],
    ['a first call that fails', { flow: first }, error('worker_failed')],
    ['a first question', { flow: first, sealed: 's' }, undefined],
    ['a round that asks on', { flow: later, sealed: 's' }, undefined],
    ['an outcome that was told before', { flow: later, isStored: true }, undefined],
    ['an error that was told before', { flow: later, isStored: true }, error('worker_failed')],
    ['a store that is away for a moment', { flow: later }, error('replay_unavailable')],
    ['a worker that is away for a moment', { flow: later }, error('worker_unavailable')],
    ['answers that are malformed', { flow: later }, error('invalid_params')],
    ['a client that went away', { flow: later }, new RoundhouseError('internal', { reason: 'client_gone' })],
    ['a state that was refused', {}, error('state_refused')],
  ])('does not finish with %s', (_what, changes, failure) => {
    expect(isFinished(observed(changes), failure)).toBe(false);
  });
});
