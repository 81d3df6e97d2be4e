/** The reference worker's process: reads its configuration and serves until it is told to stop. */
import 'reflect-metadata';
import { runMain, startTracing } from '@roundhouse/service-kit';
import { toolWorkerConfig } from './config.js';
import { startToolWorker } from './start-tool-worker.js';

await runMain(async () => {
  const config = toolWorkerConfig.load(process.env);
  await startTracing({ serviceName: 'tool-worker', ...config.tracing });
  return [await startToolWorker(config)];
});
