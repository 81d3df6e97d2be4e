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

/** The first signal stops in order, the second ends the waiting. */
function stopOnSignals(services: readonly RunningService[]): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return services.forEach((service) => service.hasten());
    stopping = true;
    void closeInOrder(services)
      .then(stopTracing)
      .then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** As given: a service that calls the others is down before they are, so that its last calls find them. */
async function closeInOrder(services: readonly RunningService[]): Promise<void> {
  for (const service of services) await service.close().catch(() => undefined);
}

function describeFailure(error: unknown): string {
  if (error instanceof RoundhouseError) {
    const facts = Object.entries(error.facts).map(([name, value]) => `  ${name}: ${value}`);
    return [`${error.message} (${error.reason})`, ...facts].join('\n');
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
