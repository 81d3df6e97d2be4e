/** The router process: reads its configuration, records traces if it shall, and serves until it is told to stop. */
import 'reflect-metadata';
import { runMain, startTracing } from '@roundhouse/service-kit';
import { routerConfig } from './config.js';
import { startRouter } from './start-router.js';

await runMain(async () => {
  const config = routerConfig.load(process.env);
  await startTracing({ serviceName: 'router', ...config.tracing });
  return [await startRouter(config)];
});
