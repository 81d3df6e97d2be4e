// Workers: which endpoints serve, how full they are, whether their replicas agree, and what is left out of the catalogue.
import { BAD, GOOD, LOOK, lines, stat, table } from '../panel.mjs';
import { ROUTERS, WORKERS as WORKER_SERIES, gained, max, quantile, rate, sum } from '../query.mjs';

const GROUP = `${ROUTERS}, group=~"$group"`;
const ENDPOINTS = 'roundhouse_worker_endpoints';
const inGroup = (labels) => ({ where: GROUP, labels });
/** Each router counts for itself; what the least fortunate of them sees is what its callers get. */
const leastReady = (labels) => `min by (${labels}) (${ENDPOINTS}{${GROUP}, state="ready"})`;

const NOW = [
  stat('Endpoints ready', {
    unit: 'none',
    help: 'Of the worst group, as the router sees it that sees fewest. 0: its tools answer 503.',
    steps: [
      [BAD, null],
      [LOOK, 1],
      [GOOD, 2],
    ],
    series: [['endpoints', `min(${leastReady('group')})`]],
  }),
  stat('Set aside', {
    unit: 'none',
    help: 'Endpoints that a router ejected and does not use now. They are tried again by themselves.',
    steps: [
      [GOOD, null],
      [LOOK, 1],
    ],
    series: [['endpoints', `max(${ENDPOINTS}{${GROUP}, state="ejected"})`]],
  }),
  stat('Fullest endpoint', {
    unit: 'percentunit',
    help: 'Calls under way of its limit. Near 100 %: calls wait, then they are refused. Add workers.',
    steps: [
      [GOOD, null],
      [LOOK, 0.7],
      [BAD, 0.95],
    ],
    series: [['used', `max(roundhouse_worker_inflight{${GROUP}} / (roundhouse_worker_limit{${GROUP}} > 0))`]],
  }),
  stat('Groups that disagree', {
    unit: 'none',
    help: 'Groups whose replicas describe different tools. Normal during a rollout; after it a replica runs another version.',
    steps: [
      [GOOD, null],
      [LOOK, 1],
    ],
    series: [['groups', `sum(max by (group) (roundhouse_catalogue_divergence{${GROUP}}))`]],
  }),
  stat('Names left out', {
    unit: 'none',
    help: 'Names that a group claims and another one, named earlier, serves. Give one of them a prefix.',
    steps: [
      [GOOD, null],
      [LOOK, 1],
    ],
    series: [['names', `sum(max by (group) (roundhouse_catalogue_shadowed{${GROUP}}))`]],
  }),
  stat('Ejections', {
    unit: 'none',
    help: 'How often an endpoint was set aside, in the time shown. Some while pods change is normal.',
    decimals: 0,
    series: [['ejections', gained('roundhouse_worker_ejections_total', { where: GROUP })]],
  }),
];

const SERVE = [
  lines('Endpoints by state', {
    unit: 'none',
    help: 'Averaged over the routers, so that more routers do not look like more workers. unreachable: pods that discovery lists and nobody can connect to.',
    series: [
      ['{{group}} {{state}}', `avg by (group, state) (sum by (instance, group, state) (${ENDPOINTS}{${GROUP}}))`],
    ],
  }),
  lines('Calls under way', {
    unit: 'none',
    help: 'On each group, over all routers, and what its endpoints take at most. When the lines meet, calls wait.',
    series: [
      ['{{group}}', sum('roundhouse_worker_inflight', inGroup('group'))],
      ['{{group}} limit', sum('roundhouse_worker_limit', inGroup('group'))],
    ],
  }),
  lines('Ejections over time', {
    unit: 'ops',
    help: 'A steady line is an endpoint that fails whenever it is tried: take it out, and read its log.',
    series: [['{{group}}', rate('roundhouse_worker_ejections_total', inGroup('group'))]],
  }),
  lines('Duration by endpoint, p95', {
    unit: 's',
    help: 'Calls as routers see them. One endpoint above the others: its node, or its connections to what it calls.',
    exemplars: true,
    series: [
      ['{{server_address}}', quantile(0.95, 'mcp_client_operation_duration_seconds', { labels: 'server_address' })],
    ],
  }),
  lines('Calls by endpoint', {
    unit: 'reqps',
    help: 'How the load is spread. Uneven is intended: slower endpoints get less.',
    series: [['{{server_address}}', rate('mcp_client_operation_duration_seconds_count', { labels: 'server_address' })]],
  }),
  lines('Refused for want of capacity', {
    unit: 'reqps',
    help: 'Calls that waited too long for a place, or found the queue full.',
    series: [['{{reason}}', rate('roundhouse_shed_total', { labels: 'reason' })]],
  }),
];

const CATALOGUE = [
  table('Catalogue', {
    help: 'What each group serves, and how many of its names are left out because another group serves them.',
    unit: 'none',
    width: 12,
    series: [
      ['Entries', max('roundhouse_catalogue_entries', inGroup('group, kind'))],
      ['Left out', max('roundhouse_catalogue_shadowed', inGroup('group'))],
    ],
  }),
  lines('Replicas that disagree', {
    unit: 'none',
    help: '1 while replicas of a group describe different tools. Longer than a rollout: find the replica by its hash in the console.',
    width: 12,
    max: 1,
    series: [['{{group}}', max('roundhouse_catalogue_divergence', inGroup('group'))]],
  }),
];

const PROCESSES = [
  lines('Calls in each worker', {
    unit: 'none',
    help: 'As the workers count them. More than the routers count: calls that nobody waits for any more.',
    series: [['{{instance}}', sum('roundhouse_worker_calls_inflight', { where: WORKER_SERIES, labels: 'instance' })]],
  }),
  lines('CPU of workers', {
    unit: 'none',
    help: 'Cores each worker uses. Near 1: add workers.',
    series: [['{{instance}}', rate('process_cpu_seconds_total', { where: WORKER_SERIES, labels: 'instance' })]],
  }),
  lines('Memory of workers', {
    unit: 'bytes',
    help: 'Resident memory. A line that only climbs ends with a killed worker and unknown outcomes.',
    series: [['{{instance}}', max('process_resident_memory_bytes', { where: WORKER_SERIES, labels: 'instance' })]],
  }),
  lines('Streams by kind', {
    unit: 'none',
    help: 'Open streams on routers: calls that report, subscriptions, clients of earlier revisions.',
    width: 12,
    series: [['{{kind}}', sum('roundhouse_streams_active', { labels: 'kind' })]],
  }),
  lines('Streams cut', {
    unit: 'ops',
    help: 'Streams that a router closed, by reason. Slow readers: the client, or a proxy that buffers.',
    width: 12,
    series: [['{{reason}}', rate('roundhouse_stream_drops_total', { labels: 'reason' })]],
  }),
];

export const WORKERS = {
  uid: 'roundhouse-workers',
  title: 'Workers',
  about: 'Which endpoints serve, how full they are, and whether replicas agree.',
  choices: ['job', 'instance', 'group', 'worker_job', 'traces'],
  rows: [
    ['Now', NOW],
    ['Who serves', SERVE],
    ['Catalogue', CATALOGUE],
    ['Processes and streams', PROCESSES],
  ],
};
