// Flows: who waits for a user, what users answer, how long they think, and what came of retries.
import { BAD, GOOD, LOOK, bars, exploreLink, lines, spans, stat } from '../panel.mjs';
import { ROUTERS, gained, quantile, rate, sum } from '../query.mjs';

const FLOWS_TOTAL = 'roundhouse_flows_total';
const CLAIMS = 'roundhouse_replay_claims_total';
const THINK = 'roundhouse_mrtr_think_time_seconds';
const ROUNDS = 'roundhouse_mrtr_rounds';
const hour = (which) => `sum(increase(${FLOWS_TOTAL}{${ROUTERS}, outcome=~"${which}"}[1h]))`;

const NOW = [
  stat('Open', {
    unit: 'none',
    help: 'Flows that wait for an answer now. They live an hour at most, whoever waits.',
    series: [['open', `clamp_min(${sum('roundhouse_flows_open')}, 0)`]],
  }),
  stat('Opened', {
    unit: 'none',
    help: 'Flows whose first question was sent, in the time shown.',
    decimals: 0,
    series: [['opened', gained(FLOWS_TOTAL, { where: `${ROUTERS}, outcome="opened"` })]],
  }),
  stat('Finished', {
    unit: 'none',
    help: 'Flows that came to a result after at least one question, in the time shown.',
    decimals: 0,
    series: [['finished', gained(FLOWS_TOTAL, { where: `${ROUTERS}, outcome="finished"` })]],
  }),
  stat('Abandoned in the last hour', {
    unit: 'none',
    help: 'Opened, neither finished nor failed, and not open any more: users who went away. Many: is the question clear, does the client show it?',
    decimals: 0,
    series: [
      [
        'abandoned',
        `clamp_min(${hour('opened')} - (${hour('finished|failed')} or vector(0)) - sum(delta(roundhouse_flows_open{${ROUTERS}}[1h])), 0)`,
      ],
    ],
  }),
  stat('Failed', {
    unit: 'none',
    help: 'Flows that ended with an error, in the time shown. See Tools for which, and the trace of a round for why.',
    decimals: 0,
    steps: [
      [GOOD, null],
      [LOOK, 1],
    ],
    series: [['failed', gained(FLOWS_TOTAL, { where: `${ROUTERS}, outcome="failed"` })]],
  }),
  stat('Outcome unknown', {
    unit: 'none',
    help: 'Calls that may have run although nobody can tell, in the time shown. Each needs a look: docs/runbooks/outcome-unknown.md.',
    decimals: 0,
    steps: [
      [GOOD, null],
      [BAD, 1],
    ],
    series: [['calls', gained('roundhouse_replay_outcome_unknown_total')]],
  }),
];

const PEOPLE = [
  bars('Open flows by age', {
    unit: 'none',
    help: 'How long ago open flows started, up to the time named. Old ones wait for somebody who may not come back.',
    series: [['up to {{age}}', `clamp_min(${sum('roundhouse_flows_open', { labels: 'age' })}, 0)`]],
  }),
  lines('Answers', {
    unit: 'ops',
    help: 'What users chose. Many cancels: the question comes at a bad moment; many declines: the tool proposes what nobody wants.',
    stacked: true,
    series: [['{{action}}', rate('roundhouse_mrtr_answers_total', { labels: 'action' })]],
  }),
  lines('Think time', {
    unit: 's',
    help: 'Between question and answer. p95 near the life of a state (5 minutes, 10 for links) means that users run out of time. A dot leads to a trace.',
    exemplars: true,
    steps: [
      [GOOD, null],
      [LOOK, 300],
    ],
    series: [
      ['p50', quantile(0.5, THINK)],
      ['p95', quantile(0.95, THINK)],
    ],
  }),
  lines('Flows', {
    unit: 'ops',
    help: 'Opened and ended flows. Opened far above the sum of the others: users go away, or their retries do not arrive.',
    series: [['{{outcome}}', rate(FLOWS_TOTAL, { labels: 'outcome' })]],
  }),
  lines('Rounds of finished flows', {
    unit: 'none',
    help: 'Questions a user sits through. Clients give up after 3 to 10 rounds: ask in one form what can be asked at once.',
    exemplars: true,
    series: [
      ['{{gen_ai_tool_name}} p50', quantile(0.5, ROUNDS, { labels: 'gen_ai_tool_name' })],
      ['{{gen_ai_tool_name}} p95', quantile(0.95, ROUNDS, { labels: 'gen_ai_tool_name' })],
    ],
  }),
  lines('Confirmed rounds by outcome', {
    unit: 'ops',
    help: 'new runs; done got a stored result; inflight waited for its twin; conflict and stale_epoch were refused; store_error could not be decided.',
    series: [['{{outcome}}', rate(CLAIMS, { labels: 'outcome' })]],
  }),
];

const FIRST_ROUND = exploreLink(
  'First round of this flow',
  '{ span.roundhouse.flow.id = "${__value.raw}" && span.roundhouse.mrtr.round = 1 }',
);
const ALL_ROUNDS = exploreLink('All rounds of this flow', '{ span.roundhouse.flow.id = "${__value.raw}" }');
const TRACE = exploreLink('Open the trace', '${__value.raw}');
const COLUMNS = 'select(span.roundhouse.flow.id, span.roundhouse.mrtr.round, span.gen_ai.tool.name)';

const ROUND_LINKS = { traceID: TRACE, 'roundhouse.flow.id': FIRST_ROUND };

const TRACED = [
  spans('Rounds of one flow', {
    help: 'Put a flow id of a log line, an audit line or the console into the field at the top. The flow id of each row leads to the first round, however many traces lie between.',
    query: `{ span.roundhouse.flow.id = "$flow" } | ${COLUMNS}`,
    links: ROUND_LINKS,
    width: 12,
  }),
  spans('Retries lately', {
    help: 'Rounds after the first. The flow id leads to the first round, the trace id to this one, whose span links to the round before.',
    query: `{ span.roundhouse.mrtr.round > 1 } | ${COLUMNS}`,
    links: { traceID: TRACE, 'roundhouse.flow.id': ALL_ROUNDS },
    width: 12,
  }),
];

export const FLOWS = {
  uid: 'roundhouse-flows',
  title: 'Flows',
  about: 'Calls that stop and ask: who waits, what users answer, what came of retries.',
  choices: ['job', 'instance', 'traces', 'flow'],
  rows: [
    ['Now', NOW],
    ['People', PEOPLE],
    ['Traces', TRACED],
  ],
};
