/**
 * Clients of both eras at once, each request to the next router, while one router is replaced: what fails may be sent again,
 * but nobody is ever given an answer that is not theirs. `npm run faults -- --eras` is the same for longer, and rotates keys.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../harness/cluster.js';
import { ERAS, putEraLoad } from '../harness/era-load.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

const CLIENTS_OF_EACH_ERA = 50;
const LOAD_MS = 15_000;

export const scenarios = scenariosIn('legacy mixed', () => Cluster.start({ name: 'e2e/legacy-mixed' }), [
  scenario(
    'fifty clients of each era on two routers, one of which is replaced, get their own answers and no others',
    ['K-19', 'K-32', 'A-14', 'B57'],
    async ({ world }) => {
      const load = { port: world.port, clientsOfEachEra: CLIENTS_OF_EACH_ERA, durationMs: LOAD_MS };
      const replaced = sleep(LOAD_MS / 3).then(() => world.routers[0]?.restart());
      const [tallies] = await Promise.all([putEraLoad(load), replaced]);
      for (const era of ERAS) {
        const { right, wrong, crossed } = tallies[era];
        assert.deepEqual([wrong, crossed], [[], []], era);
        assert.ok(right > CLIENTS_OF_EACH_ERA, `${era}: ${right} calls`);
      }
    },
  ),
]);
