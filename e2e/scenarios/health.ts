/** What probes are told, and how a router leaves: nobody who is served by it is cut off, and nobody is sent to it any more. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { isListening } from '../harness/free-ports.js';
import { ask, completed, retry } from '../harness/flow.js';
import { ListenStream } from '../harness/listen-stream.js';
import { errorOf, sendMcp, toHttp, toReply, type McpCall } from '../harness/mcp-request.js';
import type { ProcessSeat } from '../harness/process-seat.js';
import { beginRaw, sendRaw, type RawReply } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn, type Turn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

const LINGER_MS = 1_500;
const SPREAD_MS = 1_000;
const AT_ONCE_MS = 1_000;
/** What is still under way after a second signal is given five seconds. */
const HASTENED_WITHIN_MS = 9_000;
const END_WITHIN_MS = 12_000;
const REFUSED_WITHIN_MS = 10_000;
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const KEEP_ALIVE = [['Connection', 'keep-alive']] as const;

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'still here' } } };
const wait = (ms: number): McpCall => ({ method: 'tools/call', params: { name: 'wait', arguments: { ms } } });

const start = () =>
  Cluster.start({
    name: 'e2e/health',
    router: { drain: { lingerMs: LINGER_MS, streamsSpreadMs: SPREAD_MS, timeoutMs: 30_000 } },
  });

export const scenarios = scenariosIn('health', start, [
  scenario('every process says that it started, is alive and is ready', ['HLM-11'], async ({ world }) => {
    for (const seat of [...world.routers, ...world.workers]) {
      for (const path of ['/startupz', '/livez', '/readyz'])
        assert.deepEqual([path, (await probe(seat, path)).status], [path, 200], seat.name);
    }
  }),

  scenario('an idle connection is kept for longer than proxies keep theirs', ['HLM-14'], async ({ world }) => {
    const { headers } = await sendRaw({ port: portOf(world), ...withKeepAlive(echo) });
    assert.deepEqual([headers.connection, headers['keep-alive']], ['keep-alive', 'timeout=75']);
  }),

  scenario(
    'a router that is asked to stop is unready at once, and serves new connections until it is out of rotation',
    ['HLM-11', 'HLM-12'],
    async (turn) => {
      const router = leaving(turn);
      router.process.signal('SIGTERM');
      const unready = () => probe(router, '/readyz').then((reply) => reply.status === 503 && reply);
      const { text } = await until(unready, { what: 'unready', withinMs: AT_ONCE_MS });
      assert.equal(text, 'draining\n');
      assert.equal((await probe(router, '/livez')).status, 200);
      assert.equal(completed(await sendMcp(router.port, echo)), 'still here');
      await until(async () => !(await isListening(router.port)), { what: 'no more', withinMs: END_WITHIN_MS });
      await ended(router);
    },
  ),

  scenario(
    'a call in flight finishes, streams end in order, and no connection is reused',
    ['HLM-12', 'F-07', 'F-17'],
    async (turn) => {
      const router = leaving(turn);
      const streams = await Promise.all(
        Array.from({ length: 4 }, () => ListenStream.open(router.port, { notifications: { toolsListChanged: true } })),
      );
      turn.defer(() => streams.forEach((stream) => stream.close()));
      // It outlasts the lingering, so that it is answered by a router that no longer listens.
      const { response } = beginRaw({ port: router.port, ...withKeepAlive(wait(LINGER_MS + 2_000)) });
      router.process.signal('SIGTERM');
      const incoming = await response;
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
      const reply = toReply({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      completed(reply);
      assert.equal(reply.headers.connection, 'close');
      for (const { stream, messages, id } of await allEnded(streams)) {
        assert.ok(stream.endedInOrder, 'the body ends, the connection is not cut');
        const last = { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: id } };
        assert.deepEqual(messages.at(-1)?.result, last);
      }
      await ended(router);
    },
  ),

  scenario('a second signal ends the waiting, and streams still end in order', ['HLM-12'], async (turn) => {
    const router = leaving(turn);
    const stream = await ListenStream.open(router.port, { notifications: {} });
    turn.defer(() => stream.close());
    const { outgoing } = beginRaw({ port: router.port, ...toHttp(wait(50_000)) });
    turn.defer(() => outgoing.destroy());
    router.process.signal('SIGTERM');
    const unready = async () => (await probe(router, '/readyz')).status === 503;
    await until(unready, { what: 'unready', withinMs: AT_ONCE_MS });
    router.process.signal('SIGTERM');
    await stream.stream.rest();
    assert.equal(stream.messages.at(-1)?.result?.resultType, 'complete');
    await ended(router, HASTENED_WITHIN_MS);
  }),

  // The last one: nothing after it needs the store.
  scenario(
    'a store that is down takes no router out of rotation: ordinary tools work, those that run once are refused',
    ['HLM-11', 'REP-14'],
    async ({ world }) => {
      const note = new Note(world, 'Kept while the store is down');
      const { state } = await ask(world.port, note.call);
      await world.stopRedis();
      const confirmed = retry(note.call, state, note.confirmation);
      const refused = await until(() => sendMcp(world.port, confirmed).then((reply) => reply.status === 503 && reply), {
        what: 'a refusal',
        withinMs: REFUSED_WITHIN_MS,
      });
      assert.equal(errorOf(refused).code, -32603);
      assert.ok(note.exists, 'nothing was deleted');
      for (const router of world.routers) {
        assert.deepEqual([(await probe(router, '/readyz')).status, (await probe(router, '/livez')).status], [200, 200]);
        assert.equal(completed(await sendMcp(router.port, echo)), 'still here');
      }
    },
  ),
]);

/** The router that a scenario stops; another process stands in its place afterwards. */
function leaving({ world, defer }: Turn<Cluster>): ProcessSeat {
  const [router] = world.routers;
  assert.ok(router !== undefined);
  defer(async () => {
    await router.stop();
    await router.start();
    await world.awaitConnected();
  });
  return router;
}

function probe({ adminPort = 0 }: ProcessSeat, path: string): Promise<RawReply> {
  return sendRaw({ port: adminPort, method: 'GET', path });
}

function portOf(world: Cluster): number {
  return world.routers[0]?.port ?? 0;
}

function withKeepAlive(call: McpCall): ReturnType<typeof toHttp> {
  const { headers, body } = toHttp(call);
  return { headers: [...headers, ...KEEP_ALIVE], body };
}

async function allEnded(streams: readonly ListenStream[]): Promise<readonly ListenStream[]> {
  await Promise.all(streams.map(({ stream }) => stream.rest()));
  return streams;
}

async function ended(router: ProcessSeat, withinMs = END_WITHIN_MS): Promise<void> {
  await until(() => router.process.hasEnded, { what: `${router.name} ends`, withinMs });
  assert.equal(router.process.exitCode, 0);
}
