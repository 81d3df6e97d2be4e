/** No process keeps anything that a later round needs. */
import assert from 'node:assert/strict';
import { Cluster } from '../harness/cluster.js';
import { ask, askedBy, completed, retry, withoutId } from '../harness/flow.js';
import { sendMcp } from '../harness/mcp-request.js';
import { Note, Transfer } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

export const scenarios = scenariosIn('restarts', () => Cluster.start({ name: 'e2e/restarts' }), [
  scenario(
    'flows finish although every process was replaced between their rounds',
    ['D-43', 'A-13', 'KEY-1'],
    async ({ world }) => {
      const note = new Note(world, 'Outlives a restart');
      const spent = new Note(world, 'Spent before a restart');
      const transfer = new Transfer(world, 50_001);
      const asked = await ask(world.port, note.call);
      const first = await ask(world.port, transfer.call);
      const second = askedBy(
        await sendMcp(world.port, retry(transfer.call, first.state, { confirm: transfer.answers['confirm'] })),
      );
      const { state } = await ask(world.port, spent.call);
      const before = await sendMcp(world.port, retry(spent.call, state, spent.confirmation));
      const pids = world.seats.map((seat) => seat.process.pid);

      await Promise.all(world.seats.map((seat) => seat.restart()));

      assert.ok(world.seats.every((seat, at) => seat.process.pid !== pids[at]));
      assert.equal(
        completed(await sendMcp(world.port, retry(note.call, asked.state, note.confirmation))),
        'The note was deleted.',
      );
      const digits = { account_digits: transfer.answers['account_digits'] };
      const third = askedBy(await sendMcp(world.port, retry(transfer.call, second.state, digits)));
      const last = retry(transfer.call, third.state, { method: transfer.answers['method'] });
      assert.match(completed(await sendMcp(world.port, last)), /were transferred/);
      assert.equal(transfer.transfers.length, 1);
      const again = await sendMcp(world.port, retry(spent.call, state, spent.confirmation));
      assert.equal(withoutId(again), withoutId(before), 'the stored result outlives the processes');
      assert.equal(spent.deletions.length, 1);
    },
  ),
]);
