/** The replay process: reads its configuration, refuses a store that replicas do not share, and serves until it is told to stop. */
import 'reflect-metadata';
import { runMain, startTracing } from '@roundhouse/service-kit';
import { assertSharedStore, replayConfig } from './config.js';
import { startReplay } from './start-replay.js';

await runMain(async () => {
  const config = replayConfig.load(process.env);
  assertSharedStore(config);
  await startTracing({ serviceName: 'replay', ...config.tracing });
  return [await startReplay(config)];
});
