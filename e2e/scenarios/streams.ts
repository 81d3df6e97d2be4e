/** The reply to a call that talks while it runs: on its own stream, in its own words, and to its own caller only. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { completed } from '../harness/flow.js';
import {
  errorOf,
  sendMcp,
  toEvents,
  toHttp,
  toMessages,
  type McpCall,
  type RpcMessage,
} from '../harness/mcp-request.js';
import { RawStream, sendRaw } from '../harness/raw-client.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

const STREAM_AFTER_MS = 150;
const HEARTBEAT_MS = 100;
/** What ends a line for some reader or other: JSON strings may hold all of them, a line of an event stream none. */
const LINE_ENDS = 'a\u2028b\u2029c\u0085d\r\ne';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

const start = () =>
  Cluster.start({
    name: 'e2e/streams',
    router: { limits: { streamAfterMs: STREAM_AFTER_MS, heartbeatMs: HEARTBEAT_MS } },
  });

export const scenarios = scenariosIn('streams', start, [
  scenario(
    'progress carries exactly the token that was given, rises, and stays away unasked',
    ['G-01', 'B90'],
    async ({ world }) => {
      for (const progressToken of [0, 7, '', 'abc']) {
        const reply = await sendMcp(world.port, tool('test_tool_with_progress', {}, { progressToken }));
        completed(reply);
        assert.deepEqual(
          reply.notifications.map(({ method, params }) => [method, params?.['progressToken'], params?.['progress']]),
          [0, 50, 100].map((progress) => ['notifications/progress', progressToken, progress]),
        );
      }
      const silent = await sendMcp(world.port, tool('test_tool_with_progress', {}));
      assert.deepEqual(silent.notifications, []);
    },
  ),

  scenario('two callers with the same token each hear their own call', ['G-02', 'B91'], async ({ world }) => {
    const totals = [31, 47, 59, 83];
    const replies = await Promise.all(
      totals.map((ms) => sendMcp(world.port, tool('wait', { ms }, { progressToken: 1 }))),
    );
    replies.forEach((reply, at) => {
      assert.equal(completed(reply), `Waited ${totals[at]} ms.`);
      assert.deepEqual(
        reply.notifications.map(({ params }) => params?.['total']),
        [totals[at], totals[at]],
      );
    });
  }),

  scenario('what is said in a call arrives while it runs', ['A-26', 'B55'], async ({ world, defer }) => {
    const call = tool('wait', { ms: 1_200 }, { progressToken: 'p' });
    const stream = await RawStream.open({
      port: world.port,
      ...toHttp({ ...call, headers: [['Accept-Encoding', 'gzip']] }),
    });
    defer(() => stream.close());
    await until(() => toEvents(stream.received).length > 0, { what: 'the first event', withinMs: 1_000 });
    assert.equal(stream.hasEnded, false);
    assert.equal(stream.headers['content-encoding'], undefined);
    assert.match(stream.headers['cache-control'] ?? '', /no-transform/);
    const text = await stream.rest();
    assert.equal(toEvents(text).at(-1)?.result?.content?.[0]?.text, 'Waited 1200 ms.');
    assert.ok(text.trimEnd().endsWith('}'), 'nothing follows the response');
  }),

  scenario('logs are sent from the level that was asked for, and none unasked', ['A-42'], async ({ world }) => {
    const heard: Readonly<Record<string, readonly string[]>> = {
      debug: ['debug', 'info', 'error'],
      info: ['info', 'error'],
      warning: ['error'],
      emergency: [],
    };
    for (const [level, levels] of Object.entries(heard)) {
      const reply = await sendMcp(world.port, tool('test_logging_tool', {}, { [LOG_LEVEL]: level }));
      assert.deepEqual(
        reply.notifications.map(({ params }) => params?.['level']),
        levels,
        level,
      );
    }
    assert.deepEqual((await sendMcp(world.port, tool('test_logging_tool', {}))).notifications, []);
    const loud = await sendMcp(world.port, tool('test_logging_tool', {}, { [LOG_LEVEL]: 'loud' }));
    assert.deepEqual([loud.status, errorOf(loud).code], [400, -32602]);
  }),

  scenario('equal ids of many callers never cross', ['A-12', 'B57'], async ({ world }) => {
    const calls = Array.from({ length: 24 }, (_, at) => ({
      ...tool('echo', { message: `for ${at}` }),
      id: 1,
      principal: at % 2 === 0 ? 'alice' : 'bob',
    }));
    const replies = await Promise.all(calls.map((call) => sendMcp(world.port, call)));
    replies.forEach((reply, at) => {
      assert.equal(completed(reply), `for ${at}`);
      assert.equal(reply.response.id, 1);
    });
  }),

  scenario(
    'a call that is silent for long becomes a stream that is kept alive, and its reply stays on one line',
    ['G-09', 'B49', 'B50'],
    async ({ world, defer }) => {
      const workers = world.workers.map(({ process }) => process);
      defer(() => workers.forEach((process) => process.signal('SIGCONT')));
      workers.forEach((process) => process.signal('SIGSTOP'));
      const stream = await RawStream.open({ port: world.port, ...toHttp(tool('echo', { message: LINE_ENDS })) });
      await until(() => stream.received.split('\n').filter((line) => line.startsWith(':')).length >= 3, {
        what: 'three comments',
        withinMs: 3_000,
      });
      assert.deepEqual(toEvents(stream.received), []);
      workers.forEach((process) => process.signal('SIGCONT'));
      const text = await stream.rest();
      assert.doesNotMatch(text, /[\u2028\u2029\u0085\r]/);
      assert.equal(toEvents(text).at(-1)?.result?.content?.[0]?.text, LINE_ENDS);
    },
  ),

  scenario('an error after the first byte rides the stream', ['A-24'], async ({ world }) => {
    const call = { ...tool('wait', { ms: 50_000 }, { progressToken: 1 }), id: 'dies' };
    const stream = await RawStream.open({ port: world.port, ...toHttp(call) });
    await until(() => toEvents(stream.received).length > 0, { what: 'the call runs', withinMs: 3_000 });
    await Promise.all(world.workers.map((seat) => seat.process.kill()));
    const last = toEvents(await stream.rest(2_000)).at(-1);
    assert.deepEqual([stream.status, last?.id, last?.error?.code], [200, 'dies', -32603]);
    await Promise.all(world.workers.map((seat) => seat.start()));
    await world.awaitConnected();
  }),

  scenario(
    'a caller that takes JSON only gets JSON, and nothing besides the response',
    ['A-24', 'Q-13'],
    async ({ world }) => {
      const { headers, body } = toHttp(tool('test_tool_with_progress', {}, { progressToken: 1 }));
      const jsonOnly = headers.map(([name, value]) => [name, name === 'Accept' ? 'application/json' : value] as const);
      const reply = await sendRaw({ port: world.port, headers: jsonOnly, body });
      assert.equal(reply.headers['content-type'], 'application/json');
      const [only, ...more] = toMessages(reply) as RpcMessage[];
      assert.deepEqual([only?.result?.resultType, more], ['complete', []]);
    },
  ),
]);

function tool(name: string, args: McpCall['params'] & object, meta?: McpCall['params']): McpCall {
  return { method: 'tools/call', params: { name, arguments: args }, meta };
}
