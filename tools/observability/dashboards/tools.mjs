// Tools: which one is slow, which one fails, and whether the time is spent in the worker or before it.
import { BAD, GOOD, LOOK, bars, lines, table } from '../panel.mjs';
import { ROUTERS, gained, quantile, rate, share } from '../query.mjs';

const SERVER = 'mcp_server_operation_duration_seconds';
const CLIENT = 'mcp_client_operation_duration_seconds';
const TOOL = 'gen_ai_tool_name';
const CALLS = `${ROUTERS}, mcp_method_name="tools/call", gen_ai_tool_name=~"$tool"`;
const NAMED = `${CALLS}, gen_ai_tool_name!=""`;
const perTool = { where: NAMED, labels: TOOL };

const EVERY = [
  table('Every tool', {
    help: 'Sort by a column to find the slow, the failing and the busy one. p95 in worker close to p95: the tool itself is slow.',
    unit: 'none',
    units: { 'Calls/s': 'reqps', Failed: 'percentunit', p50: 's', p95: 's', 'p95 in worker': 's' },
    series: [
      ['Calls/s', rate(`${SERVER}_count`, perTool)],
      ['Failed', share(`${SERVER}_count`, 'error_type!=""', perTool)],
      ['p50', quantile(0.5, SERVER, perTool)],
      ['p95', quantile(0.95, SERVER, perTool)],
      ['p95 in worker', quantile(0.95, CLIENT, perTool)],
    ],
  }),
];

const PER_TOOL = [
  lines('Calls', {
    unit: 'reqps',
    help: 'Calls of each tool, rounds of flows counted one by one.',
    series: [[`{{${TOOL}}}`, rate(`${SERVER}_count`, perTool)]],
  }),
  lines('Failed calls', {
    unit: 'percentunit',
    help: 'Share of calls that ended with an error, tool_error included: a tool that says no. See Kinds of error below.',
    max: 1,
    series: [[`{{${TOOL}}}`, share(`${SERVER}_count`, 'error_type!=""', perTool)]],
  }),
  lines('Duration, p95', {
    unit: 's',
    help: 'Time from request to answer of one round, without the user. A dot leads to the trace of one call.',
    exemplars: true,
    series: [[`{{${TOOL}}}`, quantile(0.95, SERVER, perTool)]],
  }),
  lines('Duration in the worker, p95', {
    unit: 's',
    help: 'The same as seen by the router on its way to the worker. Near 60 s calls are stopped at their deadline.',
    exemplars: true,
    steps: [
      [GOOD, null],
      [BAD, 60],
    ],
    series: [[`{{${TOOL}}}`, quantile(0.95, CLIENT, perTool)]],
  }),
  bars('Slowest endpoints', {
    unit: 's',
    help: 'The ten endpoints with the longest p95. One of many: restart that one; all of them: the tool or what it calls.',
    steps: [
      [GOOD, null],
      [LOOK, 2],
      [BAD, 10],
    ],
    series: [['{{server_address}}', `topk(10, ${quantile(0.95, CLIENT, { where: CALLS, labels: 'server_address' })})`]],
  }),
  lines('Kinds of error', {
    unit: 'reqps',
    help: 'tool_error is the tool’s own no; a number is a JSON-RPC code of docs/errors.md; the rest is the way to the worker.',
    series: [['{{error_type}}', rate(`${SERVER}_count`, { where: `${CALLS}, error_type!=""`, labels: 'error_type' })]],
  }),
];

const BEYOND = [
  bars('Outcome unknown', {
    unit: 'none',
    help: 'Calls that may have run although nobody can tell, in the time shown. Ask the owner of the tool what it did.',
    width: 8,
    steps: [
      [GOOD, null],
      [BAD, 1],
    ],
    series: [
      [
        `{{${TOOL}}}`,
        gained('roundhouse_replay_outcome_unknown_total', {
          where: `${ROUTERS}, gen_ai_tool_name=~"$tool"`,
          labels: TOOL,
        }),
      ],
    ],
  }),
  lines('Prompts', {
    unit: 'reqps',
    help: 'Prompts that were fetched. None for days: nobody would miss them.',
    series: [
      [
        '{{gen_ai_prompt_name}}',
        rate(`${SERVER}_count`, { where: `${ROUTERS}, gen_ai_prompt_name!=""`, labels: 'gen_ai_prompt_name' }),
      ],
    ],
  }),
  lines('Versions of the protocol', {
    unit: 'reqps',
    help: 'Which revision callers speak. One that nobody speaks any more need not be tested against.',
    series: [['{{mcp_protocol_version}}', rate(`${SERVER}_count`, { labels: 'mcp_protocol_version' })]],
  }),
];

export const TOOLS = {
  uid: 'roundhouse-tools',
  title: 'Tools',
  about: 'Which tool is slow, which one fails, and where the time goes.',
  choices: ['job', 'instance', 'tool', 'traces'],
  rows: [
    ['Every tool', EVERY],
    ['Tool by tool', PER_TOOL],
    ['Beyond', BEYOND],
  ],
};
