/**
 * The outermost frame of a process: starts it, stops it on SIGTERM or SIGINT, and turns a failure to start into one
 * readable line and exit code 1.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { RunningService } from './running-service.js';
import { stopTracing } from './tracing/start-tracing.js';

export async function runMain(start: () => Promise<readonly RunningService[]>): Promise<void> {
  try {
    const services = await start();
    stopOnSignals(services);
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exitCode = 1;
    // Nest keeps handles open after a failed start; waiting for them would hang the process.
    setImmediate(() => process.exit(1));
  }
}

function stopOnSignals(services: readonly RunningService[]): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void Promise.allSettled(services.map((service) => service.close()))
      .then(stopTracing)
      .then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function describeFailure(error: unknown): string {
  if (error instanceof RoundhouseError) {
    const facts = Object.entries(error.facts).map(([name, value]) => `  ${name}: ${value}`);
    return [`${error.message} (${error.reason})`, ...facts].join('\n');
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
