/** accept, decline and cancel are three outcomes, for a question that stands alone and for one of several. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, askedBy, completed, retry } from '../harness/flow.js';
import { errorOf, sendMcp, type McpCall } from '../harness/mcp-request.js';
import { Note, Transfer } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

const decline = { action: 'decline' };
const cancel = { action: 'cancel' };

export const scenarios = scenariosIn('outcomes', () => Cluster.start({ name: 'e2e/outcomes' }), [
  scenario('notes_delete: accept deletes, and only the note that was chosen', ['D-12', 'D-34'], async ({ world }) => {
    const [chosen, spared] = [new Note(world, 'Chosen of two'), new Note(world, 'Spared of two')];
    const call = withTitle(chosen.call, 'of two');
    const { state, inputRequests } = await ask(world.port, call);
    const offered = JSON.stringify(inputRequests['delete_choice']);
    assert.ok(offered.includes(chosen.id) && offered.includes(spared.id), offered);
    assert.equal(
      completed(await sendMcp(world.port, retry(call, state, chosen.confirmation))),
      'The note was deleted.',
    );
    assert.deepEqual([chosen.exists, spared.exists], [false, true]);
  }),

  scenario(
    'notes_delete: an answer outside what was offered is asked again, not taken',
    ['D-11', 'D-38'],
    async ({ world }) => {
      const [note, stranger] = [new Note(world, 'Offered'), new Note(world, 'Not in the list')];
      const { state } = await ask(world.port, note.call);
      await ask(world.port, retry(note.call, state, stranger.confirmation));
      assert.deepEqual([note.exists, stranger.exists], [true, true]);
    },
  ),

  scenario('notes_delete: decline deletes nothing and uses the state up', ['D-12', 'REP-2'], async ({ world }) => {
    const note = new Note(world, 'Declined');
    const { state } = await ask(world.port, note.call);
    const declined = completed(await sendMcp(world.port, retry(note.call, state, { delete_choice: decline })));
    assert.match(declined, /declined.*Nothing was deleted/);
    assert.equal(completed(await sendMcp(world.port, retry(note.call, state, { delete_choice: decline }))), declined);
    assert.equal(errorOf(await sendMcp(world.port, retry(note.call, state, note.confirmation))).code, -32602);
    assert.equal(note.exists, true);
  }),

  scenario('notes_delete: cancel changes nothing and leaves the state usable', ['D-12', 'D-34'], async ({ world }) => {
    const note = new Note(world, 'Cancelled');
    const { state } = await ask(world.port, note.call);
    for (const { port } of world.routers) {
      const text = completed(await sendMcp(port, retry(note.call, state, { delete_choice: cancel })));
      assert.match(text, /Nothing was deleted/);
    }
    assert.equal(note.exists, true);
    assert.equal(
      completed(await sendMcp(world.port, retry(note.call, state, note.confirmation))),
      'The note was deleted.',
    );
  }),

  scenario('bank_transfer: accept at every question moves the money once', ['D-12', 'D-15'], async ({ world }) => {
    const transfer = new Transfer(world, 20_001);
    const states = await answerUpTo(world.port, transfer, 'method');
    const last = retry(transfer.call, states.method, { method: transfer.answers['method'] });
    assert.match(completed(await sendMcp(world.port, last)), /^200\.01 EUR were transferred/);
    assert.match(completed(await sendMcp(world.port, last)), /^200\.01 EUR were transferred/);
    assert.equal(transfer.transfers.length, 1);
  }),

  scenario('bank_transfer: decline at any question moves nothing', ['D-12'], async ({ world }) => {
    for (const [at, question] of QUESTIONS.entries()) {
      const transfer = new Transfer(world, 30_001 + at);
      const states = await answerUpTo(world.port, transfer, question);
      const text = completed(
        await sendMcp(world.port, retry(transfer.call, states[question], { [question]: decline })),
      );
      assert.match(text, /Nothing was transferred/);
      const accepting = retry(transfer.call, states[question], { [question]: transfer.answers[question] });
      assert.equal(errorOf(await sendMcp(world.port, accepting)).code, -32602, question);
      assert.equal(transfer.transfers.length, 0);
    }
  }),

  scenario(
    'bank_transfer: cancel at any question moves nothing, and the flow can be taken up again',
    ['D-12'],
    async ({ world }) => {
      for (const [at, question] of QUESTIONS.entries()) {
        const transfer = new Transfer(world, 40_001 + at);
        const states = await answerUpTo(world.port, transfer, question);
        const text = completed(
          await sendMcp(world.port, retry(transfer.call, states[question], { [question]: cancel })),
        );
        assert.match(text, /Nothing was transferred/);
        await sendMcp(world.port, retry(transfer.call, states[question], { [question]: transfer.answers[question] }));
        assert.equal(transfer.transfers.length, question === 'method' ? 1 : 0);
      }
    },
  ),

  scenario(
    'a client that cannot be asked is told which capability it lacks, also in the middle of a flow',
    ['D-05', 'D-20', 'D-48'],
    async ({ world }) => {
      const note = new Note(world, 'Cannot be asked');
      const { state } = await ask(world.port, note.call);
      for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
        for (const call of [note.call, retry(note.call, state, note.confirmation)]) {
          const reply = await sendMcp(world.port, { ...call, capabilities });
          assert.equal(reply.status, 400);
          const { code, data } = errorOf(reply);
          assert.deepEqual([code, data], [-32021, { requiredCapabilities: { elicitation: { form: {} } } }]);
        }
      }
      const { state: implied } = await ask(world.port, { ...note.call, capabilities: { elicitation: {} } });
      assert.equal(
        completed(await sendMcp(world.port, retry(note.call, implied, note.confirmation))),
        'The note was deleted.',
      );
    },
  ),
]);

const QUESTIONS = ['confirm', 'account_digits', 'method'] as const;
type Question = (typeof QUESTIONS)[number];

/** Accepts every question before this one; the states by the question that each asks. */
async function answerUpTo(
  port: number,
  { call, answers }: Transfer,
  last: Question,
): Promise<Record<Question, string>> {
  const states = { confirm: '', account_digits: '', method: '' };
  let asked = await ask(port, call);
  for (const question of QUESTIONS) {
    assert.deepEqual(Object.keys(asked.inputRequests), [question]);
    states[question] = asked.state;
    if (question === last) break;
    asked = askedBy(await sendMcp(port, retry(call, asked.state, { [question]: answers[question] })));
  }
  return states;
}

function withTitle(call: McpCall, title: string): McpCall {
  const args = call.params?.['arguments'] as Record<string, string>;
  return { ...call, params: { ...call.params, arguments: { ...args, title } } };
}
