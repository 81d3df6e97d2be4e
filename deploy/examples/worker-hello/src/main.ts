import { runMain, startMicroservice } from '@roundhouse/service-kit';
import { WorkerDrain, WorkerModule } from '@roundhouse/worker-kit';
import { TeaShelf } from './tea-shelf.js';
import { TeaTools } from './tea-tools.js';

await runMain(async () => [
  await startMicroservice({
    name: 'worker-hello',
    module: WorkerModule.register({
      name: 'worker-hello',
      version: '1.0.0',
      tools: [TeaTools],
      providers: [TeaShelf],
    }),
    listen: { host: '127.0.0.1', port: Number(process.env.PORT ?? 4200) },
    drain: (app) => app.get(WorkerDrain, { strict: false }),
  }),
]);
