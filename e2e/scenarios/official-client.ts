/** The official client against a system in which every leg of a flow meets another router and another worker process. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { assertLegsApart } from '../harness/legs.js';
import { connectOfficialClient, textOf } from '../harness/official-client.js';
import { Note, Transfer } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

export const scenarios = scenariosIn(
  'official client',
  () => Cluster.start({ name: 'e2e/official-client', wiring: 'paired' }),
  [
    scenario(
      'notes_delete finishes with its legs on two routers and two workers',
      ['D-02', 'A-14', 'TST-6'],
      async ({ world, defer }) => {
        const note = new Note(world, 'Minutes of the lamp room');
        const answered: string[] = [];
        const client = await connectOfficialClient({
          url: world.front.url,
          principal: 'alice',
          answer: ({ message, requestedSchema }) => {
            answered.push(message);
            assert.deepEqual(Object.keys(requestedSchema.properties), ['note_id', 'confirm']);
            return { action: 'accept', content: { note_id: note.id, confirm: true } };
          },
        });
        defer(() => client.close());
        const result = await client.callTool({
          name: 'notes_delete',
          arguments: { workspaceUri: 'file:///srv/notes', title: note.title },
        });
        assert.equal(textOf(result), 'The note was deleted.');
        assert.equal(answered.length, 1);
        assert.equal(note.exists, false);
        assert.equal(note.deletions.length, 1);
        await assertLegsApart(world, note.deletions[0]?.flowId, 2);
      },
    ),

    scenario(
      'bank_transfer finishes in four rounds, no two in a row on the same router or worker',
      ['D-15', 'A-14', 'TST-6'],
      async ({ world, defer }) => {
        const transfer = new Transfer(world, 12_501);
        const content: Readonly<Record<string, Record<string, string | boolean>>> = {
          confirm: { confirm: true },
          last_four: { last_four: '4711' },
          method: { method: 'card' },
        };
        const client = await connectOfficialClient({
          url: world.front.url,
          principal: 'alice',
          answer: ({ requestedSchema }) => {
            const [field = ''] = Object.keys(requestedSchema.properties);
            return { action: 'accept', content: content[field] ?? {} };
          },
        });
        defer(() => client.close());
        const args = { fromAccount: 'checking', toAccount: 'landlord', amount: transfer.cents / 100 };
        const result = await client.callTool({ name: 'bank_transfer', arguments: args });
        assert.equal(textOf(result), '125.01 EUR were transferred to Roundhouse Lettings.');
        assert.equal(transfer.transfers.length, 1);
        await assertLegsApart(world, transfer.transfers[0]?.flowId, 4);
      },
    ),
  ],
);
