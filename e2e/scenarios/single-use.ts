/** What may happen once happens once, whichever of many replicas is asked and how often. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, completed, retry, withoutId } from '../harness/flow.js';
import { errorOf, nextId, sendMcp, type McpReply } from '../harness/mcp-request.js';
import { Note, accept } from '../harness/reference-tools.js';
import { awaitRounds, flowIdOf } from '../harness/rounds-seen.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

const TWINS = 100;

export const scenarios = scenariosIn('single use', () => Cluster.start({ name: 'e2e/single-use' }), [
  scenario(
    `${TWINS} concurrent retries of one state run once and all get the same result`,
    ['D-09', 'REP-2', 'REP-7'],
    async ({ world }) => {
      const note = new Note(world, 'Twins');
      const id = nextId();
      const { state } = await ask(world.port, { ...note.call, id });
      const again = retry(note.call, state, note.confirmation);
      const replies = await Promise.all(Array.from({ length: TWINS }, () => sendMcp(world.port, again)));
      assertSameSuccess(replies, TWINS);
      assert.equal(note.deletions.length, 1);
      const rounds = await awaitRounds(world, await flowIdOf(world, id), TWINS + 1);
      const second = rounds.filter(({ round }) => round === 2);
      assert.equal(second.length, TWINS);
      assert.equal(new Set(second.map(({ routerPid }) => routerPid)).size, 2, 'both routers were asked');
      assert.equal(second.flatMap(({ runs }) => runs).length, 1, 'runs on workers');
    },
  ),

  scenario(
    'the same answers sent again later get the stored result, byte for byte, from either router',
    ['REP-2', 'REP-3'],
    async ({ world }) => {
      const note = new Note(world, 'Later');
      const { state } = await ask(world.port, note.call);
      const again = retry(note.call, state, note.confirmation);
      const replies: McpReply[] = [];
      for (const { port } of [...world.routers, ...world.routers]) replies.push(await sendMcp(port, again));
      assertSameSuccess(replies, 4);
      assert.equal(note.deletions.length, 1);
    },
  ),

  scenario('a re-fetch says in the trace which run it repeats', ['OBS-8'], async ({ world }) => {
    const note = new Note(world, 'Repeated');
    const id = nextId();
    const { state } = await ask(world.port, { ...note.call, id });
    const again = retry(note.call, state, note.confirmation);
    await sendMcp(world.port, again);
    await sendMcp(world.port, again);
    const [, ran, repeated] = await awaitRounds(world, await flowIdOf(world, id), 3);
    assert.equal(repeated?.span.attributes['roundhouse.replay.outcome'], 'done');
    const link = repeated?.span.links.find(
      ({ attributes }) => attributes['roundhouse.link.kind'] === 'mrtr.original_execution',
    );
    assert.equal(link?.spanId, ran?.span.spanId);
  }),

  scenario('other answers with a spent state are refused and do nothing', ['REP-2', 'D-09'], async ({ world }) => {
    const note = new Note(world, 'Spent');
    const { state } = await ask(world.port, note.call);
    assert.equal(
      completed(await sendMcp(world.port, retry(note.call, state, note.confirmation))),
      'The note was deleted.',
    );
    const others = [
      { delete_choice: accept({ note_id: note.id, confirm: false }) },
      { delete_choice: { action: 'decline' } },
    ];
    const forged = await sendMcp(world.port, retry(note.call, `${state}A`, note.confirmation));
    for (const { port } of world.routers) {
      for (const other of others) {
        const refusal = await sendMcp(port, retry(note.call, state, other));
        assert.equal(errorOf(refusal).code, -32602);
        assert.equal(withoutId(refusal), withoutId(forged), 'the same bytes as for a forged state');
      }
    }
    assert.equal(note.deletions.length, 1);
  }),

  scenario(
    'of two different answers at the same moment one runs and the other is refused',
    ['REP-2'],
    async ({ world }) => {
      const note = new Note(world, 'Race');
      const { state } = await ask(world.port, note.call);
      const decline = { delete_choice: { action: 'decline' } };
      const attempts = Array.from({ length: 20 }, (_, at) =>
        retry(note.call, state, at % 2 === 0 ? note.confirmation : decline),
      );
      const replies = await Promise.all(attempts.map((attempt) => sendMcp(world.port, attempt)));
      const texts = new Set(replies.filter(({ response }) => response.result !== undefined).map(completed));
      assert.equal(texts.size, 1, 'one outcome');
      assert.equal(
        replies.filter(({ response }) => response.error?.code === -32602).length,
        10,
        'the other answer is refused',
      );
      assert.equal(note.deletions.length, note.exists ? 0 : 1);
    },
  ),

  scenario('refused and incomplete attempts spend nothing', ['REP-3', 'D-11', 'D-15'], async ({ world }) => {
    const note = new Note(world, 'Unspent');
    const { state } = await ask(world.port, note.call);
    const wrong = [
      retry({ ...note.call, principal: 'bob' }, state, note.confirmation),
      retry(note.call, state, 'yes'),
      retry(note.call, state, { delete_choice: null }),
      retry(note.call, state, { delete_choice: 1 }),
      retry({ ...note.call, capabilities: {} }, state, note.confirmation),
    ];
    for (const each of wrong) errorOf(await sendMcp(world.port, each));
    const incomplete = [{}, undefined, { other: accept({ confirm: true }) }, { delete_choice: { action: 'accept' } }];
    for (const answers of incomplete) await ask(world.port, retry(note.call, state, answers));
    assert.equal(note.exists, true);
    const extra = { ...note.confirmation, unheard: accept({ of: 'ignored' }) };
    assert.equal(completed(await sendMcp(world.port, retry(note.call, state, extra))), 'The note was deleted.');
  }),
]);

function assertSameSuccess(replies: readonly McpReply[], count: number): void {
  assert.equal(replies.length, count);
  for (const reply of replies) assert.equal(completed(reply), 'The note was deleted.');
  assert.equal(new Set(replies.map(withoutId)).size, 1, 'identical bytes but for the id');
}
