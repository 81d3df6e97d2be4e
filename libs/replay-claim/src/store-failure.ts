/**
 * Turns whatever a Redis command failed with into our error. The client's errors carry the command with all its
 * arguments (credentials, results), and replies may quote them, so only a short code survives.
 */
import { isNativeError } from 'node:util/types';
import { RoundhouseError } from '@roundhouse/errors';

/** The command had its time; whether it ran is not known. */
export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout';
}

/** @returns `replay_unavailable` with reason `replay_timed_out` or `replay_store_failed`; the code is in its facts. */
export function toStoreFailure(thrown: unknown): RoundhouseError {
  const code = toFailureCode(thrown);
  return new RoundhouseError('replay_unavailable', {
    reason: code === 'timeout' ? 'replay_timed_out' : 'replay_store_failed',
    facts: { store: 'redis', failure: code },
    cause: new Error(`redis: ${code}`),
  });
}

/** `timeout`, an errno such as `ECONNREFUSED`, the code word of Redis's reply such as `OOM`, or the error's name. */
export function toFailureCode(thrown: unknown): string {
  if (!isNativeError(thrown)) return 'unexpected';
  if (thrown instanceof StoreTimeout || thrown.message === 'Command timed out') return 'timeout';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  if (thrown.name === 'ReplyError') return /^[A-Z]+(?= |$)/.exec(thrown.message)?.[0] ?? 'reply';
  if (thrown.message.startsWith("Stream isn't writeable")) return 'not_connected';
  return thrown.name;
}
