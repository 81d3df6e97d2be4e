/** Router, reference worker and replay service in one process: what `npm start` runs. Needs nothing outside itself. */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { startReplay } from '@roundhouse/replay';
import { startRouter } from '@roundhouse/router';
import { createKeyset, parseKeyset } from '@roundhouse/sealed-state';
import { formatAddress, runMain, startTracing } from '@roundhouse/service-kit';
import { startToolWorker } from '@roundhouse/tool-worker';
import { loadStandaloneConfig } from './config.js';
import { greeting } from './greeting.js';

await runMain(async () => {
  const config = loadStandaloneConfig(process.env);
  await startTracing({ serviceName: 'standalone', ...config.router.tracing });
  const replay = await startReplay(config.replay);
  const worker = await startToolWorker(config.toolWorker);
  const router = await startRouter(
    {
      ...config.router,
      workers: [{ id: 'reference', prefix: '', addresses: [formatAddress(worker.address)] }, ...config.router.workers],
      replay: { addresses: [formatAddress(replay.address)] },
    },
    parseKeyset(createKeyset({ nowMs: Date.now(), randomBytes })),
    // The worker's own times of calls have the router's name for them, and are left out: the router's cover the same calls.
    [worker, replay],
  );
  process.stdout.write(greeting(config.router.publicUrl));
  return [router, worker, replay];
});
