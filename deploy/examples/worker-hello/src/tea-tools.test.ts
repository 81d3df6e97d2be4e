import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accept, cancel, decline, play } from '@roundhouse/worker-kit/testing';
import { TeaShelf } from './tea-shelf.js';
import { TeaTools } from './tea-tools.js';

/** The shelf is the outside world: all replicas share it. */
function shopOf(shelf: TeaShelf) {
  return { tools: [TeaTools], providers: [{ provide: TeaShelf, useValue: shelf }] };
}

test('orders the tea that was chosen', async () => {
  const shelf = new TeaShelf();
  const played = await play('order_tea', {
    worker: shopOf(shelf),
    args: { guest: 'Ada' },
    answers: { choice: accept({ tea: 'assam', cups: 2 }) },
    effects: () => shelf.left('assam'),
  });
  assert.equal(played.text, '2 × assam for Ada.');
  assert.equal(shelf.left('assam'), 8);
});

for (const [action, answer] of Object.entries({ decline, cancel })) {
  test(`orders nothing on ${action}`, async () => {
    const shelf = new TeaShelf();
    const options = { worker: shopOf(shelf), args: { guest: 'Ada' }, answers: { choice: answer } };
    assert.equal((await play('order_tea', options)).text, `No tea was ordered (${action}).`);
    assert.equal(shelf.left('assam'), 10);
  });
}

test('says so when somebody else took the last cups meanwhile', async () => {
  const shelf = new TeaShelf();
  const choice = () => {
    shelf.take('sencha', 3);
    return accept({ tea: 'sencha', cups: 2 });
  };
  const played = await play('order_tea', { worker: shopOf(shelf), args: { guest: 'Ada' }, answers: { choice } });
  assert.equal(played.text, 'There is not enough sencha left.');
});

test('asks twice before it closes, except for repairs', async () => {
  const shelf = new TeaShelf();
  const worker = shopOf(shelf);
  const asked = await play('close_shop', {
    worker,
    answers: { reason: accept({ reason: 'holiday' }), sure: accept({ ok: false }) },
  });
  assert.equal(asked.text, 'The shop stays open.');
  const repairs = await play('close_shop', { worker, answers: { reason: accept({ reason: 'repairs' }) } });
  assert.deepEqual([repairs.text, repairs.rounds], ['Closed: repairs.', [['reason']]]);
});

test('stays open when the first question is declined', async () => {
  const shelf = new TeaShelf();
  const played = await play('close_shop', { worker: shopOf(shelf), answers: { reason: decline } });
  assert.equal(played.text, 'The question "reason" was declined, so nothing was done.');
  assert.equal(shelf.isOpen, true);
});
