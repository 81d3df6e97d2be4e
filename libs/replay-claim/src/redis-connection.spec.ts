import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Cluster, Redis } from 'ioredis';
import {
  findPrimaryAgain,
  openRedisConnection,
  parseRedisUrl,
  primariesOf,
  reconnectDelayMs,
  type RedisConnection,
  type RedisConnectionOptions,
} from './redis-connection.js';

describe('parseRedisUrl', () => {
  it.each([
    'redis://localhost',
    'redis://user:p%40ss@10.0.0.1:6380/2',
    'rediss://redis.example:6379',
    '  redis://[::1]:6379\n',
  ])('takes %j', (text) => {
    expect(parseRedisUrl(text).href).toBe(new URL(text).href);
  });

  it.each([
    '',
    'localhost:6379',
    '/run/redis.sock',
    'http://localhost',
    'redis://',
    'redis:///2',
    'redis+unix://x',
    'xredis://x',
    'redisss://x',
    'rediss',
  ])('refuses %j', (text) => {
    expect(() => parseRedisUrl(text)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        reason: 'config_malformed',
        facts: { problems: 'the Redis URL must read redis:// or rediss://[user:password@]host[:port][/db]' },
      }),
    );
  });

  it('does not repeat a text that it refuses', () => {
    try {
      parseRedisUrl('reds://:secret@host');
      throw new Error('accepted');
    } catch (error) {
      expect(JSON.stringify({ ...(error as object), message: (error as Error).message })).not.toContain('secret');
    }
  });
});

describe('reconnectDelayMs', () => {
  it('grows from tries right after each other to a capped pause, and never ends', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 100_000].map(reconnectDelayMs)).toEqual([
      50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000,
    ]);
  });
});

describe('openRedisConnection', () => {
  const NODES = [
    { host: '127.0.0.1', port: 1 },
    { host: '127.0.0.1', port: 2 },
  ];
  const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });
  let opened: RedisConnection[];

  /** Nobody listens there, and nothing here waits for an answer. */
  function open(options: RedisConnectionOptions): RedisConnection {
    opened.push(openRedisConnection(options));
    return opened.at(-1)!;
  }
  const primary = (url: string, options: RedisConnectionOptions = {}): Redis =>
    open({ readUrl: () => url, ...options }) as Redis;
  const cluster = (options: RedisConnectionOptions = {}): Cluster => open({ cluster: NODES, ...options }) as Cluster;
  const behindSentinels = (options: RedisConnectionOptions = {}): Redis =>
    open({ sentinel: { hosts: NODES, name: 'main' }, ...options }) as Redis;

  beforeEach(() => {
    opened = [];
  });
  afterEach(() => {
    for (const connection of opened) connection.disconnect();
  });

  it('keeps no command for later, and sends none twice', () => {
    expect(primary('redis://127.0.0.1:1').options).toMatchObject({
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    });
    expect(cluster().options.enableOfflineQueue).toBe(false);
  });

  it('limits how long a command, a connection and a silence may last', () => {
    const limits = { connectTimeout: 2_000, disconnectTimeout: 250, socketTimeout: 2_000 };
    expect(primary('redis://127.0.0.1:1').options).toMatchObject({ ...limits, commandTimeout: 250 });
    expect(cluster({ commandTimeoutMs: 70 }).options.redisOptions).toMatchObject({ ...limits, commandTimeout: 70 });
  });

  it('takes name and password as they were before they were written into a URL', () => {
    const credentials = { username: 'a@b', password: 'p:s/' };
    const readUrl = (): string => 'redis://a%40b:p%3As%2F@127.0.0.1:1';
    expect(open({ readUrl })).toMatchObject({ options: credentials });
    expect(behindSentinels({ readUrl })).toMatchObject({ options: credentials });
    expect(cluster({ readUrl })).toMatchObject({ options: { redisOptions: credentials } });
  });

  it('names nobody where the URL names nobody', () => {
    expect(primary('redis://127.0.0.1:1').options).toMatchObject({ username: null, password: null });
  });

  it('asks the Sentinels that it is given for the primary', () => {
    expect(behindSentinels().options).toMatchObject({ sentinels: NODES, name: 'main', role: 'master' });
  });

  it('speaks TLS to Sentinels, primary and cluster where the URL says so, and nowhere else', () => {
    const readUrl = (): string => 'rediss://redis.example';
    const tls = { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true };
    expect(behindSentinels({ readUrl }).options).toMatchObject(tls);
    const plain = behindSentinels({ readUrl: () => 'redis://redis.example' }).options;
    expect([plain.tls, plain.sentinelTLS, plain.enableTLSForSentinelMode]).toEqual([undefined, undefined, false]);
    expect(cluster({ readUrl }).options.redisOptions?.tls).toEqual({});
    expect(cluster().options.redisOptions).not.toHaveProperty('tls');
  });

  it('refuses to open without a URL when neither Sentinels nor a cluster are named', () => {
    expect(() => openRedisConnection({})).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  it('leaves a primary that was demoted once a connection, and none for any other reply', () => {
    const redis = primary('redis://127.0.0.1:1');
    const leaves = (message: string) => redis.options.reconnectOnError?.(reply(message));
    expect(leaves('OOM command not allowed')).toBe(false);
    expect(leaves("READONLY You can't write against a read only replica.")).toBe(true);
    expect(leaves("READONLY You can't write against a read only replica.")).toBe(false);
    redis.emit('ready');
    expect(leaves("READONLY You can't write against a read only replica.")).toBe(true);
  });

  it('reads the password again before each reconnection, and keeps the old one while it cannot be read', () => {
    let url = 'redis://user:old@127.0.0.1:1';
    const redis = open({ readUrl: () => url }) as Redis;
    url = 'redis://user:new@127.0.0.1:1';
    expect(redis.options.retryStrategy?.(1)).toBe(50);
    expect(redis.options.password).toBe('new');
    url = '';
    expect(redis.options.retryStrategy?.(2)).toBe(100);
    expect(redis.options).toMatchObject({ username: 'user', password: 'new' });
  });

  it('reads the password of a cluster again before each reconnection', () => {
    let url = 'redis://user:old@127.0.0.1:1';
    const nodes = cluster({ readUrl: () => url });
    url = 'redis://user:new@127.0.0.1:1';
    expect(nodes.options.clusterRetryStrategy?.(3)).toBe(200);
    expect(nodes.options.redisOptions?.password).toBe('new');
  });

  it('tells an outage once, by its code, and the next one again', () => {
    const told: string[] = [];
    const redis = primary('redis://127.0.0.1:1', { onOutage: (failure) => told.push(failure) });
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    for (const error of [refused, refused, reply('WRONGPASS invalid')]) redis.emit('error', error);
    expect(told).toEqual(['ECONNREFUSED']);
    redis.emit('ready');
    redis.emit('error', reply('WRONGPASS invalid'));
    expect(told).toEqual(['ECONNREFUSED', 'WRONGPASS']);
  });

  it('asks Sentinels again only on a connection that stands', () => {
    const redis = behindSentinels();
    findPrimaryAgain(redis);
    expect(redis.status).not.toBe('disconnecting');
    expect(primariesOf(redis)).toEqual([redis]);
  });

  it('knows no primary of a cluster that it has not reached', () => {
    expect(primariesOf(cluster())).toEqual([]);
  });
});
