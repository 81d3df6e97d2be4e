/**
 * One connection to one Redis that never keeps a command for later: what cannot be sent now, or was not answered when
 * the connection broke, fails at once and is not sent again. It reconnects for ever.
 */
import { Redis } from 'ioredis';
import { RoundhouseError } from '@roundhouse/errors';
import { toFailureCode } from './store-failure.js';

/** How long a command may take (REP-10). Redis answers within one or two milliseconds when it is well. */
export const REDIS_COMMAND_TIMEOUT_MS = 250;
/** How long opening a connection may take before the next try. */
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection on which commands wait and nothing arrives for this long is dead, whatever TCP believes. */
const SILENCE_MS_MAX = 2_000;
const RECONNECT_FIRST_MS = 50;
/** Largest pause between two tries: what a failover may cost beyond its own time. */
const RECONNECT_MS_MAX = 2_000;
/** Before a firewall forgets an idle connection. */
const KEEP_ALIVE_MS = 10_000;

export interface RedisConnectionOptions {
  /**
   * Reads `redis://` or `rediss://[user:password@]host[:port][/db]`. Read again before each reconnection, so that a
   * password may change while we run; host and port are taken once.
   */
  readonly readUrl: () => string;
  readonly commandTimeoutMs?: number;
  /** Told once an outage, with a code such as `ECONNREFUSED` or `WRONGPASS`. */
  readonly onOutage?: (failure: string) => void;
}

export function openRedisConnection(options: RedisConnectionOptions): Redis {
  const redis = new Redis(parseRedisUrl(options.readUrl()).href, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: options.commandTimeoutMs ?? REDIS_COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: REDIS_COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS_MAX,
    keepAlive: KEEP_ALIVE_MS,
    disableClientInfo: true,
    connectionName: 'roundhouse-replay',
    // A primary that was demoted refuses writes; a new connection finds its successor.
    reconnectOnError: (error) => toFailureCode(error) === 'READONLY',
    retryStrategy: (attempt) => {
      refreshCredentials(redis, options.readUrl);
      return reconnectDelayMs(attempt);
    },
  });
  tellOutages(redis, options.onOutage);
  return redis;
}

/** Pause before the given try, counted from 1. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(RECONNECT_FIRST_MS * 2 ** Math.min(attempt - 1, 16), RECONNECT_MS_MAX);
}

/** @throws RoundhouseError `config_invalid`; the text itself may hold a password and is never shown */
export function parseRedisUrl(text: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new RoundhouseError('config_invalid', {
    reason: 'config_malformed',
    facts: { problems: 'the Redis URL must read redis:// or rediss://[user:password@]host[:port][/db]' },
  });
}

function refreshCredentials(redis: Redis, readUrl: () => string): void {
  try {
    const { username, password } = parseRedisUrl(readUrl());
    redis.options.username = username === '' ? undefined : decodeURIComponent(username);
    redis.options.password = password === '' ? undefined : decodeURIComponent(password);
  } catch {
    // A file that is being replaced right now: the next try reads it again.
  }
}

function tellOutages(redis: Redis, onOutage: ((failure: string) => void) | undefined): void {
  let isTold = false;
  redis.on('ready', () => {
    isTold = false;
  });
  redis.on('error', (error) => {
    if (!isTold) onOutage?.(toFailureCode(error));
    isTold = true;
  });
}
