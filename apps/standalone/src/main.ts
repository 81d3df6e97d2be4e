/** Router, reference worker and replay service in one process: what `npm start` runs. Needs nothing outside itself. */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { ReplayModule } from '@roundhouse/replay';
import { startRouter } from '@roundhouse/router';
import { createKeyset, parseKeyset } from '@roundhouse/sealed-state';
import { formatAddress, runMain, startMicroservice, startTracing } from '@roundhouse/service-kit';
import { ToolWorkerModule } from '@roundhouse/tool-worker';
import { loadStandaloneConfig } from './config.js';
import { greeting } from './greeting.js';

await runMain(async () => {
  const { router, replay, toolWorker } = loadStandaloneConfig(process.env);
  if (router.tracing.file !== undefined) startTracing({ serviceName: 'standalone', file: router.tracing.file });
  const part = { logLevel: router.logLevel };
  const replayService = await startMicroservice({ ...part, name: 'replay', module: ReplayModule.forConfig(replay), listen: replay.listen });
  const worker = await startMicroservice({ ...part, name: 'tool-worker', module: ToolWorkerModule.forConfig(toolWorker), listen: toolWorker.listen });
  const keyset = parseKeyset(createKeyset({ nowMs: Date.now(), randomBytes }));
  const routerService = await startRouter(
    {
      ...router,
      workers: [{ id: 'reference', prefix: '', addresses: [formatAddress(worker.address)] }],
      replay: { addresses: [formatAddress(replayService.address)] },
    },
    keyset,
  );
  process.stdout.write(greeting(router.publicUrl));
  return [routerService, worker, replayService];
});
