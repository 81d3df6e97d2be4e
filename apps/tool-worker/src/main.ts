/** The reference worker's process: reads its configuration and serves until it is told to stop. */
import 'reflect-metadata';
import { runMain } from '@roundhouse/service-kit';
import { toolWorkerConfig } from './config.js';
import { startToolWorker } from './start-tool-worker.js';

await runMain(async () => [await startToolWorker(toolWorkerConfig.load(process.env))]);
