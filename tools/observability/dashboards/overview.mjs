// The dashboard to open first: is it healthy, which tool is slow, who waits for a user, was anything replayed, do keys rotate.
import { BAD, CALM, GOOD, LOOK, bars, lines, stat } from '../panel.mjs';
import { ROUTERS, gained, max, quantile, rate, sum } from '../query.mjs';

const SERVER = 'mcp_server_operation_duration_seconds';
const ADDED = 'roundhouse_added_latency_seconds';
const BUDGET_STEPS = [
  [BAD, null],
  [LOOK, 0.25],
  [GOOD, 0.5],
];
const NONE_IS_GOOD = [
  [GOOD, null],
  [BAD, 1],
];
const slo = (rule) => `min(${rule}{job=~"$job"})`;

const HEALTHY = [
  stat('Alerts', {
    unit: 'none',
    help: 'Alerts of Roundhouse that fire now. Not 0: open the alert, it links to its page in docs/runbooks.',
    steps: NONE_IS_GOOD,
    series: [['firing', 'count(ALERTS{alertname=~"Roundhouse.*", alertstate="firing"}) or vector(0)']],
  }),
  stat('Availability budget left', {
    unit: 'percentunit',
    help: 'What is left of the 0.1 % of requests that may fail in 30 days. Below a quarter: no risky changes. Below 0: stop them.',
    steps: BUDGET_STEPS,
    decimals: 1,
    series: [['left', slo('job:roundhouse_availability_budget_left:ratio30d')]],
  }),
  stat('Latency budget left', {
    unit: 'percentunit',
    help: 'What is left of the 1 % of calls to which the router itself may add more than 25 ms in 30 days. Below 0: look at Saturation.',
    steps: BUDGET_STEPS,
    decimals: 1,
    series: [['left', slo('job:roundhouse_latency_budget_left:ratio30d')]],
  }),
  stat('Waiting for a user', {
    unit: 'none',
    help: 'Flows that were asked something and have not ended. Many and old: see Flows for whom they wait.',
    series: [['flows', `clamp_min(${sum('roundhouse_flows_open')}, 0)`]],
  }),
  stat('Replayed', {
    unit: 'none',
    help: 'Retries that got a stored result instead of a second run, in the time shown. It is what protects users of bad networks; many of them tell of lost responses.',
    decimals: 0,
    series: [['results', gained('roundhouse_replay_claims_total', { where: `${ROUTERS}, outcome="done"` })]],
  }),
  stat('Age of the primary key', {
    unit: 's',
    help: 'Keys rotate once a day by default. Beyond two days rotation has stopped: see State and keys.',
    steps: [
      [GOOD, null],
      [LOOK, 100_000],
      [BAD, 172_800],
    ],
    series: [['age', max('roundhouse_keyset_primary_age_seconds')]],
  }),
];

const GOLDEN = [
  lines('Requests', {
    unit: 'reqps',
    help: 'Requests by method. A sudden drop is as telling as a rise: look at what stands before the routers.',
    stacked: true,
    series: [['{{mcp_method_name}}', rate(`${SERVER}_count`, { labels: 'mcp_method_name' })]],
  }),
  lines('Failed requests', {
    unit: 'percentunit',
    help: 'Share of valid requests that failed through us (5xx, -32603, resets). Above 0.1 % the budget shrinks: see Refused and failed for the code.',
    steps: [
      [GOOD, null],
      [BAD, 0.001],
    ],
    series: [
      ['5 minutes', 'max(job:roundhouse_sli_bad:ratio_rate5m{job=~"$job"})'],
      ['1 hour', 'max(job:roundhouse_sli_bad:ratio_rate1h{job=~"$job"})'],
      ['6 hours', 'max(job:roundhouse_sli_bad:ratio_rate6h{job=~"$job"})'],
    ],
  }),
  lines('Duration', {
    unit: 's',
    help: 'Whole duration of requests, tools included. A dot is one request: click it for its trace.',
    exemplars: true,
    series: [
      ['p50', quantile(0.5, SERVER)],
      ['p95', quantile(0.95, SERVER)],
      ['p99', quantile(0.99, SERVER)],
    ],
  }),
  lines('Added by the router', {
    unit: 's',
    help: 'What the router adds to a call, without tool and user. p99 above 25 ms: the router is short of CPU, or Redis is slow.',
    exemplars: true,
    steps: [
      [GOOD, null],
      [BAD, 0.025],
    ],
    series: [
      ['p50', quantile(0.5, ADDED)],
      ['p99', quantile(0.99, ADDED)],
    ],
  }),
  lines('How fast the budgets burn', {
    unit: 'none',
    help: '1 uses the 30-day budget up in exactly 30 days. Above 14.4 and 6 somebody is paged, above 1 for days is a ticket.',
    steps: [
      [GOOD, null],
      [LOOK, 1],
      [BAD, 6],
    ],
    series: [
      ['availability, 1 hour', 'max(job:roundhouse_sli_bad:ratio_rate1h{job=~"$job"}) / 0.001'],
      ['availability, 3 days', 'max(job:roundhouse_sli_bad:ratio_rate3d{job=~"$job"}) / 0.001'],
      ['latency, 1 hour', 'max(job:roundhouse_sli_slow:ratio_rate1h{job=~"$job"}) / 0.01'],
      ['latency, 3 days', 'max(job:roundhouse_sli_slow:ratio_rate3d{job=~"$job"}) / 0.01'],
    ],
  }),
  bars('Slowest tools', {
    unit: 's',
    help: 'The ten tools with the longest p95, now. Open Tools for one of them; a tool that always asks is not slow, its users are.',
    steps: [
      [GOOD, null],
      [LOOK, 2],
      [BAD, 10],
    ],
    series: [
      [
        '{{gen_ai_tool_name}}',
        `topk(10, ${quantile(0.95, SERVER, { where: `${ROUTERS}, gen_ai_tool_name!=""`, labels: 'gen_ai_tool_name' })})`,
      ],
    ],
  }),
];

const SATURATION = [
  lines('Requests under way', {
    unit: 'none',
    help: 'Requests that each router works on. One far above the others: the load balancer does not spread.',
    series: [['{{instance}}', sum('roundhouse_inflight_requests', { labels: 'instance' })]],
  }),
  lines('CPU of routers', {
    unit: 'none',
    help: 'Cores each router uses. Node uses one for requests: near 1 add routers, more cores do not help.',
    steps: [
      [GOOD, null],
      [LOOK, 0.8],
    ],
    series: [['{{instance}}', rate('process_cpu_seconds_total', { labels: 'instance' })]],
  }),
  lines('Event loop delay, p99', {
    unit: 's',
    help: 'How long a router is busy before it turns to the next thing; about 10 ms is rest, for so it is measured. Above 50 ms every request waits: add routers, or look for large bodies.',
    steps: [
      [GOOD, null],
      [LOOK, 0.05],
    ],
    series: [['{{instance}}', max('nodejs_eventloop_lag_p99_seconds', { labels: 'instance' })]],
  }),
  lines('Memory of routers', {
    unit: 'bytes',
    help: 'Resident memory. A line that only climbs is a leak, or streams that nobody reads: compare with Streams.',
    series: [['{{instance}}', max('process_resident_memory_bytes', { labels: 'instance' })]],
  }),
  lines('Streams', {
    unit: 'none',
    help: 'Open streams by kind. They end with their router: spread restarts out when there are many.',
    series: [['{{kind}}', sum('roundhouse_streams_active', { labels: 'kind' })]],
  }),
  lines('Sent away', {
    unit: 'reqps',
    help: 'Requests refused because there was too much to do. Lasting: more workers, or a higher limit for the group.',
    series: [['{{reason}}', rate('roundhouse_shed_total', { labels: 'reason' })]],
  }),
];

const REFUSED = [
  lines('Refused and failed', {
    unit: 'reqps',
    help: 'By code of docs/errors.md. Codes at whose fault the client is are no alarm; for the others read the reason in the log.',
    width: 12,
    series: [['{{code}}', rate('roundhouse_refusals_total', { labels: 'code' })]],
  }),
  lines('Refused callers', {
    unit: 'reqps',
    help: 'Tokens, proofs and scopes that were not enough, by reason. token_unknown_key for long: the authorization server’s keys cannot be read.',
    width: 6,
    series: [['{{reason}}', rate('roundhouse_auth_denied_total', { labels: 'reason' })]],
  }),
  lines('Audit and traces lost', {
    unit: 'ops',
    help: 'Audit lines and spans that could not be handed on. Anything but 0: the disk or the collector.',
    width: 6,
    series: [
      ['audit lines', rate('roundhouse_audit_records_total', { where: `${ROUTERS}, outcome="dropped"` })],
      ['spans', rate('roundhouse_telemetry_spans_dropped_total')],
    ],
  }),
  lines('Requests as the objective counts them', {
    unit: 'reqps',
    help: 'good and bad make up the availability; excluded are requests that their sender got wrong. Many excluded from one moment on: a client was released.',
    width: 8,
    series: [['{{outcome}}', rate('roundhouse_sli_requests_total', { labels: 'outcome' })]],
  }),
  lines('Subscriptions end after', {
    unit: 's',
    help: 'How long streams of subscriptions/listen live, by why they ended. Short ones for one reason: look at the proxy’s timeouts.',
    width: 8,
    exemplars: true,
    series: [['{{reason}} p50', quantile(0.5, 'roundhouse_subscription_duration_seconds', { labels: 'reason' })]],
  }),
  lines('Processes', {
    unit: 'none',
    help: 'Processes by service and version. Two versions for long: a rollout is stuck.',
    width: 8,
    steps: [[CALM, null]],
    series: [['{{service}} {{version}}', 'count by (service, version) (roundhouse_build_info)']],
  }),
];

export const OVERVIEW = {
  uid: 'roundhouse-overview',
  title: 'Overview',
  about: 'Open this first. Green at the top: go home. Otherwise follow the sentence behind the i of the panel.',
  choices: ['job', 'instance', 'traces'],
  rows: [
    ['Is it healthy?', HEALTHY],
    ['Rate, errors, duration', GOLDEN],
    ['Saturation', SATURATION],
    ['Refusals', REFUSED],
  ],
};
