/** Waiting for a condition instead of for a time: asked again every few milliseconds, and never for ever. */
import { setTimeout as sleep } from 'node:timers/promises';

const ASK_EVERY_MS = 20;

export interface UntilOptions {
  /** What was waited for, for the error. */
  readonly what: string;
  readonly withinMs: number;
}

/** Resolves with the first value that is neither undefined nor false; rejects when there was none in time. */
export async function until<T>(
  probe: () => T | Promise<T>,
  { what, withinMs }: UntilOptions,
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await sleep(ASK_EVERY_MS);
  }
}

/** Rejects when the work takes longer. The work itself goes on: its owner ends it. */
export async function within<T>(work: Promise<T>, { what, withinMs }: UntilOptions): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${withinMs} ms`)), withinMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
