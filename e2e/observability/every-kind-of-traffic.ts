/**
 * Everything that dashboards count, done at least once: flows that finish, are declined and abandoned, refusals, each
 * outcome of a claim, a worker that dies in a call, a rotation. Some of it runs all the while, so that rates have something
 * to be rates of.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hastened } from '../faults/keyset-copies.js';
import type { Cluster } from '../harness/cluster.js';
import { POLICY_FILE } from '../harness/cluster-plan.js';
import { ask, finish, retry } from '../harness/flow.js';
import { ListenStream } from '../harness/listen-stream.js';
import { sendMcp, toEvents, toHttp, type McpCall } from '../harness/mcp-request.js';
import { RawStream } from '../harness/raw-client.js';
import { Note, Transfer } from '../harness/reference-tools.js';
import { roundhouseKeys } from '../harness/roundhouse-keys.js';
import { until } from '../harness/until.js';

/** Scrapes come each second, and a rate needs some on either side of what it counts. */
const BEFORE_MS = 8_000;
const AFTER_MS = 6_000;
const ABANDONED = 5;
/** Longer than any other call takes here. */
const SLOW_MS = 400;
/** A new key seals after so long; production has ten minutes. */
const LEAD_MS = 3_000;
const ROUTER_LOOKS_WITHIN_MS = 20_000;
/** Above the timeout of one operation of the store, below the patience of a client. */
const REDIS_PAUSED_MS = 1_500;

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } };
const failing: McpCall = { method: 'tools/call', params: { name: 'test_error_handling', arguments: {} } };

export interface Sent {
  /** Flows that were asked something and never answered. */
  readonly abandoned: number;
  /** Retries that got a stored result. */
  readonly refetched: number;
  /** Calls whose worker died under them. */
  readonly unknown: number;
}

export async function sendEveryKind(cluster: Cluster): Promise<Sent> {
  const streams = await Promise.all(cluster.routers.map(({ port }) => listen(port)));
  const [before] = await Promise.all([sendSteadily(cluster, BEFORE_MS), sendOnce(cluster)]);
  await breakThings(cluster);
  for (const stream of streams.slice(1)) stream.close();
  const after = await sendSteadily(cluster, AFTER_MS);
  return { abandoned: ABANDONED, refetched: before + after, unknown: 1 };
}

const SMALL_CENTS = 1_000;

/** Plain calls, whole flows, declined and cancelled ones, and a re-fetch; once a turn. */
async function sendSteadily(cluster: Cluster, forMs: number): Promise<number> {
  const { port } = cluster;
  const endMs = performance.now() + forMs;
  let turn = 0;
  for (; performance.now() < endMs; turn += 1) {
    await sendMcp(port, echo);
    await sendMcp(port, failing);
    await sendMcp(port, { method: 'tools/list' });
    await sendMcp(port, { method: 'prompts/get', params: { name: 'test_simple_prompt' } });
    await sendMcp(port, { method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } });
    await sendMcp(port, { method: 'no/such/method' });
    // Small enough that the account lasts for any number of turns.
    const transfer = new Transfer(cluster, SMALL_CENTS + turn);
    await finish(port, transfer.call, transfer.answers);
    await answer(cluster, `Declined ${forMs} ${turn}`, { action: 'decline' });
    await answer(cluster, `Cancelled ${forMs} ${turn}`, { action: 'cancel' });
    const note = new Note(cluster, `Again ${forMs} ${turn}`);
    const { state } = await ask(port, note.call);
    const confirmed = retry(note.call, state, note.confirmation);
    await sendMcp(port, confirmed);
    await sendMcp(port, confirmed);
    await sendMcp(port, retry(note.call, state, { delete_choice: { action: 'decline' } }));
    await finish(port, confirmWait(SLOW_MS), CONFIRMED);
    (await listen(port)).close();
    await sendMcp(port, retry(note.call, `${state.slice(0, -4)}AAAA`, note.confirmation));
  }
  return turn;
}

async function answer(cluster: Cluster, title: string, delete_choice: Record<string, unknown>): Promise<void> {
  const note = new Note(cluster, title);
  const { state } = await ask(cluster.port, note.call);
  await sendMcp(cluster.port, retry(note.call, state, { delete_choice }));
}

async function sendOnce(cluster: Cluster): Promise<void> {
  for (let at = 0; at < ABANDONED; at += 1) await ask(cluster.port, new Note(cluster, `Abandoned ${at}`).call);
  await rotate(cluster);
  replacePolicy(cluster);
  await sendTwins(cluster);
}

/** Nothing else runs meanwhile: what fails is what was to fail. */
async function breakThings(cluster: Cluster): Promise<void> {
  await endWorkerInCall(cluster);
  await pauseRedis(cluster);
  await forgetEverything(cluster);
}

/** One of them runs, the others wait for it. */
async function sendTwins({ port }: Cluster): Promise<void> {
  const call = confirmWait(800);
  const { state } = await ask(port, call);
  const confirmed = retry(call, state, CONFIRMED);
  await Promise.all(Array.from({ length: 4 }, () => sendMcp(port, confirmed)));
}

async function endWorkerInCall({ routers: [router], workers: [worker] }: Cluster): Promise<void> {
  if (router === undefined || worker === undefined) throw new Error('a router and its worker');
  const call = confirmWait(30_000);
  const { state } = await ask(router.port, call);
  const stream = await RawStream.open({ port: router.port, ...toHttp(retry(call, state, CONFIRMED)) });
  await until(() => toEvents(stream.received).length > 0, { what: 'the call runs', withinMs: 5_000 });
  await worker.process.kill();
  await stream.rest(5_000);
  await worker.start();
  const isServed = () => sendMcp(router.port, echo).then(({ status }) => status === 200);
  await until(isServed, { what: 'the worker is found again', withinMs: ROUTER_LOOKS_WITHIN_MS });
}

/** Claims cannot be decided for a moment. */
async function pauseRedis(cluster: Cluster): Promise<void> {
  const note = new Note(cluster, 'Paused');
  const { state } = await ask(cluster.port, note.call);
  await cluster.askRedis(`CLIENT PAUSE ${REDIS_PAUSED_MS}`);
  const confirm = () => sendMcp(cluster.port, retry(note.call, state, note.confirmation));
  await confirm();
  await until(() => confirm().then(({ status }) => status === 200), {
    what: 'Redis is asked again',
    withinMs: ROUTER_LOOKS_WITHIN_MS,
  });
}

/** What was asked before is refused afterwards. */
async function forgetEverything(cluster: Cluster): Promise<void> {
  const notes = Array.from({ length: 4 }, (_, at) => new Note(cluster, `Forgotten ${at}`));
  const asked = await Promise.all(notes.map(async (note) => ({ note, ...(await ask(cluster.port, note.call)) })));
  await cluster.askRedis('FLUSHALL');
  for (const { note, state } of asked) await sendMcp(cluster.port, retry(note.call, state, note.confirmation));
}

async function rotate({ folder }: Cluster): Promise<void> {
  const file = join(folder, 'keyset.json');
  if (!(await roundhouseKeys('add', '--file', file))) throw new Error('roundhouse-keys refused to add a key');
  const text = hastened(readFileSync(file, 'utf8'), Date.now() + LEAD_MS);
  writeFileSync(`${file}.draft`, text, { mode: 0o600 });
  renameSync(`${file}.draft`, file);
}

function replacePolicy({ folder }: Cluster): void {
  const file = join(folder, POLICY_FILE);
  writeFileSync(`${file}.draft`, `${readFileSync(file, 'utf8')}\n`);
  renameSync(`${file}.draft`, file);
}

const CONFIRMED = { confirm: { action: 'accept', content: { confirm: true } } };

function confirmWait(ms: number): McpCall {
  const params = { name: 'confirm_wait', arguments: { ms } };
  return { method: 'tools/call', principal: 'alice', meta: { progressToken: 'running' }, params };
}

function listen(port: number): Promise<ListenStream> {
  return ListenStream.open(port, { notifications: { toolsListChanged: true } });
}
