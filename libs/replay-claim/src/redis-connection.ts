/**
 * Connections to Redis: one server, the primary that Sentinels name, or a cluster. None keeps a command for later: what
 * cannot be sent now, or was not answered when the connection broke, fails at once. They reconnect for ever.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
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
/** A command for a slot that just moved finds it at the second try; every script bears being sent again. */
const REDIRECTIONS_MAX = 2;
/** A node that left a cluster without a word is noticed within this time. */
const SLOTS_REFRESH_MS = 1_000;

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export interface RedisConnectionOptions {
  /**
   * Reads `redis://` or `rediss://[user:password@]host[:port][/db]`. Read again before each reconnection, so that a
   * password may change while we run; host and port are taken once. With Sentinels or a cluster, only who we are and
   * whether TLS is spoken are taken from it, and it may be left out.
   */
  readonly readUrl?: (() => string) | undefined;
  /** Where Sentinels answer, and what they call the primary. */
  readonly sentinel?: { readonly hosts: readonly HostPort[]; readonly name: string } | undefined;
  /** Some nodes of a cluster; the others are learnt. */
  readonly cluster?: readonly HostPort[] | undefined;
  readonly commandTimeoutMs?: number | undefined;
  /** Told once an outage, with a code such as `ECONNREFUSED` or `WRONGPASS`. */
  readonly onOutage?: ((failure: string) => void) | undefined;
}

export type RedisConnection = Redis | Cluster;

export function openRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const connection = options.cluster === undefined ? openPrimary(options) : openCluster(options, options.cluster);
  tellOutages(connection, options.onOutage);
  return connection;
}

/** The servers that may take writes now; empty while none is known. */
export function primariesOf(connection: RedisConnection): readonly Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

/**
 * Asks the Sentinels again. A primary that was cut off from its replicas, but not from us, would be kept for ever; ioredis
 * would hear of its successor by itself (`failoverDetector`), but version 6.0.0 ends for good when it hears while it
 * reconnects.
 */
export function findPrimaryAgain(connection: RedisConnection): void {
  if (connection instanceof Redis && connection.status === 'ready') connection.disconnect(true);
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

function openPrimary(options: RedisConnectionOptions): Redis {
  const { readUrl, sentinel } = options;
  const url = parseRedisUrl(readUrl?.() ?? (sentinel === undefined ? '' : 'redis://sentinel'));
  let isLeaving = false;
  const common: RedisOptions = {
    ...nodeOptions(options),
    ...credentialsOf(url),
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A primary that was demoted refuses writes; a new connection finds its successor. Once a connection: every refused
    // command of a batch asks, and ioredis adds a listener for each time it is told to reconnect.
    reconnectOnError: (error) => {
      if (isLeaving || toFailureCode(error) !== 'READONLY') return false;
      isLeaving = true;
      return true;
    },
    retryStrategy: (attempt) => {
      refreshCredentials(redis.options, readUrl);
      return reconnectDelayMs(attempt);
    },
  };
  const redis: Redis =
    sentinel === undefined ? new Redis(url.href, common) : new Redis({ ...common, ...via(sentinel, url) });
  redis.on('ready', () => (isLeaving = false));
  return redis;
}

function via({ hosts, name }: NonNullable<RedisConnectionOptions['sentinel']>, url: URL): RedisOptions {
  return {
    sentinels: hosts.map(({ host, port }) => ({ host, port })),
    name,
    role: 'master',
    sentinelRetryStrategy: reconnectDelayMs,
    ...(isTls(url) && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}

function openCluster(options: RedisConnectionOptions, nodes: readonly HostPort[]): Cluster {
  const url = parseRedisUrl(options.readUrl?.() ?? 'redis://cluster');
  const redisOptions: RedisOptions = {
    ...nodeOptions(options),
    ...credentialsOf(url),
    ...(isTls(url) && { tls: {} }),
  };
  return new Cluster(
    nodes.map(({ host, port }) => ({ host, port })),
    {
      redisOptions,
      enableOfflineQueue: false,
      maxRedirections: REDIRECTIONS_MAX,
      slotsRefreshInterval: SLOTS_REFRESH_MS,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      clusterRetryStrategy: (attempt) => {
        refreshCredentials(redisOptions, options.readUrl);
        return reconnectDelayMs(attempt);
      },
    },
  );
}

function nodeOptions({ commandTimeoutMs }: RedisConnectionOptions): RedisOptions {
  return {
    commandTimeout: commandTimeoutMs ?? REDIS_COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: REDIS_COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS_MAX,
    keepAlive: KEEP_ALIVE_MS,
    disableClientInfo: true,
    connectionName: 'roundhouse-replay',
  };
}

function credentialsOf({ username, password }: URL): Pick<RedisOptions, 'username' | 'password'> {
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  };
}

function isTls({ protocol }: URL): boolean {
  return protocol === 'rediss:';
}

function refreshCredentials(options: RedisOptions, readUrl: (() => string) | undefined): void {
  if (readUrl === undefined) return;
  try {
    const { username, password } = credentialsOf(parseRedisUrl(readUrl()));
    options.username = username;
    options.password = password;
  } catch {
    // A file that is being replaced right now: the next try reads it again.
  }
}

function tellOutages(connection: RedisConnection, onOutage: ((failure: string) => void) | undefined): void {
  let isTold = false;
  const tell = (error: unknown): void => {
    if (!isTold) onOutage?.(toFailureCode(error));
    isTold = true;
  };
  connection.on('ready', () => {
    isTold = false;
  });
  connection.on('error', tell);
}
