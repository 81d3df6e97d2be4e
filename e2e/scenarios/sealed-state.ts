/** A state is good for exactly the caller and the call it was made for; everything else gets one answer, always the same. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Cluster } from '../harness/cluster.js';
import { ask, completed, kidOf, retry, withoutId } from '../harness/flow.js';
import { errorOf, nextId, resultOf, sendMcp, type McpCall, type McpReply } from '../harness/mcp-request.js';
import { Note, Transfer } from '../harness/reference-tools.js';
import { awaitRounds, flowIdOf } from '../harness/rounds-seen.js';
import { roundhouseKeys } from '../harness/roundhouse-keys.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { everyForgery, notStrings } from '../harness/forgeries.js';
import { until } from '../harness/until.js';

/** Default of `router.keyset.pollMs`. */
const KEYSET_POLL_MS = 10_000;

export const scenarios = scenariosIn('sealed state', () => Cluster.start({ name: 'e2e/sealed-state' }), [
  scenario(
    'is refused for another principal, tool, method or other arguments, and still works for its own',
    ['D-08', 'D-36', 'D-45'],
    async ({ world }) => {
      const note = new Note(world, 'Bound');
      const other = new Note(world, 'Bound elsewhere');
      const id = nextId();
      const { state } = await ask(world.port, { ...note.call, id });
      const { params = {} } = note.call;
      const args = params['arguments'] as Record<string, string>;
      const stolen: Readonly<Record<string, McpCall>> = {
        'another principal': { ...note.call, principal: 'bob' },
        'nobody in particular': { ...note.call, principal: undefined },
        'another tool': new Transfer(world, 100).call,
        'a tool that does not ask': { ...note.call, params: { name: 'echo', arguments: args } },
        'other arguments': { ...note.call, params: { ...params, arguments: { ...args, title: other.title } } },
        'one more argument': { ...note.call, params: { ...params, arguments: { ...args, extra: '' } } },
        'no arguments': { ...note.call, params: { name: 'notes_delete' } },
        'another method': {
          method: 'prompts/get',
          principal: 'alice',
          params: { name: 'test_input_required_result_prompt' },
        },
        'a resource': { method: 'resources/read', principal: 'alice', params: { uri: 'test://static-text' } },
      };
      const refusals = await sendEach(
        world.port,
        Object.values(stolen).map((call) => retry(call, state, note.confirmation)),
      );
      assertOneRefusal(refusals, Object.keys(stolen));
      assert.ok(note.exists && other.exists, 'nothing was deleted');
      assert.equal(
        completed(await sendMcp(world.port, retry(note.call, state, note.confirmation))),
        'The note was deleted.',
      );
      const rounds = await awaitRounds(world, await flowIdOf(world, id), 2);
      assert.equal(rounds.length, 2, 'a refused state joins no flow');
      assert.ok(other.exists);
    },
  ),

  scenario(
    'is refused in any other spelling, byte by byte, and the untouched original still works',
    ['D-07', 'D-10', 'KEY-9'],
    async ({ world }) => {
      const note = new Note(world, 'Forged');
      const [{ state }, second] = [await ask(world.port, note.call), await ask(world.port, note.call)];
      const forgeries = everyForgery(state, second.state);
      const refusals = await sendEach(
        world.port,
        Object.values(forgeries).map((forged) => retry(note.call, forged, note.confirmation)),
      );
      assertOneRefusal(refusals, Object.keys(forgeries));
      assert.equal(note.exists, true);
      assert.equal(
        completed(await sendMcp(world.port, retry(note.call, state, note.confirmation))),
        'The note was deleted.',
      );
    },
  ),

  scenario(
    'that is no string is refused the same way, and null counts as none',
    ['D-07', 'D-10'],
    async ({ world }) => {
      const note = new Note(world, 'No string');
      const refusals = await sendEach(
        world.port,
        notStrings.map((value) => retry(note.call, value, note.confirmation)),
      );
      assertOneRefusal(
        refusals,
        notStrings.map((value) => JSON.stringify(value)),
      );
      await ask(world.port, retry(note.call, null, note.confirmation));
      assert.equal(note.exists, true);
    },
  ),

  scenario(
    'of a gateway with another audience is refused although the keys are the same',
    ['KEY-7', 'D-08'],
    async ({ world }) => {
      const stray = await world.startStrayRouter('router-elsewhere', { publicUrl: 'http://127.0.0.1:9/mcp' });
      const note = new Note(world, 'Elsewhere');
      const here = await ask(world.port, note.call);
      const there = await ask(stray.port, note.call);
      const refusals = [
        await sendMcp(stray.port, retry(note.call, here.state, note.confirmation)),
        await sendMcp(world.port, retry(note.call, there.state, note.confirmation)),
        await sendMcp(world.port, retry(note.call, 'v1.forged', note.confirmation)),
      ];
      assertOneRefusal(refusals, ['ours there', 'theirs here', 'forged']);
      assert.equal(
        completed(await sendMcp(stray.port, retry(note.call, there.state, note.confirmation))),
        'The note was deleted.',
      );
    },
  ),

  scenario('accepts the same arguments in another order and spelling', ['D-45'], async ({ world }) => {
    const note = new Note(world, 'Reordered');
    const { state } = await ask(world.port, note.call);
    const args = (note.call.params?.['arguments'] ?? {}) as Record<string, string>;
    const reordered = Object.fromEntries(Object.entries(args).reverse());
    assert.notEqual(JSON.stringify(reordered), JSON.stringify(args));
    const call = { ...note.call, params: { arguments: reordered, name: 'notes_delete' } };
    assert.equal(completed(await sendMcp(world.port, retry(call, state, note.confirmation))), 'The note was deleted.');
  }),

  scenario('does not show what was asked, chosen or kept', ['D-40'], async ({ world }) => {
    const note = new Note(world, 'Opaque');
    const { state } = await ask(world.port, note.call);
    const bytes = Buffer.from(state.slice(state.indexOf('.') + 1), 'base64url').toString('latin1');
    for (const word of ['alice', 'notes', 'Opaque', 'delete', 'srv']) assert.equal(bytes.includes(word), false, word);
    assert.match(state, /^v1\.[A-Za-z0-9_-]+$/);
  }),

  // The last one: from here on another key seals.
  scenario(
    'of a key that is disabled is refused by running routers within one poll, and those of its successor go on',
    ['KEY-15', 'KEY-9'],
    async ({ world }) => {
      const [leaked, fresh] = [new Note(world, 'Under a leaked key'), new Note(world, 'Under its successor')];
      const { state } = await ask(world.port, leaked.call);
      const pids = world.routers.map(({ process: { pid } }) => pid);
      const file = join(world.folder, 'keyset.json');
      assert.ok(await roundhouseKeys('disable', kidOf(state), '--file', file), 'roundhouse-keys disables the key');

      const isRefused = async (): Promise<boolean> => {
        // Declared to be unable to answer: while the key still opens, this is refused before anything is spent.
        const unable = { ...retry(leaked.call, state, leaked.confirmation), capabilities: {} };
        const replies = await Promise.all(world.routers.map(({ port }) => sendMcp(port, unable)));
        return replies.every(({ response }) => response.error?.code === -32602);
      };
      await until(isRefused, { what: 'every router refuses the key', withinMs: KEYSET_POLL_MS });

      const refusals = await sendEach(world.port, [
        retry(leaked.call, state, leaked.confirmation),
        retry(leaked.call, state, leaked.confirmation),
        retry(leaked.call, 'v1.forged', leaked.confirmation),
      ]);
      assertOneRefusal(refusals, ['at one router', 'at the other', 'forged']);
      assert.equal(leaked.exists, true);
      const [first, second] = world.routers;
      const asked = await ask(first?.port ?? 0, fresh.call);
      assert.notEqual(kidOf(asked.state), kidOf(state));
      const answer = retry(fresh.call, asked.state, fresh.confirmation);
      assert.equal(completed(await sendMcp(second?.port ?? 0, answer)), 'The note was deleted.');
      assert.deepEqual(
        world.routers.map(({ process: { pid } }) => pid),
        pids,
        'no router was started again',
      );
    },
  ),
]);

async function sendEach(port: number, calls: readonly McpCall[]): Promise<McpReply[]> {
  return Promise.all(calls.map((call) => sendMcp(port, call)));
}

/** Every reply is the one refusal: same status, same bytes but for the id, so that nobody learns which check failed. */
function assertOneRefusal(replies: readonly McpReply[], names: readonly string[]): void {
  const [first] = replies;
  assert.ok(first !== undefined);
  replies.forEach((reply, at) => {
    assert.equal(reply.response.result, undefined, `${names[at]} must be refused: ${reply.text}`);
    assert.equal(reply.status, 200, names[at]);
    assert.equal(withoutId(reply), withoutId(first), names[at]);
  });
  assert.deepEqual([errorOf(first).code, errorOf(first).message], [-32602, 'Invalid or expired requestState']);
  assert.throws(() => resultOf(first));
}
