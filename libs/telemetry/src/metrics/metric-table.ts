/**
 * Every metric of ours: what it is called, which labels it has, what it means and when to look at it. Dashboards and
 * alerts are written against these names, so a change here is a change of the product; docs/metrics.md is made from it.
 * Long because it is one table: a part of it by itself would hide which names and labels there are already.
 */
export type MetricType = 'counter' | 'gauge' | 'histogram';
export type MetricSource = 'every process' | 'router' | 'tool worker' | 'replay service' | 'router, tool worker';

export interface MetricRow {
  readonly type: MetricType;
  /** What one unit of the value is. */
  readonly unit: string;
  readonly source: MetricSource;
  readonly labels: readonly string[];
  /** HELP text: what the value means. */
  readonly help: string;
  readonly lookWhen: string;
  /** Upper bounds, ascending; histograms alone. */
  readonly buckets?: readonly number[];
}

/** OpenTelemetry GenAI conventions, MCP section: the buckets of both operation histograms, in seconds. */
const OPERATION_SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;
const OPERATION_LABELS = [
  'mcp_method_name',
  'gen_ai_tool_name',
  'gen_ai_prompt_name',
  'error_type',
  'rpc_response_status_code',
  'mcp_protocol_version',
  'network_transport',
] as const;

export const METRICS = {
  roundhouse_build_info: {
    type: 'gauge',
    unit: '1',
    source: 'every process',
    labels: ['service', 'version'],
    help: 'Always 1; the labels tell what runs.',
    lookWhen: 'During an upgrade: which versions run side by side.',
  },
  roundhouse_telemetry_spans_dropped_total: {
    type: 'counter',
    unit: 'spans',
    source: 'every process',
    labels: [],
    help: 'Spans that were thrown away because the collector did not take them.',
    lookWhen: 'Traces have holes; the collector is away or too slow.',
  },
  mcp_server_operation_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    source: 'router, tool worker',
    labels: OPERATION_LABELS,
    buckets: OPERATION_SECONDS,
    help: 'Time from the arrival of an MCP request to its answer; one round of a flow each, so never time to think. Without subscriptions/listen.',
    lookWhen: 'Calls are slow or fail: which method and tool, and with which error.',
  },
  mcp_client_operation_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    source: 'router',
    labels: ['mcp_method_name', 'gen_ai_tool_name', 'gen_ai_prompt_name', 'error_type', 'server_address'],
    buckets: OPERATION_SECONDS,
    help: 'Time that a worker took for one call of the router.',
    lookWhen: 'Calls are slow: whether it is the tool, and on which worker.',
  },
  roundhouse_subscription_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    source: 'router',
    labels: ['reason'],
    buckets: [1, 10, 60, 300, 900, 1800, 3600, 7200],
    help: 'How long subscriptions/listen streams were open, and why they ended: client_gone, slow_reader, access_ended, drained.',
    lookWhen: 'Clients connect again and again.',
  },
  roundhouse_sli_requests_total: {
    type: 'counter',
    unit: 'requests',
    source: 'router',
    labels: ['outcome'],
    help: 'Requests as the availability objective counts them: good, bad (5xx, -32603, streams cut off), excluded (the caller’s own fault).',
    lookWhen: 'An objective burns: bad over good and bad.',
  },
  roundhouse_added_latency_seconds: {
    type: 'histogram',
    unit: 'seconds',
    source: 'router',
    labels: [],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    help: 'What the router adds to a call: its own time less that of the worker.',
    lookWhen: 'Calls are slow although workers are fast.',
  },
  roundhouse_inflight_requests: {
    type: 'gauge',
    unit: 'requests',
    source: 'router',
    labels: [],
    help: 'Calls that run now.',
    lookWhen: 'Scaling; near limits.callsMax calls are refused.',
  },
  roundhouse_flows_total: {
    type: 'counter',
    unit: 'flows',
    source: 'router',
    labels: ['outcome'],
    help: 'Flows: opened with the first question, finished with a result after one, failed with an error that ends them.',
    lookWhen: 'People say that confirmed calls do not come to an end.',
  },
  roundhouse_flows_open: {
    type: 'gauge',
    unit: 'flows',
    source: 'router',
    labels: ['age'],
    help: 'Open flows by the time since they began: up to 1m, 5m, 10m, 1h. Only the sum over all routers is right: a flow may end on another than it began on, and one router’s number may be negative.',
    lookWhen: 'People wait, or leave questions unanswered.',
  },
  roundhouse_mrtr_rounds: {
    type: 'histogram',
    unit: 'rounds',
    source: 'router',
    labels: ['gen_ai_tool_name'],
    buckets: [1, 2, 3, 4, 5, 7, 10],
    help: 'Rounds of a finished flow.',
    lookWhen: 'A tool asks too often, or clients answer what was not asked.',
  },
  roundhouse_mrtr_think_time_seconds: {
    type: 'histogram',
    unit: 'seconds',
    source: 'router',
    labels: [],
    buckets: [1, 2, 5, 10, 30, 60, 120, 300, 600],
    help: 'Time from a question to the request that came back with its state.',
    lookWhen: 'Choosing how long states live: flow.formTtlMs and flow.urlTtlMs.',
  },
  roundhouse_mrtr_answers_total: {
    type: 'counter',
    unit: 'answers',
    source: 'router',
    labels: ['action'],
    help: 'Answers of people to questions: accept, decline, cancel.',
    lookWhen: 'People decline what they should not be asked.',
  },
  roundhouse_replay_claims_total: {
    type: 'counter',
    unit: 'claims',
    source: 'router',
    labels: ['outcome'],
    help: 'Confirmed rounds that asked whether they may run: new, inflight, done, conflict, stale_epoch, unknown (its owner is gone), store_error.',
    lookWhen:
      'Clients send twice (done, inflight), somebody sends other answers (conflict), the store lost data (stale_epoch).',
  },
  roundhouse_replay_outcome_unknown_total: {
    type: 'counter',
    unit: 'calls',
    source: 'router',
    labels: ['gen_ai_tool_name'],
    help: 'Confirmed calls that may have run, with an outcome that nobody knows.',
    lookWhen: 'Always: each is for a person to look after.',
  },
  roundhouse_request_state_seals_total: {
    type: 'counter',
    unit: 'states',
    source: 'router',
    labels: ['kid'],
    help: 'States sealed, by key.',
    lookWhen: 'A rotation: which key seals now, on every router.',
  },
  roundhouse_request_state_opens_total: {
    type: 'counter',
    unit: 'states',
    source: 'router',
    labels: ['kid', 'role', 'outcome'],
    help: 'States that came back: ok, or malformed, unknown_key, auth, expired, binding, principal, epoch; kid and role are empty and none for keys that are not known.',
    lookWhen:
      'A rotation (unknown_key must stay 0), clients that lose their place (expired), attacks (auth, binding, principal).',
  },
  roundhouse_request_state_size_bytes: {
    type: 'histogram',
    unit: 'bytes',
    source: 'router',
    labels: [],
    buckets: [256, 512, 1024, 2048, 4096, 8192, 16384, 32768],
    help: 'Size of sealed states.',
    lookWhen: 'Flows fail with state_too_large, or proxies refuse large requests.',
  },
  roundhouse_keyset_keys: {
    type: 'gauge',
    unit: 'keys',
    source: 'router',
    labels: ['role'],
    help: 'Keys by role: primary, staged, previous, disabled, destroyed.',
    lookWhen: 'A rotation; without a primary no router seals.',
  },
  roundhouse_keyset_key_info: {
    type: 'gauge',
    unit: '1',
    source: 'router',
    labels: ['kid', 'role'],
    help: 'Always 1; the keys a router knows, and the role of each now.',
    lookWhen: 'A rotation: whether every router has the staged key.',
  },
  roundhouse_keyset_reloads_total: {
    type: 'counter',
    unit: 'reloads',
    source: 'router',
    labels: ['outcome'],
    help: 'Changes of the keyset file: ok, or error when the keys before stayed.',
    lookWhen: 'A rotation that does not take effect.',
  },
  roundhouse_keyset_primary_age_seconds: {
    type: 'gauge',
    unit: 'seconds',
    source: 'router',
    labels: [],
    help: 'Time since the key that seals now began to.',
    lookWhen: 'Keys are not rotated any more.',
  },
  roundhouse_worker_inflight: {
    type: 'gauge',
    unit: 'calls',
    source: 'router',
    labels: ['group', 'endpoint'],
    help: 'Calls of this router that run on a worker now.',
    lookWhen: 'One worker gets more than its share, or never gives back.',
  },
  roundhouse_worker_limit: {
    type: 'gauge',
    unit: 'calls',
    source: 'router',
    labels: ['group', 'endpoint'],
    help: 'Calls that a worker gets from this router at once, at most.',
    lookWhen: 'Calls are shed: a limit below what the worker says means that it turned calls away.',
  },
  roundhouse_worker_endpoints: {
    type: 'gauge',
    unit: 'endpoints',
    source: 'router',
    labels: ['group', 'state'],
    help: 'Workers of a group: ready, ejected (set aside for failing), draining, unreachable.',
    lookWhen: 'Calls are refused with worker_unavailable.',
  },
  roundhouse_worker_ejections_total: {
    type: 'counter',
    unit: 'ejections',
    source: 'router',
    labels: ['group'],
    help: 'How often a worker was set aside because it kept failing.',
    lookWhen: 'Errors come and go.',
  },
  roundhouse_catalogue_divergence: {
    type: 'gauge',
    unit: '1',
    source: 'router',
    labels: ['group'],
    help: '1 while the workers of a group offer different things, else 0.',
    lookWhen: 'It stays 1 after an upgrade.',
  },
  roundhouse_catalogue_entries: {
    type: 'gauge',
    unit: 'entries',
    source: 'router',
    labels: ['group', 'kind'],
    help: 'What is served of a group: tools, prompts, resources, resource templates.',
    lookWhen: 'A tool is not there.',
  },
  roundhouse_catalogue_shadowed: {
    type: 'gauge',
    unit: 'entries',
    source: 'router',
    labels: ['group'],
    help: 'Entries of a group that are left out: another group has the name, or the definition is bad.',
    lookWhen: 'A tool is not there; the log says which and why.',
  },
  roundhouse_streams_active: {
    type: 'gauge',
    unit: 'streams',
    source: 'router',
    labels: ['kind'],
    help: 'Event streams that are open now: listen (subscriptions), call (answers under way), legacy.',
    lookWhen: 'Scaling; before a router is taken away.',
  },
  roundhouse_stream_drops_total: {
    type: 'counter',
    unit: 'streams',
    source: 'router',
    labels: ['reason'],
    help: 'Streams that the router cut off: slow_reader.',
    lookWhen: 'Clients lose their streams.',
  },
  roundhouse_shed_total: {
    type: 'counter',
    unit: 'requests',
    source: 'router',
    labels: ['reason'],
    help: 'Requests refused for want of room: overloaded, rate_limited, subscription_limit, draining.',
    lookWhen: 'Clients get 429 or 503.',
  },
  roundhouse_refusals_total: {
    type: 'counter',
    unit: 'requests',
    source: 'router',
    labels: ['code', 'reason'],
    help: 'Requests that ended with an error, by its code and its private reason (docs/errors.md).',
    lookWhen: 'Anything is refused: the reason is what the caller was not told.',
  },
  roundhouse_auth_denied_total: {
    type: 'counter',
    unit: 'requests',
    source: 'router',
    labels: ['reason'],
    help: 'Requests refused for who sent them: by token, proof, scope or policy.',
    lookWhen: 'Nobody gets in, or somebody tries.',
  },
  roundhouse_jwks_fetches_total: {
    type: 'counter',
    unit: 'fetches',
    source: 'router',
    labels: ['issuer', 'outcome'],
    help: 'Fetches of an authorization server’s keys: ok or error.',
    lookWhen: 'Tokens cannot be verified.',
  },
  roundhouse_jwks_age_seconds: {
    type: 'gauge',
    unit: 'seconds',
    source: 'router',
    labels: ['issuer'],
    help: 'Time since an authorization server’s keys were last fetched; absent before the first time. An idle router fetches none.',
    lookWhen: 'An authorization server is away: known keys go on for a day.',
  },
  roundhouse_audit_records_total: {
    type: 'counter',
    unit: 'records',
    source: 'router',
    labels: ['outcome'],
    help: 'Lines of the audit stream: written or dropped.',
    lookWhen: 'Any is dropped.',
  },
  roundhouse_policy_reloads_total: {
    type: 'counter',
    unit: 'reloads',
    source: 'router',
    labels: ['outcome'],
    help: 'Changes of the policy file: ok, or error when the policy before stayed.',
    lookWhen: 'A rule does not take effect.',
  },
  roundhouse_worker_calls_inflight: {
    type: 'gauge',
    unit: 'calls',
    source: 'tool worker',
    labels: [],
    help: 'Calls that run in this worker now.',
    lookWhen: 'Scaling; a drain that takes long.',
  },
  roundhouse_replay_store_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    source: 'replay service',
    labels: ['op'],
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
    help: 'Time of one operation of the store: claim, settle, release, peek, epochs, hold, recall, once.',
    lookWhen: 'Confirmed calls are slow.',
  },
  roundhouse_replay_store_errors_total: {
    type: 'counter',
    unit: 'operations',
    source: 'replay service',
    labels: ['op'],
    help: 'Operations that the store did not answer; those that the open circuit refused are not among them.',
    lookWhen: 'Confirmed calls are refused with replay_unavailable.',
  },
  roundhouse_replay_wait_short_total: {
    type: 'counter',
    unit: 'claims',
    source: 'replay service',
    labels: [],
    help: 'Claims given back because too few replicas acknowledged them in time.',
    lookWhen: 'A replica of Redis is away or behind.',
  },
  roundhouse_replay_config_ok: {
    type: 'gauge',
    unit: '1',
    source: 'replay service',
    labels: [],
    help: '1 while the settings of Redis keep what it is told, else 0; absent before the first look and without one.',
    lookWhen: 'Claims are refused with replay_store_unsafe.',
  },
  roundhouse_replay_circuit_open: {
    type: 'gauge',
    unit: '1',
    source: 'replay service',
    labels: [],
    help: '1 while the store is not asked because it did not answer, else 0.',
    lookWhen: 'Confirmed calls are refused at once.',
  },
  roundhouse_replay_waiters: {
    type: 'gauge',
    unit: 'attempts',
    source: 'replay service',
    labels: [],
    help: 'Attempts that wait for the outcome of a twin now.',
    lookWhen: 'Clients send again before the first answer.',
  },
  roundhouse_redis_memory_used_bytes: {
    type: 'gauge',
    unit: 'bytes',
    source: 'replay service',
    labels: [],
    help: 'Memory that Redis uses, at the last look (once a minute); of a cluster the sum over primaries.',
    lookWhen: 'It nears roundhouse_redis_memory_max_bytes: Redis then refuses claims.',
  },
  roundhouse_redis_memory_max_bytes: {
    type: 'gauge',
    unit: 'bytes',
    source: 'replay service',
    labels: [],
    help: 'Memory that Redis may use, at the last look; 0 when nothing bounds it.',
    lookWhen: 'See roundhouse_redis_memory_used_bytes.',
  },
  roundhouse_redis_connected_replicas: {
    type: 'gauge',
    unit: 'replicas',
    source: 'replay service',
    labels: [],
    help: 'Replicas connected to Redis, at the last look; of a cluster those of the primary that has the fewest.',
    lookWhen: 'It is below replay.store.replicasMin: claims are refused.',
  },
  roundhouse_redis_evicted_keys: {
    type: 'gauge',
    unit: 'keys',
    source: 'replay service',
    labels: [],
    help: 'Keys that Redis threw away for want of memory since it started, at the last look.',
    lookWhen: 'It is above 0: spent nonces may be among them.',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
export type MetricOf<T extends MetricType> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];

type Strings<L extends readonly string[]> = { readonly [K in keyof L]: string };

/** One value for each label, in the table's order. Empty: the series has no such label. */
export type LabelValues<N extends MetricName> = Strings<(typeof METRICS)[N]['labels']>;
