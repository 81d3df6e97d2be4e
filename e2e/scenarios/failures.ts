/** What a caller is told when a part of the system dies under it, and that the rest goes on. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, askedBy, completed, retry } from '../harness/flow.js';
import {
  errorOf,
  nextId,
  sendMcp,
  toEvents,
  toHttp,
  toReply,
  type McpCall,
  type McpReply,
} from '../harness/mcp-request.js';
import type { ProcessSeat } from '../harness/process-seat.js';
import { RawStream, beginRaw } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import { awaitRounds, flowIdOf } from '../harness/rounds-seen.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until, within } from '../harness/until.js';

/** No scenario lasts as long: a call that waits this long can only have been ended. */
const FOREVER_MS = 50_000;
const AT_ONCE_MS = 2_000;
const CONFIRMED = { confirm: { action: 'accept', content: { confirm: true } } };
const ABORTED = 50;

export const scenarios = scenariosIn('failures', () => Cluster.start({ name: 'e2e/failures', wiring: 'paired' }), [
  scenario(
    'a worker that dies in a call ends it at once with an error, and its successor serves the next',
    ['LB-3', 'B11'],
    async ({ world }) => {
      const { router, worker } = pair(world, 0);
      const running = await beginRunning(router.port, wait(FOREVER_MS));
      await worker.process.kill();
      const reply = await replyOf(running, AT_ONCE_MS);
      assert.deepEqual(errorOf(reply), { code: -32603, message: 'The worker was lost while it ran the call' });
      const refused = await sendMcp(router.port, echo);
      assert.deepEqual(
        [refused.status, errorOf(refused).code],
        [503, -32603],
        'a known tool without a worker is unavailable, not unknown',
      );
      assert.match(refused.headers['retry-after'] ?? '', /^\d+$/);
      assert.equal(completed(await sendMcp(pair(world, 1).router.port, echo)), 'hello', 'the other pair goes on');
      await worker.start();
      await untilServed(router);
    },
  ),

  scenario(
    'a worker that dies in a confirmed call leaves the outcome unknown, and it stays unknown',
    ['REP-8', 'REP-14'],
    async ({ world }) => {
      const { router, worker } = pair(world, 0);
      const id = nextId();
      const call = confirmWait(FOREVER_MS);
      const { state } = await ask(router.port, { ...call, id });
      const confirmed = retry(call, state, CONFIRMED);
      const running = await beginRunning(router.port, confirmed);
      await worker.process.kill();
      const reply = await replyOf(running, AT_ONCE_MS);
      assert.deepEqual([errorOf(reply).code, errorOf(reply).data], [-32603, { reason: 'outcome_unknown' }]);
      await worker.start();
      await untilServed(router);
      for (const { port } of world.routers) {
        const again = errorOf(await sendMcp(port, confirmed));
        assert.deepEqual(
          [again.code, again.data],
          [-32603, { reason: 'outcome_unknown' }],
          'never a silent second run',
        );
      }
      const rounds = await awaitRounds(world, await flowIdOf(world, id), 4);
      assert.equal(rounds.filter(({ round }) => round === 2).flatMap(({ runs }) => runs).length, 1);
    },
  ),

  scenario(
    'without the replay service confirmed calls wait with 503, others go on, and the same state works later',
    ['REP-10', 'REP-13'],
    async ({ world }) => {
      const note = new Note(world, 'No replay');
      await world.replay.process.kill();
      const { state } = await ask(world.port, note.call);
      const confirmed = retry(note.call, state, note.confirmation);
      for (const { port } of world.routers) {
        const reply = await sendMcp(port, confirmed);
        assert.deepEqual([reply.status, errorOf(reply).code], [503, -32603]);
        assert.match(reply.headers['retry-after'] ?? '', /^\d+$/);
      }
      assert.equal(completed(await sendMcp(world.port, echo)), 'hello');
      assert.equal(note.exists, true);
      await world.replay.start();
      const later = await until(() => sendMcp(world.port, confirmed).then((reply) => reply.status === 200 && reply), {
        what: 'the replay service is found again',
        withinMs: 10_000,
      });
      assert.equal(completed(later), 'The note was deleted.');
      assert.equal(note.deletions.length, 1);
    },
  ),

  scenario('rounds of a tool that may run twice need no replay service', ['REP-13'], async ({ world }) => {
    await world.replay.process.kill();
    const call = { method: 'tools/call', params: { name: 'test_input_required_result_multi_round', arguments: {} } };
    const first = await ask(world.port, call);
    const name = { step1: { action: 'accept', content: { name: 'Ada' } } };
    const second = askedBy(await sendMcp(world.port, retry(call, first.state, name)));
    const color = { step2: { action: 'accept', content: { color: 'green' } } };
    assert.match(completed(await sendMcp(world.port, retry(call, second.state, color))), /Ada.*green/);
    await world.replay.start();
  }),

  scenario(
    'a client that goes away ends its call on the worker within a second',
    ['G-03', 'G-07', 'B89'],
    async ({ world }) => {
      const { router, worker } = pair(world, 0);
      const running = await beginRunning(router.port, wait(FOREVER_MS));
      running.close();
      // A draining worker waits for what it runs: it ends in time only because nothing runs any more.
      await within(worker.process.stop(), { what: 'the worker is idle', withinMs: 1_000 });
      await worker.start();
      await untilServed(router);
    },
  ),

  scenario(
    'a confirmed call goes on without its client, and its result can be fetched',
    ['REP-9', 'G-03'],
    async ({ world }) => {
      const id = nextId();
      const call = confirmWait(1_500);
      const { state } = await ask(world.port, { ...call, id });
      const confirmed = retry(call, state, CONFIRMED);
      const running = await beginRunning(world.port, confirmed);
      running.close();
      const replies = await Promise.all(world.routers.map(({ port }) => sendMcp(port, confirmed)));
      assert.deepEqual(replies.map(completed), ['Waited 1500 ms.', 'Waited 1500 ms.']);
      const rounds = await awaitRounds(world, await flowIdOf(world, id), 4);
      assert.equal(rounds.filter(({ round }) => round === 2).flatMap(({ runs }) => runs).length, 1);
    },
  ),

  scenario(
    `${ABORTED} connections broken at once harm nobody, and nothing stays behind`,
    ['B47', 'G-03', 'HLM-12'],
    async ({ world }) => {
      const { router, worker } = pair(world, 0);
      const running = await Promise.all(
        Array.from({ length: ABORTED }, () => beginRunning(router.port, wait(FOREVER_MS))),
      );
      const unanswered = Array.from({ length: ABORTED }, () =>
        beginRaw({ port: router.port, ...toHttp({ ...wait(FOREVER_MS), meta: {} }) }),
      );
      const normal = Array.from({ length: 5 }, () => sendMcp(router.port, wait(200)));
      for (const { socket } of running) socket.resetAndDestroy();
      for (const { outgoing } of unanswered) outgoing.destroy();
      for (const reply of await Promise.all(normal)) assert.equal(completed(reply), 'Waited 200 ms.');
      // Both wait for calls in flight when they are asked to stop; a minute if one were left.
      await within(router.restart(), { what: 'the router has nothing in flight', withinMs: 10_000 });
      await within(worker.restart(), { what: 'the worker has nothing in flight', withinMs: 10_000 });
      assert.deepEqual(world.complaints(), []);
      await untilServed(router);
    },
  ),

  scenario('a router that is asked to stop finishes the calls it has', ['HLM-12', 'F-17'], async ({ world }) => {
    const { router } = pair(world, 0);
    const running = await beginRunning(router.port, wait(1_000));
    const [reply] = await Promise.all([replyOf(running, 5_000), router.stop()]);
    assert.equal(completed(reply), 'Waited 1000 ms.');
    assert.equal(router.process.exitCode, 0);
    await router.start();
  }),

  scenario(
    'a worker that is asked to stop finishes the calls it has, and new ones go elsewhere',
    ['HLM-12', 'LB-3'],
    async ({ world }) => {
      const mesh = await world.startStrayRouter('router-mesh', {});
      const running = await Promise.all(Array.from({ length: 8 }, () => beginRunning(mesh.port, wait(1_000))));
      const { worker } = pair(world, 0);
      const stopped = worker.stop();
      const during = Array.from({ length: 20 }, () => sendMcp(mesh.port, echo));
      for (const reply of await Promise.all(during)) assert.equal(completed(reply), 'hello');
      for (const each of running) assert.equal(completed(await replyOf(each, 5_000)), 'Waited 1000 ms.');
      await stopped;
      await worker.start();
    },
  ),
]);

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } };

function wait(ms: number): McpCall {
  return { method: 'tools/call', params: { name: 'wait', arguments: { ms } }, meta: { progressToken: 'running' } };
}

function confirmWait(ms: number): McpCall {
  return { ...wait(ms), principal: 'alice', params: { name: 'confirm_wait', arguments: { ms } } };
}

function pair(
  { routers, workers }: Cluster,
  at: number,
): { readonly router: ProcessSeat; readonly worker: ProcessSeat } {
  const [router, worker] = [routers[at], workers[at]];
  assert.ok(router !== undefined && worker !== undefined);
  return { router, worker };
}

/** Resolves once the worker has said that it runs the call. */
async function beginRunning(port: number, call: McpCall): Promise<RawStream> {
  const stream = await RawStream.open({ port, ...toHttp(call) });
  await until(() => toEvents(stream.received).length > 0, { what: 'the call runs', withinMs: 5_000 });
  return stream;
}

async function replyOf(stream: RawStream, withinMs: number): Promise<McpReply> {
  const text = await stream.rest(withinMs);
  return toReply({ status: stream.status, headers: stream.headers, text });
}

async function untilServed({ port }: ProcessSeat): Promise<void> {
  const isServed = () => sendMcp(port, echo).then(({ status }) => status === 200);
  await until(isServed, { what: 'the worker is found again', withinMs: 10_000 });
}
