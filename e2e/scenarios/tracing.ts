/** Rounds of one flow find each other in the trace, whatever the client sends. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Cluster } from '../harness/cluster.js';
import { ask, askedBy, retry } from '../harness/flow.js';
import { nextId, sendMcp, type Json, type McpCall } from '../harness/mcp-request.js';
import { Note, Transfer } from '../harness/reference-tools.js';
import { awaitRounds, flowIdOf, type RoundSeen } from '../harness/rounds-seen.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import type { SpanLine } from '../harness/trace-file.js';
import { until } from '../harness/until.js';

const PREVIOUS = 'mrtr.previous_round';
const ORIGIN = 'mrtr.origin';
const AMBIENT = 'http.ambient';

export const scenarios = scenariosIn('tracing', () => Cluster.start({ name: 'e2e/tracing', wiring: 'paired' }), [
  scenario(
    'a retry links to the round before it although the client sent no trace context',
    ['OBS-6', 'I-05'],
    async ({ world }) => {
      const note = new Note(world, 'Linked');
      const id = nextId();
      const { state } = await ask(world.port, { ...note.call, id });
      await sendMcp(world.port, retry(note.call, state, note.confirmation));
      const [first, second] = await awaitRounds(world, await flowIdOf(world, id), 2);
      assert.ok(first !== undefined && second !== undefined);
      assert.notEqual(second.span.traceId, first.span.traceId, 'each request without context starts a trace');
      assert.deepEqual(linksOf(second), [[PREVIOUS, first.span.traceId, first.span.spanId]]);
      assert.deepEqual(first.span.links, []);
      for (const { span } of [first, second]) await assertRootIsHttp(world, span);
      assert.notEqual(second.routerPid, first.routerPid, 'the link crosses processes');
      assert.ok(Number(second.span.attributes['roundhouse.mrtr.think_time_ms']) >= 0);
    },
  ),

  scenario('from the third round on the first is linked too', ['OBS-6'], async ({ world }) => {
    const transfer = new Transfer(world, 60_001);
    const id = nextId();
    let asked = await ask(world.port, { ...transfer.call, id });
    for (const question of ['confirm', 'account_digits']) {
      asked = askedBy(
        await sendMcp(world.port, retry(transfer.call, asked.state, { [question]: transfer.answers[question] })),
      );
    }
    const [first, second, third] = await awaitRounds(world, await flowIdOf(world, id), 3);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    assert.deepEqual(linksOf(third), [
      [PREVIOUS, second.span.traceId, second.span.spanId],
      [ORIGIN, first.span.traceId, first.span.spanId],
    ]);
  }),

  scenario(
    'a client’s trace context is the parent, and the link is still there',
    ['OBS-4', 'OBS-6', 'I-02'],
    async ({ world }) => {
      const note = new Note(world, 'Parented');
      const id = nextId();
      const [one, two] = [traceContext(), traceContext()];
      const { state } = await ask(world.port, { ...note.call, id, meta: one.meta });
      await sendMcp(world.port, { ...retry(note.call, state, note.confirmation), meta: two.meta });
      const [first, second] = await awaitRounds(world, await flowIdOf(world, id), 2);
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual([first.span.traceId, first.span.parentSpanId], [one.traceId, one.spanId]);
      assert.deepEqual([second.span.traceId, second.span.parentSpanId], [two.traceId, two.spanId]);
      assert.deepEqual(linksOf(second)[0], [PREVIOUS, first.span.traceId, first.span.spanId]);
      assert.deepEqual(
        linksOf(second)
          .slice(1)
          .map(([kind]) => kind),
        [AMBIENT],
      );
      assert.deepEqual(
        second.runs.map(({ traceId }) => traceId),
        [two.traceId],
        'the worker call belongs to the client’s trace',
      );
    },
  ),

  scenario(
    'a broken trace context fails nothing and starts a trace of its own',
    ['OBS-4', 'I-02'],
    async ({ world }) => {
      const note = new Note(world, 'Broken context');
      for (const traceparent of ['', 'nonsense', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, 7, null, { a: 1 }]) {
        const id = nextId();
        await ask(world.port, { ...note.call, id, meta: { traceparent, tracestate: 5, baggage: [] } });
        const [first] = await awaitRounds(world, await flowIdOf(world, id), 1);
        assert.ok(first !== undefined, JSON.stringify(traceparent));
        await assertRootIsHttp(world, first.span);
      }
    },
  ),

  scenario('a tampered state brings no link', ['OBS-6'], async ({ world }) => {
    const note = new Note(world, 'Tampered');
    const { state } = await ask(world.port, note.call);
    const id = nextId();
    await sendMcp(world.port, { ...retry(note.call, `${state.slice(0, -2)}AA`, note.confirmation), id });
    // The next request's span ends later; what the refused one left would be there by then.
    const marker = nextId();
    await ask(world.port, { ...note.call, id: marker });
    await flowIdOf(world, marker);
    const left = world.spans().filter(({ attributes }) => attributes['jsonrpc.request.id'] === id);
    assert.deepEqual(
      left.flatMap(({ links }) => links),
      [],
    );
  }),

  scenario(
    'every message has one span, named after its target only when that is known',
    ['OBS-1', 'OBS-10'],
    async ({ world }) => {
      const names: Readonly<Record<string, McpCall>> = {
        'tools/list': { method: 'tools/list' },
        'server/discover': { method: 'server/discover' },
        'tools/call echo': { method: 'tools/call', params: { name: 'echo', arguments: { message: '' } } },
        'tools/call': { method: 'tools/call', params: { name: 'no_such_tool' } },
        'prompts/get test_simple_prompt': { method: 'prompts/get', params: { name: 'test_simple_prompt' } },
        'resources/read': { method: 'resources/read', params: { uri: 'test://static-text' } },
      };
      for (const [name, call] of Object.entries(names)) {
        const id = nextId();
        await sendMcp(world.port, { ...call, id });
        const find = () => world.spans().filter((span) => isOwnSpan(span, id));
        await until(() => find().length > 0, { what: `the span of ${name}`, withinMs: 5_000 });
        assert.deepEqual(
          find().map((span) => span.name),
          [name],
        );
      }
    },
  ),
]);

function linksOf({ span }: RoundSeen): unknown[][] {
  return span.links.map(({ traceId, spanId, attributes }) => [attributes['roundhouse.link.kind'], traceId, spanId]);
}

function traceContext(): { readonly traceId: string; readonly spanId: string; readonly meta: Json } {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, meta: { traceparent: `00-${traceId}-${spanId}-01` } };
}

/** A request without a context starts a trace, whose root is the span of the HTTP request: the last to end. */
async function assertRootIsHttp(world: Cluster, { traceId, parentSpanId }: SpanLine): Promise<void> {
  const find = () => world.spans().find((span) => span.traceId === traceId && span.spanId === parentSpanId);
  const root = await until(find, { what: `the root of trace ${traceId}`, withinMs: 5_000 });
  assert.equal(root.attributes['http.request.method'], 'POST');
  assert.equal(root.parentSpanId, undefined);
}

/** A worker call's span names the request too, but as its client. */
function isOwnSpan({ attributes, kind }: SpanLine, id: string): boolean {
  return attributes['jsonrpc.request.id'] === id && kind === 'SERVER';
}
