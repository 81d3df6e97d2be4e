/** Spans of all processes reach one collector, and a collector that is away costs calls nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ask, completed, retry } from '../harness/flow.js';
import { nextId, resultOf, sendMcp, type McpCall, type McpReply } from '../harness/mcp-request.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import type { SpanLine } from '../harness/trace-file.js';
import { TracedWorld } from '../harness/traced-world.js';

const ECHO: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'traced' } } };
/** What a process keeps for a collector that is away, and what one call leaves in it at most. */
const SPANS_WAITING_MAX = 2_048;
const SPANS_OF_A_CALL = 3;
/** Enough to fill the queue of the router that serves them. */
const CALLS_WHILE_AWAY = Math.ceil((1.2 * SPANS_WAITING_MAX) / SPANS_OF_A_CALL);
const AT_ONCE = 40;
const COMPLAINT = 'the collector does not take spans';

export const scenarios = scenariosIn('telemetry', () => TracedWorld.start('e2e/telemetry'), [
  scenario(
    'two rounds on other routers and workers, without a client’s context, are linked and found by their flow',
    ['OBS-1', 'OBS-2', 'OBS-6', 'I-05'],
    async ({ world }) => {
      const { cluster } = world;
      const [firstId, secondId] = [nextId(), nextId()];
      const note = new Note(cluster, 'Collected');
      const { state } = await ask(cluster.port, { ...note.call, id: firstId });
      await sendMcp(cluster.port, { ...retry(note.call, state, note.confirmation), id: secondId });
      const [first, second] = [await world.awaitRequest(firstId), await world.awaitRequest(secondId)];
      assert.notEqual(first.traceId, second.traceId);
      assert.notEqual(first.pid, second.pid, 'another router');
      assert.deepEqual(second.links, [
        {
          traceId: first.traceId,
          spanId: first.spanId,
          attributes: { 'roundhouse.link.kind': 'mrtr.previous_round', 'jsonrpc.request.id': firstId },
        },
      ]);
      assert.equal(second.attributes['jsonrpc.request.id'], secondId);

      const spans = await world.awaitFlow(first.attributes['roundhouse.flow.id'], (found) => found.length >= 10);
      assert.deepEqual(countNames(spans), {
        'router CLIENT tools/call notes_delete': 2,
        'router SERVER tools/call notes_delete': 2,
        'tool-worker SERVER tools/call notes_delete': 2,
        'router CLIENT roundhouse.replay.claim': 1,
        'router CLIENT roundhouse.replay.settle': 1,
        'replay SERVER roundhouse.replay.claim': 1,
        'replay SERVER roundhouse.replay.settle': 1,
      });
      assert.equal(new Set(spans.map(({ pid }) => pid)).size, 5, 'two routers, two workers, one replay service');
      assertOneTraceARound(world, [first, second], spans);
    },
  ),

  scenario(
    'with a client’s context the client is the parent, the round before is linked, and so is the HTTP request',
    ['OBS-4', 'OBS-6', 'I-02'],
    async ({ world }) => {
      const { cluster } = world;
      const [firstId, secondId] = [nextId(), nextId()];
      const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
      const meta = { traceparent: `00-${traceId}-${spanId}-01` };
      const note = new Note(cluster, 'Collected in a trace');
      const { state } = await ask(cluster.port, { ...note.call, id: firstId, meta });
      await sendMcp(cluster.port, { ...retry(note.call, state, note.confirmation), id: secondId, meta });
      const [first, second] = [await world.awaitRequest(firstId), await world.awaitRequest(secondId)];
      assert.deepEqual([second.traceId, second.parentSpanId], [traceId, spanId]);
      const [previous, ambient, ...more] = second.links;
      assert.deepEqual([previous?.traceId, previous?.spanId], [first.traceId, first.spanId]);
      assert.equal(ambient?.attributes['roundhouse.link.kind'], 'http.ambient');
      assert.equal(more.length, 0);
      const http = world.collector.spans.find((span) => span.spanId === ambient.spanId);
      assert.equal(http?.attributes['http.response.status_code'], 200);
      assert.equal(http.parentSpanId, undefined);
    },
  ),

  scenario(
    'a router that records nothing records a round whose first round was recorded, and nothing else a client flags',
    ['OBS-7'],
    async ({ world }) => {
      const { cluster } = world;
      const stray = await cluster.startStrayRouter('router-quiet', { tracing: { ratio: 0 } });
      const note = new Note(cluster, 'Recorded at first');
      const seenId = nextId();
      await ask(stray.port, note.call);
      // The lowest trace id: what draws by it records it at any ratio above zero.
      const flagged = { traceparent: `00-${'0'.repeat(31)}1-${'1'.repeat(16)}-01` };
      await ask(stray.port, { ...note.call, meta: flagged });
      const { state } = await ask(cluster.port, note.call);
      completed(await sendMcp(stray.port, { ...retry(note.call, state, note.confirmation), id: seenId }));
      const seen = await world.awaitRequest(seenId);
      assert.equal(seen.pid, stray.process.pid);
      await world.awaitFlow(seen.attributes['roundhouse.flow.id'], (spans) => spans.some(isReplays));
      const ofStray = world.collector.spans.filter(({ pid }) => pid === stray.process.pid);
      assert.deepEqual(
        ofStray.filter(({ traceId }) => traceId !== seen.traceId),
        [],
        'the others left nothing, not even a root',
      );
      assert.ok(
        ofStray.some(({ spanId }) => spanId === seen.parentSpanId),
        'the round has its HTTP request',
      );
    },
  ),

  scenario(
    'calls go on while the collector is away, the log says so once, and spans flow when it is back',
    ['TRC-1'],
    async ({ world }) => {
      const [router] = world.cluster.routers;
      assert.ok(router !== undefined);
      await world.collector.goAway();
      world.collector.forget();
      for (let sent = 0; sent < CALLS_WHILE_AWAY; sent += AT_ONCE) {
        const replies: McpReply[] = await Promise.all(
          Array.from({ length: AT_ONCE }, () => sendMcp(router.port, ECHO)),
        );
        for (const reply of replies) assert.equal(resultOf(reply).resultType, 'complete');
      }
      await world.collector.comeBack();
      // Room for another is there once the first that waited have left.
      await world.awaitAnyOf(router.process.pid);
      const id = nextId();
      await sendMcp(router.port, { ...ECHO, id });
      const { traceId } = await world.awaitRequest(id);
      const kept = world.collector.spans.filter((span) => span.pid === router.process.pid && span.traceId !== traceId);
      assert.ok(kept.length > 0 && kept.length <= SPANS_WAITING_MAX, `${kept.length} spans were kept`);
      for (const seat of world.cluster.seats) {
        const complaints = seat.process.output().split(COMPLAINT).length - 1;
        assert.ok(complaints <= 1, `${seat.name} complained ${complaints} times`);
      }
      assert.ok(router.process.output().includes(COMPLAINT));
    },
  ),
]);

/** Spans by process, kind and name. */
function countNames(spans: readonly SpanLine[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { service, kind, name } of spans) {
    const key = `${service} ${kind} ${name}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Every span of a flow is in the trace of its round, under a span that is there. */
function assertOneTraceARound(world: TracedWorld, rounds: readonly SpanLine[], spans: readonly SpanLine[]): void {
  const known = new Set(world.collector.spans.map(({ spanId }) => spanId));
  for (const span of spans) {
    assert.ok(
      rounds.some(({ traceId }) => traceId === span.traceId),
      `${span.name} is in no round's trace`,
    );
    assert.ok(span.parentSpanId !== undefined && known.has(span.parentSpanId), `${span.name} hangs under nothing`);
  }
}

function isReplays({ service }: SpanLine): boolean {
  return service === 'replay';
}
