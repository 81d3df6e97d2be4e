// State and keys: is sealed state accepted, how large is it, which key seals where, do keys rotate, who signs tokens.
import { BAD, GOOD, LOOK, lines, stat, table } from '../panel.mjs';
import { ROUTERS, gained, max, quantile, rate } from '../query.mjs';

const SEALS = 'roundhouse_request_state_seals_total';
const OPENS = 'roundhouse_request_state_opens_total';
const SIZE = 'roundhouse_request_state_size_bytes';
const NONE_IS_GOOD = [
  [GOOD, null],
  [BAD, 1],
];

const NOW = [
  stat('Primary keys', {
    unit: 'none',
    help: 'Different keys that routers seal with now. 1 is right; 2 for more than minutes: routers do not see the same keyset.',
    steps: [
      [BAD, null],
      [GOOD, 1],
      [BAD, 2],
    ],
    series: [['keys', `count(count by (kid) (roundhouse_keyset_key_info{${ROUTERS}, role="primary"} == 1))`]],
  }),
  stat('Age of the primary key', {
    unit: 's',
    help: 'Since it took over. Beyond two days at the default of one a day: rotation has stopped.',
    steps: [
      [GOOD, null],
      [LOOK, 100_000],
      [BAD, 172_800],
    ],
    series: [['age', max('roundhouse_keyset_primary_age_seconds')]],
  }),
  stat('Keys known', {
    unit: 'none',
    help: 'Keys that each router has, at least. Fewer on one: its Secret is behind.',
    series: [['keys', `min(sum by (instance) (roundhouse_keyset_keys{${ROUTERS}}))`]],
  }),
  stat('Unknown keys', {
    unit: 'none',
    help: 'States whose key no router had, in the time shown. One may be a stray client; a row of them means that a key is missing somewhere.',
    decimals: 0,
    steps: NONE_IS_GOOD,
    series: [['states', gained(OPENS, { where: `${ROUTERS}, outcome="unknown_key"` })]],
  }),
  stat('Bad keyset files', {
    unit: 'none',
    help: 'Keyset files that a router refused, in the time shown. It kept its keys; the log line "keyset not reloaded" names the rule.',
    decimals: 0,
    steps: NONE_IS_GOOD,
    series: [['files', gained('roundhouse_keyset_reloads_total', { where: `${ROUTERS}, outcome="error"` })]],
  }),
  stat('Largest states, p99', {
    unit: 'bytes',
    help: 'States above 8 KiB are held by the replay service, above 32 KiB they would be refused. Near 8 KiB: a tool keeps too much.',
    steps: [
      [GOOD, null],
      [LOOK, 8192],
    ],
    series: [['p99', quantile(0.99, SIZE)]],
  }),
];

const STATES = [
  lines('States refused', {
    unit: 'ops',
    help: 'By cause. expired: users think too long. auth and malformed: somebody tries things, or a proxy changes bodies. epoch: Redis lost its data.',
    series: [['{{outcome}}', rate(OPENS, { where: `${ROUTERS}, outcome!="ok"`, labels: 'outcome' })]],
  }),
  lines('States opened by role of their key', {
    unit: 'ops',
    help: 'previous right after a rotation is what rotation without loss looks like. previous for hours: clients keep states longer than they live.',
    stacked: true,
    series: [['{{role}}', rate(OPENS, { where: `${ROUTERS}, outcome="ok"`, labels: 'role' })]],
  }),
  lines('Size of states', {
    unit: 'bytes',
    help: 'What clients carry between rounds. A jump comes from a tool that keeps more than it did.',
    series: [
      ['p50', quantile(0.5, SIZE)],
      ['p95', quantile(0.95, SIZE)],
      ['p99', quantile(0.99, SIZE)],
    ],
  }),
];

const KEYS = [
  lines('Sealing by key', {
    unit: 'ops',
    help: 'One key hands over to the next at its hour, on all routers within seconds.',
    series: [['{{kid}}', rate(SEALS, { labels: 'kid' })]],
  }),
  lines('Opening by key', {
    unit: 'ops',
    help: 'An old key fades out within the life of a state. Nothing opens with a key that is about to be pruned.',
    series: [['{{kid}}', rate(OPENS, { where: `${ROUTERS}, outcome="ok"`, labels: 'kid' })]],
  }),
  lines('Keys by role', {
    unit: 'none',
    help: 'One primary on each router, a staged key before a rotation, previous ones after it.',
    series: [['{{role}}', `max by (role) (roundhouse_keyset_keys{${ROUTERS}})`]],
  }),
  table('Keys of each router', {
    help: 'The same rows for each router. A row that one lacks: wait two minutes for its volume, then look at its log.',
    unit: 'none',
    width: 12,
    series: [['Has it', `max by (instance, kid, role) (roundhouse_keyset_key_info{${ROUTERS}})`]],
  }),
  lines('Files read', {
    unit: 'ops',
    help: 'Keysets and policies that routers read anew. error: the file before stays in charge.',
    width: 12,
    series: [
      ['keyset {{outcome}}', rate('roundhouse_keyset_reloads_total', { labels: 'outcome' })],
      ['policy {{outcome}}', rate('roundhouse_policy_reloads_total', { labels: 'outcome' })],
    ],
  }),
];

const ISSUERS = [
  lines('Age of the issuers’ keys', {
    unit: 's',
    help: 'Keys of authorization servers are read every ten minutes. Older: it does not answer; tokens are verified with old keys for a day.',
    width: 12,
    steps: [
      [GOOD, null],
      [LOOK, 3600],
      [BAD, 43_200],
    ],
    series: [['{{issuer}}', max('roundhouse_jwks_age_seconds', { labels: 'issuer' })]],
  }),
  lines('Fetches of the issuers’ keys', {
    unit: 'ops',
    help: 'By outcome. Only errors for an issuer: check its address and the egress rules from a router.',
    width: 12,
    series: [['{{issuer}} {{outcome}}', rate('roundhouse_jwks_fetches_total', { labels: 'issuer, outcome' })]],
  }),
];

export const STATE_AND_KEYS = {
  uid: 'roundhouse-state-and-keys',
  title: 'State and keys',
  about: 'Whether sealed state is accepted, and whether keys rotate without loss.',
  choices: ['job', 'instance'],
  rows: [
    ['Now', NOW],
    ['Sealed state', STATES],
    ['Keys', KEYS],
    ['Issuers of access tokens', ISSUERS],
  ],
};
