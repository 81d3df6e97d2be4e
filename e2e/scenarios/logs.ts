/** What processes write down: nothing of what goes well, one JSON object a line of what does not, as loud as asked for. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, completed, retry } from '../harness/flow.js';
import { sendMcp, type Json, type McpCall } from '../harness/mcp-request.js';
import type { ProcessSeat } from '../harness/process-seat.js';
import { sendRaw } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const LINE_WITHIN_MS = 3_000;
const CALLS = 100;

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'quiet' } } };

const start = () => Cluster.start({ name: 'e2e/logs', router: { logLevel: 'info' } });

export const scenarios = scenariosIn('logs', start, [
  scenario('a hundred good calls write no line at the level info', ['OBS-15'], async ({ world }) => {
    const before = linesOf(world).length;
    const replies = await Promise.all(Array.from({ length: CALLS }, () => sendMcp(world.port, echo)));
    replies.forEach(completed);
    const note = new Note(world, 'Quietly deleted');
    const { state } = await ask(world.port, note.call);
    completed(await sendMcp(world.port, retry(note.call, state, note.confirmation)));
    assert.deepEqual(linesOf(world).slice(before), []);
  }),

  scenario(
    'the level of a running router is raised from the machine itself, and a refusal then names its trace',
    ['OBS-12', 'OBS-15'],
    async ({ world, defer }) => {
      const [router] = world.routers;
      assert.ok(router !== undefined);
      const forged = { ...echo, params: { ...echo.params, requestState: 'v1.forged', inputResponses: {} } };
      const meta = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
      await sendMcp(router.port, { ...forged, meta });
      assert.equal(refusalsIn(router).length, 0, 'not at info');
      defer(() => setLevel(router, { level: 'info' }));
      assert.deepEqual(await setLevel(router, { level: 'loud' }), { status: 400, level: 'info' });
      assert.deepEqual(await setLevel(router, { level: 'debug', minutes: 1 }), { status: 200, level: 'debug' });
      await sendMcp(router.port, { ...forged, meta });
      const seen = () => refusalsIn(router).at(-1);
      const { reason, service, level, trace_id, span_id } = await until(seen, {
        what: 'a line',
        withinMs: LINE_WITHIN_MS,
      });
      assert.deepEqual([reason, service, level, trace_id], ['state_malformed', 'router', 'debug', TRACE_ID]);
      assert.match(String(span_id), /^[0-9a-f]{16}$/);
    },
  ),

  scenario(
    'every line of every process is a JSON object that says when, how loud and who',
    ['OBS-15'],
    async ({ world }) => {
      const lines = world.seats.flatMap((seat) => seat.process.output().trimEnd().split('\n')).filter(Boolean);
      assert.ok(lines.length > 0);
      for (const line of lines) {
        const { level, time, service } = JSON.parse(line) as Json;
        assert.match(String(level), /^(trace|debug|info|warn|error|fatal)$/, line);
        assert.ok(Number.isFinite(Date.parse(String(time))), line);
        assert.match(String(service), /^(router|tool-worker|replay)$/, line);
      }
    },
  ),
]);

function linesOf(world: Cluster): string[] {
  return world.seats.flatMap((seat) => seat.process.output().split('\n').slice(0, -1));
}

function refusalsIn(router: ProcessSeat): Json[] {
  const lines = router.process.output().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Json).filter(({ code }) => code === 'state_refused');
}

/** What came of it, and the level that is in force then. */
async function setLevel({ adminPort = 0 }: ProcessSeat, body: Json): Promise<{ status: number; level: unknown }> {
  const path = '/loglevel';
  const { status } = await sendRaw({ port: adminPort, method: 'PUT', path, body: JSON.stringify(body) });
  const { text } = await sendRaw({ port: adminPort, method: 'GET', path });
  return { status, level: (JSON.parse(text) as Json)['level'] };
}
