/** Starts the reference worker from its configuration. Shared by `main.ts` and the standalone process. */
import { startMicroservice, type RunningService } from '@roundhouse/service-kit';
import { WorkerDrain, WorkerMeasures } from '@roundhouse/worker-kit';
import { ToolWorkerModule } from './app.module.js';
import type { ToolWorkerConfig } from './config.js';

export { toolWorkerConfig, type ToolWorkerConfig } from './config.js';

export async function startToolWorker(config: ToolWorkerConfig): Promise<RunningService> {
  return startMicroservice({
    name: 'tool-worker',
    module: ToolWorkerModule.forConfig(config),
    listen: config.listen,
    tls: config.listen.tls,
    ...(config.admin && { admin: config.admin }),
    logLevel: config.logLevel,
    ...(config.metrics.enabled && { metrics: (app) => app.get(WorkerMeasures, { strict: false }).families }),
    drain: (app) => app.get(WorkerDrain, { strict: false }),
  });
}
