/** One script, run in Redis within its time: what every store that keeps its rules in Lua does. */
import { RoundhouseError } from '@roundhouse/errors';
import { Cluster, type Redis } from 'ioredis';
import type { ClaimScript } from './claim-scripts.js';
import type { RedisConnection } from './redis-connection.js';
import type { ScriptRun } from './replicated-claims.js';
import { StoreTimeout, toFailureCode, toStoreFailure } from './store-failure.js';

export async function runScript(
  redis: RedisConnection,
  { sha, source }: ClaimScript,
  { keys, args }: ScriptRun,
): Promise<unknown> {
  writeOncePerTurn(redis);
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (toFailureCode(error) !== 'NOSCRIPT') throw error;
    return redis.eval(source, keys.length, ...keys, ...args);
  }
}

/** The client's own timeout starts when a command is sent; while a batch is stuck, the next one waits unsent. */
export function withinTime<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      reject(error instanceof RoundhouseError ? error : toStoreFailure(error));
    };
    const timer = setTimeout(() => fail(new StoreTimeout()), timeoutMs);
    work().then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, fail);
  });
}

/**
 * The scripts of one turn of the event loop leave in one write. Not by ioredis's automatic pipelines: they stand in a Map
 * and a Set of the client, and the tables these leave behind kept 5 KB a flow alive until the next full collection (ADR
 * 0012). A cluster has a connection for each node, and each of their commands is a write of its own.
 */
function writeOncePerTurn(connection: RedisConnection): void {
  if (connection instanceof Cluster) return;
  const { stream } = connection as { stream?: Redis['stream'] };
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
