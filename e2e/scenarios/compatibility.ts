/** Every cell of docs/compatibility.md that is not a dash: one client and one feature, on two routers. */
import { AskingWorld } from '../harness/asking-world.js';
import { FEATURE_STEPS } from '../harness/compatibility/features.js';
import { CELLS, CLIENTS, FEATURES } from '../harness/compatibility/matrix.js';
import { named, scenario, scenariosIn } from '../harness/scenario.js';

/** Calls become streams soon, so that there is something to cut. */
const LIMITS = { streamAfterMs: 200 };

export const scenarios = scenariosIn(
  'compatibility',
  () => AskingWorld.start('e2e/compatibility', { router: { limits: LIMITS }, hasOwnClock: true }),
  CELLS.map(({ id, feature, client }) =>
    named(
      id,
      scenario<AskingWorld>(
        `${FEATURES[feature]}, by ${CLIENTS[client]}`,
        ['K-11', 'K-19', 'A-14'],
        ({ world, defer }) => FEATURE_STEPS[feature]({ world, client, defer }),
      ),
    ),
  ),
);
