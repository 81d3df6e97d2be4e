/** A router in Kubernetes: who serves a call follows the EndpointSlices, and outlives the API server. */
import assert from 'node:assert/strict';
import { ask, completed, retry } from '../harness/flow.js';
import { sendMcp } from '../harness/mcp-request.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { SlicesWorld } from '../harness/slices-world.js';
import { until } from '../harness/until.js';

const ROUTABLE_WITHIN_MS = 2_000;
const UNPICKED_WITHIN_MS = 1_000;

export const scenarios = scenariosIn('endpoint slices', () => SlicesWorld.start(), [
  scenario(
    'a worker serves within two seconds of being ready, and gets nothing new a second after it is not',
    ['DSC-1', 'DSC-2', 'DSC-3'],
    async ({ world }) => {
      world.ready(0);
      await until(async () => (await world.servers()).has(0), {
        what: 'the first worker',
        withinMs: ROUTABLE_WITHIN_MS,
      });
      world.ready(1);
      await until(async () => (await world.servers()).has(1), { what: 'the second one', withinMs: ROUTABLE_WITHIN_MS });
      world.ready(0, false);
      await new Promise((resolve) => setTimeout(resolve, UNPICKED_WITHIN_MS));
      assert.deepEqual([...(await world.servers())], [1]);
    },
  ),

  scenario(
    'flows go on while the API server is away, and its news are followed when it is back',
    ['DSC-2'],
    async ({ world }) => {
      const note = new Note(world.cluster, 'Deleted without an API server');
      world.ready(1);
      await until(async () => (await world.servers()).has(1), { what: 'a worker', withinMs: ROUTABLE_WITHIN_MS });
      const { state } = await ask(world.router.port, note.call);
      await world.api.stop();
      const answered = retry(note.call, state, note.confirmation);
      assert.equal(completed(await sendMcp(world.router.port, answered)), 'The note was deleted.');
      assert.equal(note.deletions.length, 1);
      world.remove(1);
      world.ready(0);
      await world.api.start();
      await until(async () => [...(await world.servers())].join() === '0', { what: 'the news', withinMs: 15_000 });
    },
  ),
]);
