/** Starts the replay service from its configuration. */
import type { ClaimStore } from '@roundhouse/replay-claim';
import { startMicroservice, type RunningService } from '@roundhouse/service-kit';
import { ReplayModule } from './app.module.js';
import type { ReplayConfig } from './config.js';
import { StoreMeasures } from './measures/store-measures.js';
import { CLAIM_STORE } from './open-store.js';
import { OutcomeWaiters } from './outcome-waiters.js';
import { ReplayDrain } from './replay-drain.js';

export { replayConfig, type ReplayConfig } from './config.js';

export async function startReplay(config: ReplayConfig): Promise<RunningService> {
  return startMicroservice({
    name: 'replay',
    module: ReplayModule.forConfig(config),
    listen: config.listen,
    tls: config.listen.tls,
    ...(config.admin && { admin: config.admin }),
    logLevel: config.logLevel,
    readiness: (app) => {
      const store = app.get<ClaimStore>(CLAIM_STORE, { strict: false });
      return () => (store.isReachable ? undefined : 'the store is out of reach');
    },
    ...(config.metrics.enabled && {
      metrics: (app) => {
        const waiters = app.get(OutcomeWaiters, { strict: false });
        return app.get(StoreMeasures, { strict: false }).families(() => waiters.size);
      },
    }),
    drain: (app) => app.get(ReplayDrain, { strict: false }),
  });
}
