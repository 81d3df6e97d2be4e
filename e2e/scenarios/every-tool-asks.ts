/**
 * Every reference tool that asks, played by both official clients against routers and workers that change with every
 * leg, by a person who accepts, declines or cancels.
 */
import assert from 'node:assert/strict';
import { AskingWorld } from '../harness/asking-world.js';
import { ask, completed, retry } from '../harness/flow.js';
import { assertLegsApart } from '../harness/legs.js';
import { errorOf, sendMcp, type McpCall } from '../harness/mcp-request.js';
import { connectOfficialClient, textOf, type OfficialClientOptions } from '../harness/official-client.js';
import { callWithPython } from '../harness/python-client.js';
import { accept } from '../harness/reference-tools.js';
import { pressOnPage } from '../harness/report-page.js';
import { flowIdOfTool, flowIdsOfTool } from '../harness/rounds-seen.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import {
  ACTIONS,
  ASKING_TOOLS,
  CASE_ROOTS,
  CASE_SAMPLE,
  contentFor,
  toolCases,
  type Action,
  type Player,
  type ToolCase,
} from '../harness/tool-cases.js';

const TYPESCRIPT: Player = { draft: 'welcome', cents: 10_101, release: '3.1' };
const PYTHON: Player = { draft: 'timetable', cents: 10_202, release: '3.2' };
const PRINCIPAL = 'alice';

/** A client plays one case and tells the text of the result. */
type Play = (world: AskingWorld, toolCase: ToolCase, action: Action) => Promise<string>;

export const scenarios = scenariosIn('every tool', () => AskingWorld.start('e2e/every-tool-asks'), [
  ...ASKING_TOOLS.map((tool) =>
    scenario<AskingWorld>(
      `${tool}: cancel, decline and accept end as they should by the TypeScript client, each leg elsewhere`,
      ['D-02', 'D-12', 'D-34', 'A-14', 'TST-6'],
      ({ world }) => playAll(world, caseOf(world, tool, TYPESCRIPT), playByTypeScript),
    ),
  ),
  ...ASKING_TOOLS.map((tool) =>
    scenario<AskingWorld>(
      `${tool}: cancel, decline and accept end as they should by the Python client, each leg elsewhere`,
      ['D-02', 'D-12', 'D-34', 'A-14', 'TST-6'],
      ({ world }) => playAll(world, caseOf(world, tool, PYTHON), playByPython),
    ),
  ),

  scenario(
    'deploy_service: what was cancelled can be taken up on any router, and what was declined cannot',
    ['D-12', 'REP-2'],
    async ({ world: { cluster } }) => {
      const call = callOf('deploy_service', { service: 'timetable', version: '1.1' });
      const { state } = await ask(cluster.port, call);
      for (const { port } of [...cluster.routers, ...cluster.routers]) {
        const text = completed(await sendMcp(port, retry(call, state, { deploy: { action: 'cancel' } })));
        assert.match(text, /Nothing was deployed; it can still be answered/);
      }
      const staging = { deploy: accept({ environment: 'staging', confirm: true }) };
      assert.match(completed(await sendMcp(cluster.port, retry(call, state, staging))), /deployed to staging/);
      const production = { deploy: accept({ environment: 'production', confirm: true }) };
      assert.equal(errorOf(await sendMcp(cluster.port, retry(call, state, production))).code, -32602);
    },
  ),

  scenario(
    'refactor_plan: a sample that is refused changes nothing, and the plan can be had without one',
    ['D-12', 'D-05'],
    async ({ world, defer }) => {
      const refusing = await connect(world, 'refactor_plan', {
        sample: () => Promise.reject(new Error('the user does not want that')),
      });
      defer(() => refusing.close());
      const call = { name: 'refactor_plan', arguments: { directory: 'file:///srv/projects/lamps' } };
      await assert.rejects(() => refusing.callTool(call));
      const without = await connect(world, 'refactor_plan', {});
      defer(() => without.close());
      assert.match(textOf(await without.callTool(call)), /by local rules: the client has no model that can be asked/);
    },
  ),

  scenario(
    'connect_report_service: a client that opens no addresses is told so, and is never given a form instead',
    ['D-05', 'D-20'],
    async ({ world: { cluster } }) => {
      for (const capabilities of [{}, { elicitation: {} }, { elicitation: { form: {} } }]) {
        const call = { ...callOf('connect_report_service', { report: 'delays' }), capabilities };
        const { code, data } = errorOf(await sendMcp(cluster.port, call));
        assert.deepEqual([code, data], [-32021, { requiredCapabilities: { elicitation: { url: {} } } }]);
      }
    },
  ),

  scenario(
    'connect_report_service: the page knows nobody but its owner, and what it does twice counts once',
    ['D-36'],
    async ({ world: { cluster } }) => {
      const capabilities = { elicitation: { url: {} } };
      const call = { ...callOf('connect_report_service', { report: 'delays' }), capabilities };
      const { state, inputRequests } = await ask(cluster.port, call);
      const address = String(inputRequests['report_page']?.params?.['url']);
      assert.match(await pressOnPage(address, { user: 'bob', decision: 'allow' }), /no such page for you/);
      const again = await sendMcp(cluster.port, retry(call, state, { report_page: { action: 'accept' } }));
      assert.match(again.text, /not connected yet/);
      for (const decision of ['allow', 'allow', 'refuse']) {
        assert.match(await pressOnPage(address, { user: PRINCIPAL, decision }), /completed/);
      }
      const finish = retry(call, state, { report_page: { action: 'accept' } });
      assert.match(completed(await sendMcp(cluster.port, finish)), /is connected/);
    },
  ),
]);

/** Accept last: it uses up what the others leave as it is. */
async function playAll(world: AskingWorld, toolCase: ToolCase, play: Play): Promise<void> {
  const { cluster } = world;
  for (const action of [...ACTIONS].reverse()) {
    const known = flowIdsOfTool(cluster, toolCase.tool);
    assert.match(await play(world, toolCase, action), toolCase.says[action], action);
    const flowId = await flowIdOfTool(cluster, toolCase.tool, known);
    await assertLegsApart(cluster, flowId, toolCase.rounds[action]);
  }
}

function caseOf({ cluster }: AskingWorld, tool: string, player: Player): ToolCase {
  const found = toolCases(cluster, player).find((each) => each.tool === tool);
  assert.ok(found !== undefined, `a case for ${tool}`);
  return found;
}

const playByTypeScript: Play = async (world, { tool, args, answers }, action) => {
  const opened = new Set<string>();
  const client = await connectOfficialClient({
    url: world.cluster.front.url,
    principal: PRINCIPAL,
    answer: ({ requestedSchema }) => {
      if (action !== 'accept') return { action };
      return { action, content: contentFor(Object.keys(requestedSchema.properties), answers) };
    },
    open: async ({ url }) => {
      // Agrees at once and finishes when asked again: accept is not completion.
      if (action === 'accept' && opened.has(url)) await pressOnPage(url, { user: PRINCIPAL, decision: 'allow' });
      opened.add(url);
      return { action };
    },
    sample: () => CASE_SAMPLE,
    roots: CASE_ROOTS,
  });
  try {
    return textOf(await client.callTool({ name: tool, arguments: args }));
  } finally {
    await client.close();
  }
};

const playByPython: Play = async ({ cluster }, { tool, args, answers }, action) => {
  const { text, asked } = await callWithPython({
    ...{ url: cluster.front.url, principal: PRINCIPAL, tool, arguments: args },
    ...{ action, answers, roots: CASE_ROOTS, sample: CASE_SAMPLE.content.text },
  });
  assert.ok(asked.length > 0, 'the person was asked');
  return text;
};

/** A client whose person accepts the form of a tool, with what this scenario is about. */
function connect(world: AskingWorld, tool: string, more: Pick<OfficialClientOptions, 'sample'>) {
  const { answers } = caseOf(world, tool, TYPESCRIPT);
  return connectOfficialClient({
    url: world.cluster.front.url,
    principal: PRINCIPAL,
    answer: ({ requestedSchema }) => ({
      action: 'accept',
      content: { ...contentFor(Object.keys(requestedSchema.properties), answers), dry_run: true },
    }),
    ...more,
  });
}

function callOf(name: string, args: Readonly<Record<string, unknown>>): McpCall {
  return { method: 'tools/call', principal: PRINCIPAL, params: { name, arguments: args } };
}
