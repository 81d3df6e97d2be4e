import { describe, expect, it } from '@jest/globals';
import { METRICS, type MetricRow } from './metric-table.js';

const OPERATION =
  'mcp_method_name gen_ai_tool_name gen_ai_prompt_name error_type rpc_response_status_code mcp_protocol_version network_transport';
const OPERATION_BUCKETS = '0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 30 60 120 300';

/** What dashboards and alerts read. Changing a line here is a change of the product, not of a test. */
const PINNED = {
  roundhouse_build_info: ['gauge', 'service version'],
  roundhouse_telemetry_spans_dropped_total: ['counter', ''],
  mcp_server_operation_duration_seconds: ['histogram', OPERATION, OPERATION_BUCKETS],
  mcp_client_operation_duration_seconds: [
    'histogram',
    'mcp_method_name gen_ai_tool_name gen_ai_prompt_name error_type server_address',
    OPERATION_BUCKETS,
  ],
  roundhouse_subscription_duration_seconds: ['histogram', 'reason', '1 10 60 300 900 1800 3600 7200'],
  roundhouse_sli_requests_total: ['counter', 'outcome'],
  roundhouse_added_latency_seconds: ['histogram', '', '0.0005 0.001 0.002 0.005 0.01 0.025 0.05 0.1 0.25 1'],
  roundhouse_inflight_requests: ['gauge', ''],
  roundhouse_flows_total: ['counter', 'outcome'],
  roundhouse_flows_open: ['gauge', 'age'],
  roundhouse_mrtr_rounds: ['histogram', 'gen_ai_tool_name', '1 2 3 4 5 7 10'],
  roundhouse_mrtr_think_time_seconds: ['histogram', '', '1 2 5 10 30 60 120 300 600'],
  roundhouse_mrtr_answers_total: ['counter', 'action'],
  roundhouse_replay_claims_total: ['counter', 'outcome'],
  roundhouse_replay_outcome_unknown_total: ['counter', 'gen_ai_tool_name'],
  roundhouse_request_state_seals_total: ['counter', 'kid'],
  roundhouse_request_state_opens_total: ['counter', 'kid role outcome'],
  roundhouse_request_state_size_bytes: ['histogram', '', '256 512 1024 2048 4096 8192 16384 32768'],
  roundhouse_keyset_keys: ['gauge', 'role'],
  roundhouse_keyset_key_info: ['gauge', 'kid role'],
  roundhouse_keyset_reloads_total: ['counter', 'outcome'],
  roundhouse_keyset_primary_age_seconds: ['gauge', ''],
  roundhouse_worker_inflight: ['gauge', 'group endpoint'],
  roundhouse_worker_limit: ['gauge', 'group endpoint'],
  roundhouse_worker_endpoints: ['gauge', 'group state'],
  roundhouse_worker_ejections_total: ['counter', 'group'],
  roundhouse_catalogue_divergence: ['gauge', 'group'],
  roundhouse_catalogue_entries: ['gauge', 'group kind'],
  roundhouse_catalogue_shadowed: ['gauge', 'group'],
  roundhouse_streams_active: ['gauge', 'kind'],
  roundhouse_stream_drops_total: ['counter', 'reason'],
  roundhouse_shed_total: ['counter', 'reason'],
  roundhouse_refusals_total: ['counter', 'code reason'],
  roundhouse_auth_denied_total: ['counter', 'reason'],
  roundhouse_jwks_fetches_total: ['counter', 'issuer outcome'],
  roundhouse_jwks_age_seconds: ['gauge', 'issuer'],
  roundhouse_audit_records_total: ['counter', 'outcome'],
  roundhouse_policy_reloads_total: ['counter', 'outcome'],
  roundhouse_worker_calls_inflight: ['gauge', ''],
  roundhouse_replay_store_duration_seconds: [
    'histogram',
    'op',
    '0.0005 0.001 0.002 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1',
  ],
  roundhouse_replay_store_errors_total: ['counter', 'op'],
  roundhouse_replay_wait_short_total: ['counter', ''],
  roundhouse_replay_config_ok: ['gauge', ''],
  roundhouse_replay_circuit_open: ['gauge', ''],
  roundhouse_replay_waiters: ['gauge', ''],
  roundhouse_redis_memory_used_bytes: ['gauge', ''],
  roundhouse_redis_memory_max_bytes: ['gauge', ''],
  roundhouse_redis_connected_replicas: ['gauge', ''],
  roundhouse_redis_evicted_keys: ['gauge', ''],
} as const;

const rows = Object.entries<MetricRow>(METRICS);

describe('the table of metrics', () => {
  it('has exactly the names, types, labels and buckets that it had before', () => {
    const told = rows.map(([name, { type, labels, buckets }]) => [
      name,
      [type, labels.join(' '), ...(buckets === undefined ? [] : [buckets.join(' ')])],
    ]);
    expect(Object.fromEntries(told)).toEqual(PINNED);
  });

  it.each(rows)('%s is named as Prometheus asks', (name, { type, unit }) => {
    expect(name).toMatch(/^(roundhouse|mcp)_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    if (unit === 'seconds' || unit === 'bytes') expect(name.endsWith(`_${unit}`)).toBe(true);
  });

  it.each(rows.filter(([, { type }]) => type === 'histogram'))(
    '%s has ascending buckets',
    (_name, { buckets = [] }) => {
      expect(buckets.length).toBeGreaterThan(0);
      expect([...buckets].sort((a, b) => a - b)).toEqual(buckets);
    },
  );

  it('has no label of which a caller could make as many values as it likes', () => {
    const all = new Set(rows.flatMap(([, { labels }]) => labels));
    for (const forbidden of ['principal', 'session', 'uri', 'id', 'flow', 'trace_id', 'client'])
      expect([...all].filter((label) => label.split('_').includes(forbidden))).toEqual([]);
  });
});
