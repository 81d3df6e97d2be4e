/** Starts the reference worker as a process of its own. */
import { runMain, startMicroservice } from '@roundhouse/service-kit';
import { WorkerDrain } from '@roundhouse/worker-kit';
import { ToolWorkerModule } from './app.module.js';
import { toolWorkerConfig } from './config.js';

await runMain(async () => {
  const config = toolWorkerConfig.load(process.env);
  const service = await startMicroservice({
    name: 'tool-worker',
    module: ToolWorkerModule.forConfig(config),
    listen: config.listen,
    ...(config.admin && { admin: config.admin }),
    drain: (app) => app.get(WorkerDrain, { strict: false }),
  });
  return [service];
});
