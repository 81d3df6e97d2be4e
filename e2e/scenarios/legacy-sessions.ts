/** Sessions of clients of 2025 on several routers: whose they are, what outlives a router, and what is lost with one. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { LegacySession, textOfResponse } from '../harness/legacy-session.js';
import type { Json } from '../harness/mcp-request.js';
import { sendRaw } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

const HEARTBEAT_MS = 300;
/** Within which a client hears that the router of its call is gone. */
const LOST_WITHIN_MS = 5_000;
const CONFIRM = { action: 'accept', content: { confirm: true } };
const ECHO = { message: 'hello' };

const start = (): Promise<Cluster> =>
  Cluster.start({ name: 'e2e/legacy-sessions', router: { limits: { heartbeatMs: HEARTBEAT_MS } } });

export const scenarios = scenariosIn('legacy sessions', start, [
  scenario(
    'a session is served by every router on new connections, and ended on all of them',
    ['K-14', 'K-19', 'K-13'],
    async ({ world }) => {
      const session = await LegacySession.begin(world.port);
      for (let at = 0; at < 15; at += 1) {
        const { result } = await session.request(world.port, 'tools/list');
        assert.ok(Array.isArray(result?.['tools']));
      }
      assert.equal((await session.end(world.port)).status, 204);
      for (const { port } of [...world.routers, ...world.routers]) {
        const reply = await session.post(port, { jsonrpc: '2.0', id: 7, method: 'tools/list' });
        assert.deepEqual([reply.status, (JSON.parse(reply.text) as { id: unknown }).id], [404, 7]);
      }
    },
  ),

  scenario(
    'a stolen session id is nobody else’s session, and leaves it alive',
    ['K-12'],
    async ({ world: { port } }) => {
      const alice = await LegacySession.begin(port, { principal: 'alice' });
      const reply = await alice.as('bob').post(port, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      assert.equal(reply.status, 404);
      assert.equal((await alice.as('bob').end(port)).status, 404);
      assert.ok((await alice.request(port, 'tools/list')).result);
    },
  ),

  scenario('session ids that nobody sealed are refused as what they are', ['K-13'], async ({ world: { port } }) => {
    const ids = ['x%26user%3Dbob', '../../other', '*', 'a b', '{sess}:1', 'A'.repeat(9_000), `v1.${'A'.repeat(200)}`];
    for (const id of ids) {
      const headers = [
        ['Content-Type', 'application/json'],
        ['Mcp-Session-Id', id],
      ] as const;
      const { status, text } = await sendRaw({ port, headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
      assert.ok(status === 404 || status === 400, `${status} for ${id.slice(0, 20)}`);
      assert.doesNotMatch(text, /-320(?:20|21|22)/);
    }
  }),

  scenario(
    'an answer is taken once, from its own session, and only what was asked',
    ['K-32'],
    async ({ world, defer }) => {
      const [asking, other] = world.routers.map(({ port }) => port) as [number, number];
      const session = await LegacySession.begin(asking);
      const stranger = await LegacySession.begin(asking);
      const stream = await session.call(asking, 'confirm_echo', { args: ECHO });
      defer(() => stream.close());
      const question = await stream.question();
      for (const port of [asking, other]) {
        assert.equal((await stranger.answer(port, question, CONFIRM)).status, 400, 'another session');
        assert.equal((await session.answer(port, { jsonrpc: '2.0', id: 'made-up' }, CONFIRM)).status, 400, 'unknown');
      }
      assert.equal((await session.answer(other, question, CONFIRM)).status, 202);
      assert.equal(textOfResponse(await stream.response()), 'hello');
      for (const port of [asking, other])
        assert.equal((await session.answer(port, question, CONFIRM)).status, 400, 'twice and late');
    },
  ),

  scenario(
    'a router killed while it waits for an answer runs nothing, and its client is told within five seconds',
    ['K-32', 'K-17', 'K-19'],
    async ({ world }) => {
      const [first, second] = world.routers;
      assert.ok(first !== undefined && second !== undefined);
      const note = new Note(world, 'Asked by a router that dies');
      const session = await LegacySession.begin(second.port, { principal: 'alice' });
      const stream = await session.call(first.port, 'notes_delete', {
        args: note.call.params?.['arguments'] as Json,
        id: 'lost',
      });
      const question = await stream.question();
      first.process.signal('SIGKILL');
      await until(() => stream.raw.hasEnded, { what: 'the stream breaks', withinMs: LOST_WITHIN_MS });
      const before = performance.now();
      const answered = await session.answer(second.port, question, note.confirmation['delete_choice'] as Json);
      assert.equal(answered.status, 410);
      const resumed = await session.listen(second.port, [['Last-Event-ID', stream.eventIds.at(-1) ?? '']]);
      const { id, error } = await resumed.response();
      assert.deepEqual([id, error?.code], ['lost', -32603]);
      assert.ok(performance.now() - before < LOST_WITHIN_MS);
      assert.equal(note.exists, true);
      await first.restart();
      await world.awaitConnected();
      assert.equal((await session.answer(first.port, question, CONFIRM)).status, 400, 'the router does not remember');
      assert.ok((await session.request(first.port, 'tools/list')).result, 'the session outlives its router');
      assert.equal(note.deletions.length, 0);
    },
  ),

  scenario('a rolling restart between calls keeps the session', ['K-19'], async ({ world }) => {
    const session = await LegacySession.begin(world.port);
    await session.request(world.port, 'logging/setLevel', { level: 'debug' });
    for (const router of world.routers) {
      await router.restart();
      await world.awaitConnected();
      const params = { name: 'echo', arguments: ECHO };
      assert.equal(textOfResponse(await session.request(router.port, 'tools/call', params)), 'hello');
    }
    const stream = await session.call(world.port, 'test_tool_with_logging');
    await stream.response();
    assert.ok(
      stream.messages.some(({ method }) => method === 'notifications/message'),
      'the level outlives them too',
    );
  }),

  scenario(
    'a cut line is taken up on the other router, and the answer arrives there once',
    ['K-17', 'K-32', 'K-33'],
    async ({ world, defer }) => {
      const [asking, other] = world.routers.map(({ port }) => port) as [number, number];
      const session = await LegacySession.begin(asking);
      const stream = await session.call(asking, 'confirm_echo', { args: ECHO, id: 'cut' });
      const question = await stream.question();
      const [primed = ''] = stream.eventIds;
      stream.close();
      const resumed = await session.listen(other, [['Last-Event-ID', primed]]);
      defer(() => resumed.close());
      assert.deepEqual((await resumed.question()).id, question.id, 'what was said since is said again');
      assert.equal((await session.answer(other, question, CONFIRM)).status, 202);
      const response = await resumed.response();
      assert.deepEqual([response.id, textOfResponse(response)], ['cut', 'hello']);
      const again = await session.listen(other, [['Last-Event-ID', primed]]);
      assert.equal(again.raw.status, 400, 'read to its end');
    },
  ),

  scenario('nobody takes up a stream that is not theirs', ['K-17', 'K-12'], async ({ world, defer }) => {
    const [asking, other] = world.routers.map(({ port }) => port) as [number, number];
    const session = await LegacySession.begin(asking);
    const stranger = await LegacySession.begin(asking, { principal: 'bob' });
    const stream = await session.call(asking, 'confirm_echo', { args: ECHO });
    defer(() => stream.close());
    await stream.question();
    for (const port of [asking, other]) {
      for (const id of [stream.eventIds[0] ?? '', '0', 'garbage', `${stream.eventIds[0]}9`]) {
        const headers = [['Last-Event-ID', id]] as const;
        const who = id === stream.eventIds[0] ? stranger : session;
        const { status } = (await who.listen(port, headers)).raw;
        assert.equal(status, 400, `${id} on ${port}`);
      }
    }
  }),

  scenario(
    'a lost line cancels nothing, and a notification cancels on whichever router it arrives',
    ['K-17'],
    async ({ world, defer }) => {
      const [first, other] = world.routers.map(({ port }) => port) as [number, number];
      const session = await LegacySession.begin(first);
      const params = { name: 'wait', arguments: { ms: 20_000 }, _meta: { progressToken: 1 } };
      const stream = await session.stream(first, { id: 'stop', method: 'tools/call', params });
      defer(() => stream.close());
      await stream.question('notifications/progress');
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'stop' } };
      assert.equal((await session.post(other, cancelled)).status, 202);
      await until(() => stream.raw.hasEnded, { what: 'the stream ends', withinMs: 3_000 });
      assert.equal(stream.messages.filter(({ method }) => method === undefined).length, 0, 'no response');

      const short = { ...params, arguments: { ms: 1_000 } };
      const cut = await session.stream(first, { id: 'cut', method: 'tools/call', params: short });
      await cut.question('notifications/progress');
      cut.close();
      const resumed = await session.listen(other, [['Last-Event-ID', cut.eventIds[0] ?? '']]);
      assert.equal(textOfResponse(await resumed.response()), 'Waited 1000 ms.');
    },
  ),

  scenario(
    'a change is told on the stream of a GET, and the line is kept alive',
    ['K-15', 'K-35'],
    async ({ world, defer }) => {
      const session = await LegacySession.begin(world.port);
      const [first, other] = world.routers.map(({ port }) => port) as [number, number];
      const stream = await session.listen(first);
      defer(() => stream.close());
      assert.equal(stream.raw.headers['x-accel-buffering'], 'no');
      await session.request(other, 'tools/call', { name: 'test_trigger_tool_change', arguments: {} });
      const { params } = await stream.question('notifications/tools/list_changed');
      assert.deepEqual(params, {});
      const comments = (): number => stream.raw.received.split('\n').filter((line) => line.startsWith(':')).length;
      await until(() => comments() >= 2, { what: 'comments', withinMs: 10 * HEARTBEAT_MS });
    },
  ),

  scenario('a log level that was set on one router counts on the other', ['K-18', 'K-16'], async ({ world }) => {
    const [first, other] = world.routers.map(({ port }) => port) as [number, number];
    const session = await LegacySession.begin(first);
    const logs = async (port: number): Promise<number> => {
      const stream = await session.call(port, 'test_tool_with_logging');
      await stream.response();
      return stream.messages.filter(({ method }) => method === 'notifications/message').length;
    };
    const silent = await session.request(other, 'tools/call', { name: 'test_tool_with_logging', arguments: {} });
    assert.ok(silent.result);
    await session.request(first, 'logging/setLevel', { level: 'info' });
    assert.equal(await logs(other), 3);
    await session.request(other, 'logging/setLevel', { level: 'error' });
    const quiet = await session.request(first, 'tools/call', { name: 'test_tool_with_logging', arguments: {} });
    assert.ok(quiet.result);
  }),

  scenario(
    'batches are for 2025-03-26, and never hold a modern message',
    ['K-08', 'K-01'],
    async ({ world: { port } }) => {
      const batch = [
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: ECHO } },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
      ];
      const old = await LegacySession.begin(port, { revision: '2025-03-26', capabilities: {} });
      const { status, text } = await old.post(port, batch);
      assert.equal(status, 200);
      assert.match(text, /"id":1,"result":\{\}/);
      assert.match(text, /"id":2,"result":\{"content":\[\{"type":"text","text":"hello"\}\]/);
      const newer = await LegacySession.begin(port);
      assert.equal((await newer.post(port, batch)).status, 400);
      const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
      const mixed = [...batch, { jsonrpc: '2.0', id: 3, method: 'tools/list', params: { _meta: meta } }];
      assert.equal((await old.post(port, mixed)).status, 400);
    },
  ),

  scenario('a client of HTTP+SSE is told what there is instead', ['K-10'], async ({ world: { port } }) => {
    const { status, text } = await sendRaw({ port, method: 'GET', headers: [['Accept', 'text/event-stream']] });
    assert.equal(status, 405);
    assert.match(text, /HTTP\+SSE transport of 2024-11-05 is not served; POST initialize/);
  }),

  scenario(
    'a client that cannot be asked is told so by the call, and nothing is asked',
    ['K-34'],
    async ({ world: { port } }) => {
      const session = await LegacySession.begin(port, { capabilities: {} });
      const { result } = await session.request(port, 'tools/call', { name: 'confirm_echo', arguments: ECHO });
      assert.equal(result?.isError, true);
      assert.match(result?.content?.[0]?.text ?? '', /lacks a capability this needs: elicitation\.form/);
    },
  ),
]);
