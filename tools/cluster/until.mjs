// Waiting for a condition instead of for a time, and never for ever.
import { setTimeout as pause } from 'node:timers/promises';

/** Short beside the second in which what is waited for has to happen. */
const ASK_EVERY_MS = 5;

/** Resolves with how long it took, in milliseconds. */
export async function until(holds, { what, withinMs }) {
  const startMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startMs > withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(ASK_EVERY_MS);
  }
  return performance.now() - startMs;
}
