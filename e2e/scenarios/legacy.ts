/**
 * Clients of 2025 on two routers that share no connection: every reference tool that asks, with each answer posted to the
 * router that did not ask.
 */
import assert from 'node:assert/strict';
import { AskingWorld } from '../harness/asking-world.js';
import { LEGACY_CLIENTS, connectLegacyClient, type LegacyClientKind } from '../harness/legacy-client.js';
import { LegacySession, textOfResponse } from '../harness/legacy-session.js';
import { nextId, resultOf, sendMcp, type Json, type RpcMessage } from '../harness/mcp-request.js';
import { pressOnPage } from '../harness/report-page.js';
import { caseOf, playAll, type Play } from '../harness/legacy-play.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { ASKING_TOOLS, CASE_ROOTS, CASE_SAMPLE, contentFor, type Player } from '../harness/tool-cases.js';

const PRINCIPAL = 'alice';
const PLAYERS: Readonly<Record<LegacyClientKind, Player>> = {
  v1: { draft: 'welcome', cents: 20_101, release: '3.1' },
  v2: { draft: 'timetable', cents: 20_202, release: '3.2' },
};

export const scenarios = scenariosIn('legacy clients', () => AskingWorld.start('e2e/legacy'), [
  ...LEGACY_CLIENTS.flatMap((kind) =>
    ASKING_TOOLS.map((tool) =>
      scenario<AskingWorld>(
        `${tool}: cancel, decline and accept end as they should by the client ${kind}, each answer on the other router`,
        ['K-31', 'K-32', 'K-33', 'D-12'],
        ({ world }) => playAll(world, caseOf(world, tool, PLAYERS[kind]), playBy(kind)),
      ),
    ),
  ),
  ...LEGACY_CLIENTS.map((kind) =>
    scenario<AskingWorld>(
      `the client ${kind} is listed the tools of a modern one, in the same order`,
      ['K-11', 'K-19'],
      async ({ world: { cluster }, defer }) => {
        const client = await connectLegacyClient({
          ...{ kind, principal: PRINCIPAL, answer: () => ({ action: 'cancel' }) },
          portFor: () => cluster.port,
        });
        defer(() => client.close());
        const { tools } = resultOf(await sendMcp(cluster.port, { method: 'tools/list', principal: PRINCIPAL }));
        const names = (tools as readonly { readonly name: string }[]).map(({ name }) => name);
        assert.deepEqual(await client.listTools(), names);
      },
    ),
  ),
  scenario(
    'a client that takes no stream is told what to open, and its call goes on by the other router',
    ['K-36'],
    async ({ world: { cluster } }) => {
      const [first, second] = cluster.routers.map(({ port }) => port) as [number, number];
      const terms = { principal: PRINCIPAL, capabilities: { elicitation: { url: {} } } };
      const session = await LegacySession.begin(first, terms);
      const params = { name: 'connect_report_service', arguments: { report: 'delays' } };
      const call = async (port: number, by = session): Promise<RpcMessage> => {
        const reply = await by.postAsJson(port, { jsonrpc: '2.0', id: nextId(), method: 'tools/call', params });
        assert.equal(reply.headers['content-type'], 'application/json');
        return JSON.parse(reply.text) as RpcMessage;
      };
      const addressIn = ({ error }: RpcMessage): string => {
        assert.equal(error?.code, -32042);
        const [asked] = error.data?.['elicitations'] as readonly Json[];
        assert.deepEqual([asked?.['mode'], typeof asked?.['elicitationId']], ['url', 'string']);
        return String(asked?.['url']);
      };
      const address = addressIn(await call(first));
      assert.equal(addressIn(await call(second)), address, 'agreed to, and not finished');
      await pressOnPage(address, { user: PRINCIPAL, decision: 'allow' });
      const stranger = await LegacySession.begin(second, terms);
      assert.notEqual(addressIn(await call(first, stranger)), address, 'another session begins anew');
      assert.match(textOfResponse(await call(first)), /is connected/);
      assert.notEqual(addressIn(await call(second)), address, 'taken once');
    },
  ),
]);

function playBy(kind: LegacyClientKind): Play {
  return async ({ cluster }, { tool, args, answers }, action) => {
    const [first, second] = cluster.routers.map(({ port }) => port);
    const opened = new Set<string>();
    const client = await connectLegacyClient({
      ...{ kind, principal: PRINCIPAL, roots: CASE_ROOTS, sample: CASE_SAMPLE },
      portFor: ({ isAnswer }) => (isAnswer ? second : first) ?? 0,
      answer: (fields) => (action === 'accept' ? { action, content: contentFor(fields, answers) } : { action }),
      open: async (url) => {
        // Agrees at once and finishes when asked again: accept is not completion.
        if (action === 'accept' && opened.has(url)) await pressOnPage(url, { user: PRINCIPAL, decision: 'allow' });
        opened.add(url);
        return { action };
      },
    });
    try {
      return (await client.call(tool, args)).text;
    } finally {
      await client.close();
    }
  };
}
