/** One script, run in Redis within its time: what every store that keeps its rules in Lua does. */
import { RoundhouseError } from '@roundhouse/errors';
import type { ClaimScript } from './claim-scripts.js';
import type { RedisConnection } from './redis-connection.js';
import type { ScriptRun } from './replicated-claims.js';
import { StoreTimeout, toFailureCode, toStoreFailure } from './store-failure.js';

export async function runScript(
  redis: RedisConnection,
  { sha, source }: ClaimScript,
  { keys, args }: ScriptRun,
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (toFailureCode(error) !== 'NOSCRIPT') throw error;
    return redis.eval(source, keys.length, ...keys, ...args);
  }
}

/** The client's own timeout starts when a command is sent; while a batch is stuck, the next one waits unsent. */
export async function withinTime<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreTimeout()), timeoutMs);
  });
  try {
    return await Promise.race([work(), limit]);
  } catch (error) {
    throw error instanceof RoundhouseError ? error : toStoreFailure(error);
  } finally {
    clearTimeout(timer);
  }
}
