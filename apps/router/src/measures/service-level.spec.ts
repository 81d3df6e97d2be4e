import { describe, expect, it } from '@jest/globals';
import { ERROR_TABLE, RoundhouseError, type ErrorCode } from '@roundhouse/errors';
import { sliOutcomeOf, type SliOutcome } from './service-level.js';

/** How each error counts towards the availability objective (SLO-1). A new row of the error table belongs here, too. */
const COUNTS: Readonly<Record<ErrorCode, SliOutcome>> = {
  parse_error: 'excluded',
  invalid_request: 'excluded',
  body_too_deep: 'excluded',
  body_too_large: 'excluded',
  head_too_large: 'excluded',
  not_http: 'excluded',
  body_timeout: 'excluded',
  unsupported_media_type: 'excluded',
  unsupported_encoding: 'excluded',
  not_acceptable: 'excluded',
  verb_not_allowed: 'excluded',
  sse_transport_refused: 'excluded',
  host_refused: 'excluded',
  origin_refused: 'excluded',
  unauthenticated: 'excluded',
  token_invalid: 'excluded',
  proof_invalid: 'excluded',
  scope_insufficient: 'excluded',
  not_permitted: 'excluded',
  authorization_malformed: 'excluded',
  authorization_unavailable: 'bad',
  meta_incomplete: 'excluded',
  header_mismatch: 'excluded',
  missing_capability: 'excluded',
  unsupported_version: 'excluded',
  method_not_found: 'excluded',
  invalid_params: 'excluded',
  unknown_tool: 'excluded',
  unknown_prompt: 'excluded',
  resource_not_found: 'excluded',
  invalid_cursor: 'excluded',
  state_refused: 'excluded',
  session_missing: 'excluded',
  session_refused: 'excluded',
  session_version: 'excluded',
  request_repeated: 'excluded',
  answer_refused: 'excluded',
  stream_refused: 'excluded',
  url_asked: 'excluded',
  ask_unanswered: 'excluded',
  ask_unsayable: 'excluded',
  answer_undelivered: 'bad',
  asker_lost: 'bad',
  subscription_limit: 'excluded',
  worker_unavailable: 'bad',
  worker_failed: 'bad',
  worker_lost: 'bad',
  flow_changed: 'bad',
  deadline_exceeded: 'bad',
  state_too_large: 'bad',
  too_many_rounds: 'bad',
  replay_unavailable: 'bad',
  claim_in_flight: 'bad',
  outcome_unknown: 'bad',
  result_not_retained: 'bad',
  rate_limited: 'excluded',
  audit_unavailable: 'bad',
  upstream_unauthorized: 'bad',
  overloaded: 'bad',
  draining: 'bad',
  config_invalid: 'bad',
  internal: 'bad',
};

describe('the service level', () => {
  it.each(Object.keys(ERROR_TABLE) as ErrorCode[])('counts %s as it always did', (code) => {
    expect(sliOutcomeOf({ error: new RoundhouseError(code), wasCutOff: false })).toBe(COUNTS[code]);
  });

  it('counts an answer as good', () => {
    expect(sliOutcomeOf({ error: undefined, wasCutOff: false })).toBe('good');
  });

  it('does not hold against us that a client went away', () => {
    const error = new RoundhouseError('internal', { reason: 'client_gone' });
    expect(sliOutcomeOf({ error, wasCutOff: false })).toBe('excluded');
  });

  it.each([undefined, new RoundhouseError('internal', { reason: 'client_gone' })])(
    'holds against us that we cut a stream off (%s)',
    (error) => {
      expect(sliOutcomeOf({ error, wasCutOff: true })).toBe('bad');
    },
  );
});
