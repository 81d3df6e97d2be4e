/** Listen streams on several routers: whoever causes a change and wherever it is seen, every stream that asked hears it. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { completed } from '../harness/flow.js';
import { ListenStream } from '../harness/listen-stream.js';
import { errorOf, sendMcp, type McpCall } from '../harness/mcp-request.js';
import { connectOfficialClient } from '../harness/official-client.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until, within } from '../harness/until.js';

const HEARTBEAT_MS = 200;
const STREAMS_MAX = 4;
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
/** The suite of the protocol allows 800 ms for all of it; "at once" is less. */
const AT_ONCE_MS = 500;

const start = () =>
  Cluster.start({
    name: 'e2e/subscriptions',
    router: { limits: { heartbeatMs: HEARTBEAT_MS, streamsMax: STREAMS_MAX } },
  });

export const scenarios = scenariosIn('subscriptions', start, [
  scenario(
    'a change caused through one router reaches the streams of all routers that asked for it',
    ['F-03', 'F-04', 'F-12'],
    async ({ world, defer }) => {
      for (const { port } of world.routers) {
        const streams = await openOnEach(world, { toolsListChanged: true });
        const [deaf] = await openOnEach(world, { promptsListChanged: true });
        defer(() => [...streams, deaf].forEach((stream) => stream?.close()));
        completed(await sendMcp(port, trigger('tool')));
        for (const stream of streams) {
          const { params } = await stream.awaitMethod('notifications/tools/list_changed');
          assert.deepEqual(params, { _meta: { [SUBSCRIPTION_ID]: stream.id } });
        }
        completed(await sendMcp(port, trigger('prompt')));
        await deaf?.awaitMethod('notifications/prompts/list_changed');
        assert.equal(deaf?.messages.length, 2, 'the acknowledgement and what was asked for');
        streams.forEach((stream) => stream.close());
        deaf?.close();
      }
    },
  ),

  scenario(
    'the acknowledgement comes at once, first, and says what is honoured',
    ['F-02', 'A-27', 'B46', 'B55'],
    async ({ world, defer }) => {
      const notifications = {
        toolsListChanged: true,
        promptsListChanged: false,
        resourceSubscriptions: ['test://watched-resource'],
        taskIds: ['t'],
      };
      const opened = ListenStream.open(world.port, {
        notifications,
        id: 7,
        headers: [['Accept-Encoding', 'gzip, br']],
      });
      const listen = await within(opened, { what: 'the head of the stream', withinMs: AT_ONCE_MS });
      defer(() => listen.close());
      const { method, params } = await listen.await('a first message', () => true);
      assert.equal(method, 'notifications/subscriptions/acknowledged');
      assert.deepEqual(params, {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['test://watched-resource'] },
        _meta: { [SUBSCRIPTION_ID]: 7 },
      });
      const { headers } = listen.stream;
      assert.equal(headers['content-type'], 'text/event-stream');
      assert.equal(headers['x-accel-buffering'], 'no');
      assert.match(headers['cache-control'] ?? '', /no-cache.*no-transform/);
      assert.equal(headers['content-encoding'], undefined);
    },
  ),

  scenario(
    'a silent stream is kept alive by comments and carries no event ids',
    ['A-27', 'A-28', 'B46'],
    async ({ world, defer }) => {
      const listen = await ListenStream.open(world.port, { notifications: {}, headers: [['Last-Event-ID', '5']] });
      defer(() => listen.close());
      await until(() => listen.comments >= 3, { what: 'three comments', withinMs: 20 * HEARTBEAT_MS });
      assert.equal(listen.messages.length, 1);
      assert.doesNotMatch(listen.stream.received, /^(id|retry):/m);
    },
  ),

  scenario('malformed filters are refused, and so is one stream too many', ['F-11'], async ({ world, defer }) => {
    for (const notifications of [
      undefined,
      null,
      [],
      'tools',
      { toolsListChanged: 'yes' },
      { resourceSubscriptions: 'a' },
    ]) {
      const reply = await sendMcp(world.port, {
        method: 'subscriptions/listen',
        params: { notifications },
        capabilities: {},
      });
      assert.deepEqual([reply.status, errorOf(reply).code], [200, -32602], JSON.stringify(notifications));
    }
    const port = world.routers[0]?.port ?? 0;
    const streams = await Promise.all(
      Array.from({ length: STREAMS_MAX }, () => ListenStream.open(port, { notifications: {} })),
    );
    defer(() => streams.forEach((stream) => stream.close()));
    const call = { method: 'subscriptions/listen', params: { notifications: {} }, capabilities: {} };
    assert.equal(errorOf(await sendMcp(port, call)).code, -32603);
    streams.pop()?.close();
    const again = await until(
      () => ListenStream.open(port, { notifications: {} }).then((stream) => !isError(stream) && stream),
      {
        what: 'a free place',
        withinMs: 3_000,
      },
    );
    again.close();
  }),

  scenario(
    'a router that is asked to stop ends its streams in order and leaves the others alone',
    ['F-07', 'F-17'],
    async ({ world, defer }) => {
      const [leaving, staying] = await openOnEach(world, { toolsListChanged: true });
      assert.ok(leaving !== undefined && staying !== undefined);
      defer(() => staying.close());
      await world.routers[0]?.stop();
      await leaving.stream.rest();
      assert.ok(leaving.stream.endedInOrder, 'the body ends, the connection is not cut');
      const last = leaving.messages.at(-1);
      assert.deepEqual(
        [last?.id, last?.result],
        [leaving.id, { resultType: 'complete', _meta: { [SUBSCRIPTION_ID]: leaving.id } }],
      );
      assert.equal(world.routers[0]?.process.exitCode, 0);
      assert.equal(staying.stream.hasEnded, false);
      await world.routers[0]?.start();
      await world.awaitConnected();
      completed(await sendMcp(world.routers[0]?.port ?? 0, trigger('tool')));
      await staying.awaitMethod('notifications/tools/list_changed');
    },
  ),

  scenario(
    'the official client hears a change and sees the graceful end',
    ['F-07', 'F-12'],
    async ({ world, defer }) => {
      const client = await connectOfficialClient({
        url: world.front.url,
        principal: 'alice',
        answer: () => ({ action: 'cancel' }),
      });
      defer(() => client.close());
      const heard = new Promise<void>((resolve) =>
        client.setNotificationHandler('notifications/tools/list_changed', () => resolve()),
      );
      const subscription = await client.listen({ toolsListChanged: true });
      const { router } = world.front.passed.findLast(({ method }) => method === 'subscriptions/listen') ?? {
        router: 0,
      };
      completed(await sendMcp(world.routers[1 - router]?.port ?? 0, trigger('tool')));
      await within(heard, { what: 'the change', withinMs: 3_000 });
      await world.routers[router]?.stop();
      assert.equal(await within(subscription.closed, { what: 'the end', withinMs: 3_000 }), 'graceful');
      await world.routers[router]?.start();
      await world.awaitConnected();
    },
  ),

  scenario('streams hear that lists may have changed when a worker comes back', ['F-14'], async ({ world, defer }) => {
    const streams = await openOnEach(world, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
    defer(() => streams.forEach((stream) => stream.close()));
    const [worker] = world.workers;
    await worker?.process.kill();
    await worker?.start();
    await world.awaitConnected();
    for (const stream of streams) {
      for (const list of ['tools', 'prompts', 'resources'])
        await stream.awaitMethod(`notifications/${list}/list_changed`);
    }
  }),
]);

async function openOnEach(world: Cluster, notifications: McpCall['params'] & object): Promise<ListenStream[]> {
  const streams = await Promise.all(world.routers.map(({ port }) => ListenStream.open(port, { notifications })));
  for (const stream of streams) await stream.awaitMethod('notifications/subscriptions/acknowledged');
  return streams;
}

function isError({ stream }: ListenStream): boolean {
  return stream.headers['content-type'] !== 'text/event-stream';
}

function trigger(what: 'tool' | 'prompt'): McpCall {
  return { method: 'tools/call', params: { name: `test_trigger_${what}_change`, arguments: {} } };
}
