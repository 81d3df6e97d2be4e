// Redis and the replay service: are claims decided, quickly, on a store that cannot forget them.
import { BAD, CALM, GOOD, LOOK, lines, stat } from '../panel.mjs';
import { REPLAYS, gained, max, quantile, rate, sum } from '../query.mjs';

const STORE = 'roundhouse_replay_store_duration_seconds';
const here = (labels = '') => ({ where: REPLAYS, labels });
const lowest = (metric) => `min(${metric}{${REPLAYS}})`;

const NOW = [
  stat('Redis is set up safely', {
    unit: 'none',
    help: 'Whether its settings can keep claims. No: claims are refused; docs/redis-keys.md has the settings.',
    steps: [
      [BAD, null],
      [GOOD, 1],
    ],
    words: { 0: { text: 'no', color: BAD }, 1: { text: 'yes', color: GOOD } },
    series: [['safe', lowest('roundhouse_replay_config_ok')]],
  }),
  stat('Circuit', {
    unit: 'none',
    help: 'Open: Redis failed so often that it is left alone for a while. Tools that run once answer 503, others go on.',
    steps: [
      [GOOD, null],
      [BAD, 1],
    ],
    words: { 0: { text: 'closed', color: GOOD }, 1: { text: 'open', color: BAD } },
    series: [['open', max('roundhouse_replay_circuit_open', here())]],
  }),
  stat('Replicas of Redis', {
    unit: 'none',
    help: 'Connected to the primary. Fewer than store.replicasMin: no claim is confirmed.',
    series: [['replicas', lowest('roundhouse_redis_connected_replicas')]],
  }),
  stat('Memory of Redis', {
    unit: 'percentunit',
    help: 'Of maxmemory; empty without a limit. At 100 % every claim is refused. Give it more, or look for results that are large.',
    steps: [
      [GOOD, null],
      [LOOK, 0.8],
      [BAD, 0.95],
    ],
    series: [
      [
        'used',
        `max(roundhouse_redis_memory_used_bytes{${REPLAYS}} / (roundhouse_redis_memory_max_bytes{${REPLAYS}} > 0))`,
      ],
    ],
  }),
  stat('Replayed', {
    unit: 'none',
    help: 'Retries that got a stored result instead of a second run, in the time shown.',
    decimals: 0,
    steps: [[CALM, null]],
    series: [['results', gained('roundhouse_replay_claims_total', { where: 'outcome="done"' })]],
  }),
  stat('Not decided', {
    unit: 'none',
    help: 'Claims that the store could not decide, in the time shown. Their callers got 503 and nothing ran.',
    decimals: 0,
    steps: [
      [GOOD, null],
      [BAD, 1],
    ],
    series: [['claims', gained('roundhouse_replay_claims_total', { where: 'outcome="store_error"' })]],
  }),
];

const STORE_ROW = [
  lines('Claims by outcome', {
    unit: 'ops',
    help: 'done and inflight are retries that did no harm. stale_epoch: Redis lost its data. store_error: see Errors of Redis.',
    series: [['{{outcome}}', rate('roundhouse_replay_claims_total', { where: 'outcome!=""', labels: 'outcome' })]],
  }),
  lines('Duration in Redis, p99', {
    unit: 's',
    help: 'By operation. Above 250 ms operations are given up; above 25 ms they are what users wait for.',
    exemplars: true,
    steps: [
      [GOOD, null],
      [LOOK, 0.025],
      [BAD, 0.25],
    ],
    series: [['{{op}}', quantile(0.99, STORE, here('op'))]],
  }),
  lines('Duration in Redis, p50', {
    unit: 's',
    help: 'The usual case. It should not move with the load until Redis is busy.',
    series: [['{{op}}', quantile(0.5, STORE, here('op'))]],
  }),
  lines('Operations', {
    unit: 'ops',
    help: 'What is asked of Redis. Plain rounds ask nothing of it.',
    series: [['{{op}}', rate(`${STORE}_count`, here('op'))]],
  }),
  lines('Errors of Redis', {
    unit: 'ops',
    help: 'Operations that failed or took too long. Look at Redis’s own log for failovers and slow disks.',
    series: [['{{op}}', rate('roundhouse_replay_store_errors_total', here('op'))]],
  }),
  lines('Claims that too few replicas confirmed', {
    unit: 'ops',
    help: 'They were taken back and answered 503. Replication lags, or a replica is gone.',
    series: [['claims', rate('roundhouse_replay_wait_short_total', here())]],
  }),
];

const PROCESSES = [
  lines('Memory', {
    unit: 'bytes',
    help: 'What Redis uses and may use. Claims leave by themselves some minutes after their state expires.',
    series: [
      ['used', max('roundhouse_redis_memory_used_bytes', here())],
      ['limit', max('roundhouse_redis_memory_max_bytes', here())],
    ],
  }),
  lines('Evicted keys', {
    unit: 'none',
    help: 'Must stay 0: each could be a spent nonce that is forgotten. Set maxmemory-policy noeviction.',
    series: [['{{instance}}', max('roundhouse_redis_evicted_keys', here('instance'))]],
  }),
  lines('Twins that wait', {
    unit: 'none',
    help: 'Retries that wait for the run they repeat. Many: a slow tool whose callers lose their connections.',
    series: [['{{instance}}', sum('roundhouse_replay_waiters', here('instance'))]],
  }),
  lines('CPU of the replay service', {
    unit: 'none',
    help: 'Cores each process uses. Near 1: add one.',
    series: [['{{instance}}', rate('process_cpu_seconds_total', here('instance'))]],
  }),
  lines('Event loop delay, p99', {
    unit: 's',
    help: 'About 10 ms is rest, for so it is measured. Above 50 ms claims wait for the process and not for Redis.',
    series: [['{{instance}}', max('nodejs_eventloop_lag_p99_seconds', here('instance'))]],
  }),
  lines('Memory of the replay service', {
    unit: 'bytes',
    help: 'Resident memory. It keeps nothing but connections: it should be flat.',
    series: [['{{instance}}', max('process_resident_memory_bytes', here('instance'))]],
  }),
];

export const REPLAY = {
  uid: 'roundhouse-replay',
  title: 'Redis and replay',
  about: 'Whether claims are decided, quickly, on a store that cannot forget them.',
  choices: ['replay_job', 'traces'],
  rows: [
    ['Now', NOW],
    ['Store', STORE_ROW],
    ['Redis and the processes', PROCESSES],
  ],
};
