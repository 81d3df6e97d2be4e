/**
 * Private reasons: why exactly something was refused. Closed, so that each is safe as a metric label; never on the wire.
 */
export const REASONS = [
  // sealed state (KEY-7's order)
  'state_not_a_string',
  'state_too_large',
  'state_malformed',
  'state_unknown_key',
  'state_unauthentic',
  'state_claims_malformed',
  'state_expired',
  'state_from_the_future',
  'state_flow_expired',
  'state_other_method',
  'state_other_target',
  'state_other_arguments',
  'state_other_principal',
  'state_other_route',
  'state_nonce_spent',
  'state_stale_epoch',
  'state_handle_gone',
  // answers
  'answers_not_an_object',
  'answer_malformed',
  // body and headers
  'body_not_utf8',
  'body_not_json',
  'body_not_a_message',
  'header_missing',
  'header_repeated',
  'header_malformed',
  'header_differs',
  // principal
  'principal_absent',
  'principal_malformed',
  // access tokens
  'token_absent',
  'token_in_query',
  'token_repeated',
  'token_malformed',
  'token_too_large',
  'token_unknown_issuer',
  'token_unknown_key',
  'token_algorithm_refused',
  'token_type_refused',
  'token_unauthentic',
  'token_expired',
  'token_from_the_future',
  'token_other_audience',
  'token_claims_refused',
  'token_inactive',
  'token_bound_elsewhere',
  'token_not_bound',
  'scope_missing',
  'source_held_back',
  // policy
  'policy_destructive',
  'policy_no_rule',
  'policy_condition',
  'policy_condition_failed',
  // DPoP proofs
  'proof_absent',
  'proof_malformed',
  'proof_unauthentic',
  'proof_other_request',
  'proof_other_token',
  'proof_other_key',
  'proof_stale',
  'proof_replayed',
  // authorization servers
  'issuer_unreachable',
  'issuer_timed_out',
  'issuer_address_refused',
  'issuer_answer_refused',
  // workers
  'worker_none_known',
  'worker_all_aside',
  'worker_connect_failed',
  'worker_connection_lost',
  'worker_reply_malformed',
  'worker_ask_refused',
  'worker_threw',
  // replay service
  'replay_unreachable',
  'replay_timed_out',
  'replay_store_failed',
  'replay_store_unsafe',
  'replay_not_replicated',
  'replay_circuit_open',
  // tokens for upstreams
  'outbound_token_refused',
  'outbound_answer_refused',
  'outbound_token_failed',
  // audit
  'audit_failed',
  // keyset and configuration
  'keyset_unreadable',
  'keyset_malformed',
  'keyset_weak_key',
  'keyset_duplicate',
  'keyset_no_primary',
  'config_unreadable',
  'config_malformed',
  // anything else
  /** The code says all there is to say. */
  'as_coded',
  'client_gone',
  'limit_reached',
  'unexpected',
] as const;

export type Reason = (typeof REASONS)[number];
