/** What each feature of the compatibility table asks of a client: the same steps whichever client it is. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskingWorld } from '../asking-world.js';
import type { Cluster } from '../cluster.js';
import { caseOf } from '../legacy-play.js';
import { LegacySession } from '../legacy-session.js';
import { resultOf, sendMcp, type Json } from '../mcp-request.js';
import { sendRaw } from '../raw-client.js';
import { flowIdOfTool, flowIdsOfTool } from '../rounds-seen.js';
import { ACTIONS, type Action, type Player } from '../tool-cases.js';
import { until } from '../until.js';
import { connect } from './connect.js';
import { PRINCIPAL, type Heard, type MatrixClient } from './matrix-client.js';
import { CLIENT_IDS, type ClientId, type FeatureId } from './matrix.js';

export interface Trial {
  readonly world: AskingWorld;
  readonly client: ClientId;
  readonly defer: (close: () => unknown) => void;
}

export const FEATURE_STEPS: Readonly<Record<FeatureId, (trial: Trial) => Promise<void>>> = {
  tools: sameTools,
  forms: (trial) => eachAction(trial, 'bank_transfer_form'),
  urls: (trial) => eachAction(trial, 'connect_report_service'),
  samples: samplesAndRoots,
  away: sentAway,
  cut: cutOff,
  cancel: givenUp,
  lists: changedLists,
  updates: updatedResource,
  logs: logged,
  batch: batched,
  replaced: routerReplaced,
  end: sessionEnded,
  expiry: sessionExpired,
};

const WATCHED = 'test://watched-resource';
const HEARD_WITHIN_MS = 5_000;
/** Of a call that goes on while something happens to it; the line becomes a stream after 200 ms. */
const LONG_CALL = { ms: 2_500 };
const MEANWHILE_MS = 800;
/** Far beyond what a call needs to end because it was given up. */
const ENDLESS_CALL = { ms: 30_000 };
const A_DAY_AND_MORE_MS = 25 * 3_600_000;

async function begin({ world, client, defer }: Trial, action: Action = 'accept', answers: Json = {}) {
  const begun = await connect(client, { port: world.cluster.front.port, action, answers });
  defer(() => begun.close());
  return begun;
}

/** Everything goes to this router from now on, until the scenario ends. */
function routeTo({ world: { cluster }, defer }: Trial, router: 0 | 1): void {
  const ports = cluster.routers.map(({ port }) => port);
  cluster.front.route([ports[router] ?? 0]);
  defer(() => cluster.front.route(ports));
}

/** Each transfers an amount of its own. */
function playerOf(client: ClientId): Player {
  return { draft: 'welcome', cents: 30_000 + CLIENT_IDS.indexOf(client), release: '3.1' };
}

async function sameTools(trial: Trial): Promise<void> {
  const client = await begin(trial);
  const { tools } = resultOf(await sendMcp(trial.world.cluster.port, { method: 'tools/list', principal: PRINCIPAL }));
  assert.deepEqual(
    await client.listTools(),
    (tools as readonly { readonly name: string }[]).map(({ name }) => name),
  );
}

async function eachAction(trial: Trial, tool: string): Promise<void> {
  const { args, answers, says } = caseOf(trial.world, tool, playerOf(trial.client));
  // Accept last: it uses up what the others leave as it is.
  for (const action of [...ACTIONS].reverse()) {
    const client = await begin(trial, action, answers);
    assert.match(await client.begin(tool, args).text, says[action], action);
  }
}

async function samplesAndRoots(trial: Trial): Promise<void> {
  const client = await begin(trial);
  assert.match(await client.begin('test_sampling', { prompt: 'Say it.' }).text, /LLM response: .*Say it shorter/);
  assert.equal(await client.begin('test_input_required_result_list_roots').text, 'The client has 2 roots.');
}

async function sentAway(trial: Trial): Promise<void> {
  routeTo(trial, 0);
  const client = await begin(trial);
  const { passed } = trial.world.cluster.front;
  const before = passed.length;
  const { text } = client.begin('wait_apart', { ms: 1_000, retryMs: 300 });
  await until(() => passed.slice(before).some(({ verb }) => verb === 'POST'), soon('the call is sent'));
  routeTo(trial, 1);
  assert.equal(await text, 'Waited 1000 ms.');
  assertTakenUp(trial, before);
}

async function cutOff(trial: Trial): Promise<void> {
  routeTo(trial, 0);
  const client = await begin(trial);
  const { front } = trial.world.cluster;
  const before = front.passed.length;
  const { text } = client.begin('wait', LONG_CALL);
  await sleep(MEANWHILE_MS);
  routeTo(trial, 1);
  front.cut();
  assert.equal(await text, `Waited ${LONG_CALL.ms} ms.`);
  assertTakenUp(trial, before);
}

function assertTakenUp({ world }: Trial, before: number): void {
  const since = world.cluster.front.passed.slice(before);
  assert.ok(
    since.some(({ resumes }) => resumes),
    'the stream was taken up again',
  );
}

async function givenUp(trial: Trial): Promise<void> {
  const { cluster } = trial.world;
  routeTo(trial, 0);
  const client = await begin(trial);
  const known = flowIdsOfTool(cluster, 'wait');
  const { text, cancel } = client.begin('wait', ENDLESS_CALL);
  await sleep(MEANWHILE_MS);
  routeTo(trial, 1);
  await cancel();
  // Its span is written when the call has ended.
  await flowIdOfTool(cluster, 'wait', known);
  await Promise.race([text.catch(() => undefined), sleep(0)]);
}

async function changedLists(trial: Trial): Promise<void> {
  const heard = await toldOf(trial, 'test_trigger_tool_change', ({ listChanges }) => listChanges > 0);
  assert.deepEqual(heard.updates, []);
}

async function updatedResource(trial: Trial): Promise<void> {
  const heard = await toldOf(trial, 'test_trigger_resource_update', ({ updates }) => updates.length > 0);
  assert.deepEqual([...new Set(heard.updates)], [WATCHED]);
}

/** A client that listens at one router hears of what a call through the other one changed. */
async function toldOf(trial: Trial, tool: string, isTold: (heard: Heard) => boolean): Promise<Heard> {
  const { cluster } = trial.world;
  const [, other] = cluster.routers;
  routeTo(trial, 0);
  const { passed } = cluster.front;
  const before = passed.length;
  const client = await begin(trial);
  await client.follow(WATCHED);
  const listens = ({ verb, method }: (typeof passed)[number]): boolean =>
    verb === 'GET' || method === 'subscriptions/listen' || trial.client.startsWith('hand');
  await until(() => passed.slice(before).some(listens), soon('the client listens'));
  // A stream that was just passed on is open a moment later.
  await sleep(MEANWHILE_MS / 4);
  resultOf(await sendMcp(other?.port ?? 0, { method: 'tools/call', params: { name: tool, arguments: {} } }));
  return heardWhen(client, isTold);
}

async function heardWhen(client: MatrixClient, isTold: (heard: Heard) => boolean): Promise<Heard> {
  const untilMs = performance.now() + HEARD_WITHIN_MS;
  for (;;) {
    const heard = await client.heard();
    if (isTold(heard)) return heard;
    assert.ok(performance.now() < untilMs, `not told: ${JSON.stringify(heard)}`);
    await sleep(20);
  }
}

async function logged(trial: Trial): Promise<void> {
  const client = await begin(trial);
  await client.begin('test_tool_with_logging').text;
  assert.equal((await client.heard()).logs, 0, 'none that was not asked for');
  await client.setLogLevel('info');
  await client.begin('test_tool_with_logging').text;
  assert.equal((await heardWhen(client, ({ logs }) => logs === 3)).logs, 3);
}

async function batched({ world: { cluster } }: Trial): Promise<void> {
  const session = await LegacySession.begin(cluster.port, { revision: '2025-03-26', principal: PRINCIPAL });
  const echo = { name: 'echo', arguments: { message: 'one of two' } };
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: echo },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];
  const { status, text } = await session.post(cluster.port, batch);
  assert.equal(status, 200);
  assert.match(text, /one of two/);
  for (const id of [1, 2]) assert.match(text, new RegExp(`"id":${id}`));
}

async function routerReplaced(trial: Trial): Promise<void> {
  const { cluster } = trial.world;
  const [first] = cluster.routers;
  routeTo(trial, 0);
  const client = await begin(trial);
  const echo = async (message: string): Promise<void> =>
    assert.equal(await client.begin('echo', { message }).text, message);
  await echo('before');
  routeTo(trial, 1);
  await first?.restart();
  await echo('meanwhile');
  await cluster.awaitConnected();
  routeTo(trial, 0);
  await echo('after');
}

async function sessionEnded(trial: Trial): Promise<void> {
  const client = await begin(trial);
  await client.begin('echo', { message: 'still here' }).text;
  const sessionId = lastSession(trial.world.cluster);
  await assertSession(trial.world.cluster, sessionId, 200);
  await client.endSession();
  await assertSession(trial.world.cluster, sessionId, 404);
}

async function sessionExpired(trial: Trial): Promise<void> {
  const client = await begin(trial);
  await client.begin('echo', { message: 'still here' }).text;
  const sessionId = lastSession(trial.world.cluster);
  await assertSession(trial.world.cluster, sessionId, 200);
  await trial.world.passTime(A_DAY_AND_MORE_MS);
  await assertSession(trial.world.cluster, sessionId, 404);
  await assert.rejects(client.begin('echo', { message: 'too late' }).text);
  const anew = await begin(trial);
  assert.equal(await anew.begin('echo', { message: 'anew' }).text, 'anew');
}

function lastSession({ front }: Cluster): string {
  const found = front.passed.findLast(({ sessionId }) => sessionId !== undefined);
  assert.ok(found?.sessionId !== undefined, 'a session');
  return found.sessionId;
}

/** What each router says to whoever brings it. */
async function assertSession({ routers }: Cluster, sessionId: string, expected: number): Promise<void> {
  for (const { port } of routers) {
    const headers = [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
      ['X-Roundhouse-Principal', PRINCIPAL],
      ['Mcp-Session-Id', sessionId],
    ] as const;
    const { status } = await sendRaw({ port, headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
    assert.equal(status, expected);
  }
}

function soon(what: string): { what: string; withinMs: number } {
  return { what, withinMs: HEARD_WITHIN_MS };
}
