/** Calls whose worker lets the client go while it works: the client comes back for the answer, to whichever router. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { LegacySession, textOfResponse, type LegacyStream } from '../harness/legacy-session.js';
import { flowIdOfTool, flowIdsOfTool } from '../harness/rounds-seen.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

/** Within which a client hears that the router of its call is gone. */
const LOST_WITHIN_MS = 5_000;
const CONFIRM = { action: 'accept', content: { confirm: true } };

const portsOf = ({ routers }: Cluster): [number, number] => {
  const [first, second] = routers;
  assert.ok(first !== undefined && second !== undefined);
  return [first.port, second.port];
};

const lastOf = ({ eventIds }: LegacyStream): readonly [string, string] => ['Last-Event-ID', eventIds.at(-1) ?? ''];

/** Resolves when the router has ended the line, with nothing but ids and a time on it. */
async function sentAway(stream: LegacyStream): Promise<void> {
  await until(() => stream.raw.hasEnded, { what: 'the line ends', withinMs: LOST_WITHIN_MS });
  assert.deepEqual([stream.raw.status, stream.messages], [200, []]);
  assert.match(stream.raw.received, /^id: \S+\nretry: \d+\ndata: *\n/);
}

export const scenarios = scenariosIn('legacy polling', () => Cluster.start({ name: 'e2e/legacy-polling' }), [
  scenario(
    'a client that was sent away is answered by the router to which it comes back',
    ['K-46'],
    async ({ world }) => {
      const [calling, other] = portsOf(world);
      const session = await LegacySession.begin(calling);
      for (const port of [other, calling]) {
        const stream = await session.call(calling, 'wait_apart', { args: { ms: 300, retryMs: 50 }, id: `to ${port}` });
        await sentAway(stream);
        assert.match(stream.raw.received, /^retry: 50$/m);
        const back = await session.listen(port, [lastOf(stream)]);
        const response = await back.response();
        assert.deepEqual([response.id, textOfResponse(response)], [`to ${port}`, 'Waited 300 ms.']);
        const again = await session.listen(port, [lastOf(stream)]);
        assert.equal(again.raw.status, 400, 'read to its end');
      }
    },
  ),

  scenario(
    'what is asked while the client is away is asked when it is back, and the call goes on',
    ['K-46', 'K-31', 'K-32'],
    async ({ world }) => {
      const [calling, other] = portsOf(world);
      const session = await LegacySession.begin(calling);
      const stream = await session.call(calling, 'wait_apart', { args: { ms: 100, asks: true } });
      await sentAway(stream);
      const back = await session.listen(other, [lastOf(stream)]);
      const question = await back.question();
      assert.equal((await session.answer(other, question, CONFIRM)).status, 202);
      await until(() => back.raw.hasEnded, { what: 'the line ends again', withinMs: LOST_WITHIN_MS });
      const again = await session.listen(calling, [lastOf(back)]);
      assert.equal(textOfResponse(await again.response()), 'Waited 100 ms.');
    },
  ),

  scenario(
    'a client that loses its line at another router finds its answer when it comes back once more',
    ['K-46', 'K-17'],
    async ({ world }) => {
      const [calling, other] = portsOf(world);
      const session = await LegacySession.begin(calling);
      const known = flowIdsOfTool(world, 'wait_apart');
      const stream = await session.call(calling, 'wait_apart', { args: { ms: 700 } });
      await sentAway(stream);
      const cut = await session.listen(other, [lastOf(stream)]);
      await until(() => cut.eventIds.length > 0, { what: 'the line is taken', withinMs: LOST_WITHIN_MS });
      cut.close();
      // Its span is written when the call has ended.
      await flowIdOfTool(world, 'wait_apart', known);
      const back = await session.listen(calling, [lastOf(stream)]);
      assert.equal(textOfResponse(await back.response()), 'Waited 700 ms.');
    },
  ),

  scenario(
    'a client that cancels while it is away, or belongs to another session, has nothing to come back to',
    ['K-46', 'K-17', 'K-12'],
    async ({ world }) => {
      const [calling, other] = portsOf(world);
      const session = await LegacySession.begin(calling);
      const stranger = await LegacySession.begin(calling);
      const stream = await session.call(calling, 'wait_apart', { args: { ms: 20_000 }, id: 'away' });
      await sentAway(stream);
      for (const port of [calling, other])
        assert.equal((await stranger.listen(port, [lastOf(stream)])).raw.status, 400, 'another session');
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'away' } };
      assert.equal((await session.post(other, cancelled)).status, 202);
      const back = await session.listen(other, [lastOf(stream)]);
      assert.equal(back.raw.status, 400);
    },
  ),

  scenario(
    'a client whose router was killed while it was away is told so within five seconds',
    ['K-46', 'K-32'],
    async ({ world }) => {
      const [first, second] = world.routers;
      assert.ok(first !== undefined && second !== undefined);
      const session = await LegacySession.begin(second.port);
      const stream = await session.call(first.port, 'wait_apart', { args: { ms: 20_000 }, id: 'lost' });
      await sentAway(stream);
      first.process.signal('SIGKILL');
      const before = performance.now();
      const back = await session.listen(second.port, [lastOf(stream)]);
      const { id, error } = await back.response();
      assert.deepEqual([id, error?.code], ['lost', -32603]);
      assert.ok(performance.now() - before < LOST_WITHIN_MS);
      await first.restart();
      await world.awaitConnected();
    },
  ),

  scenario(
    'a router that stops waits for a client that it sent away, which finds its answer at the other',
    ['K-46', 'HLM-12'],
    async ({ world }) => {
      const [first, second] = world.routers;
      assert.ok(first !== undefined && second !== undefined);
      const session = await LegacySession.begin(second.port);
      const known = flowIdsOfTool(world, 'wait_apart');
      const stream = await session.call(first.port, 'wait_apart', { args: { ms: 300, retryMs: 2_000 } });
      await sentAway(stream);
      const restarted = first.restart();
      await flowIdOfTool(world, 'wait_apart', known);
      const back = await session.listen(second.port, [lastOf(stream)]);
      assert.equal(textOfResponse(await back.response()), 'Waited 300 ms.');
      await restarted;
      await world.awaitConnected();
    },
  ),

  scenario(
    'clients that cannot come back are kept on their line: 2025-06-18, 2025-03-26, and whoever takes no streams',
    ['K-46'],
    async ({ world }) => {
      const [calling] = portsOf(world);
      const params = { name: 'wait_apart', arguments: { ms: 50 } };
      for (const revision of ['2025-06-18', '2025-03-26']) {
        const older = await LegacySession.begin(calling, { revision });
        assert.equal(textOfResponse(await older.request(calling, 'tools/call', params)), 'Waited 50 ms.');
      }
      const session = await LegacySession.begin(calling);
      const reply = await session.postAsJson(calling, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'application/json']);
    },
  ),
]);
