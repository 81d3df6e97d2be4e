import { describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { assertSharedStore, replayConfig } from './config.js';

const REDIS = { ROUNDHOUSE_REDIS_URL: 'redis://user:secret-marker@redis:6379' };

function problemsOf(env: NodeJS.ProcessEnv): string {
  try {
    replayConfig.load(env);
  } catch (error) {
    return String((error as RoundhouseError).facts['problems']);
  }
  throw new Error('accepted');
}

describe('replayConfig', () => {
  it('needs nothing but the address of Redis', () => {
    expect(replayConfig.load(REDIS)).toEqual({
      listen: { host: '127.0.0.1', port: 4200 },
      metrics: { enabled: true },
      store: {
        kind: 'redis',
        url: REDIS.ROUNDHOUSE_REDIS_URL,
        commandTimeoutMs: 250,
        sentinels: [],
        cluster: [],
        replicasMin: 0,
        configCheck: 'on',
        allowUnsafe: false,
        epochFence: true,
      },
      outcomeWaitersMax: 10_000,
      openClaimsPerPrincipalMax: 1_000,
      tracing: {},
      logLevel: 'info',
    });
  });

  it('takes the address from a file instead', () => {
    const { store } = replayConfig.load({ ROUNDHOUSE_REDIS_URL_FILE: '/run/redis/url' });
    expect(store).toMatchObject({ kind: 'redis', urlFile: '/run/redis/url' });
  });

  it.each([
    ['no address', {}],
    ['two addresses', { ...REDIS, ROUNDHOUSE_REDIS_URL_FILE: '/run/redis/url' }],
  ])('refuses Redis with %s', (_name, env) => {
    expect(problemsOf(env)).toContain('redis needs either url or urlFile');
  });

  it('takes Sentinels or a cluster instead of an address', () => {
    const sentinels = { ROUNDHOUSE_REDIS_SENTINELS: 'a:26379,[::1]:26379', ROUNDHOUSE_REDIS_SENTINEL_NAME: 'main' };
    expect(replayConfig.load(sentinels).store).toMatchObject({
      sentinels: ['a:26379', '[::1]:26379'],
      sentinelName: 'main',
    });
    expect(replayConfig.load({ ROUNDHOUSE_REDIS_CLUSTER: 'a:6379' }).store.cluster).toEqual(['a:6379']);
    expect(replayConfig.load({ ...REDIS, ...sentinels }).store.url).toBe(REDIS.ROUNDHOUSE_REDIS_URL);
  });

  it.each([
    ['Sentinels without a name', { ...REDIS, ROUNDHOUSE_REDIS_SENTINELS: 'a:26379' }, 'go together'],
    ['a name without Sentinels', { ...REDIS, ROUNDHOUSE_REDIS_SENTINEL_NAME: 'main' }, 'go together'],
    [
      'Sentinels and a cluster',
      {
        ROUNDHOUSE_REDIS_SENTINELS: 'a:1',
        ROUNDHOUSE_REDIS_SENTINEL_NAME: 'main',
        ROUNDHOUSE_REDIS_CLUSTER: 'a:1',
      },
      'either sentinels or cluster',
    ],
    ['a Sentinel without a port', { ...REDIS, ROUNDHOUSE_REDIS_SENTINELS: 'a' }, 'must be host:port'],
    ['a negative number of replicas', { ...REDIS, ROUNDHOUSE_REDIS_REPLICAS_MIN: '-1' }, 'replicasMin'],
  ])('refuses %s', (_name, env, problem) => {
    expect(problemsOf(env)).toContain(problem);
  });

  it('refuses a time limit in which no replica could confirm anything', () => {
    const env = { ...REDIS, ROUNDHOUSE_REDIS_COMMAND_TIMEOUT_MS: '199' };
    expect(replayConfig.load(env).store.commandTimeoutMs).toBe(199);
    expect(problemsOf({ ...env, ROUNDHOUSE_REDIS_REPLICAS_MIN: '1' })).toContain('replay.store.commandTimeoutMs');
  });

  it('refuses a store it does not know', () => {
    expect(problemsOf({ ...REDIS, ROUNDHOUSE_REPLAY_STORE: 'disk' })).toContain('replay.store.kind');
  });

  it.each(['-1', '65536', '42.5', 'rpc'])('refuses the port %s', (text) => {
    expect(problemsOf({ ...REDIS, ROUNDHOUSE_REPLAY_RPC_PORT: text })).toContain('replay.listen.port');
  });

  it('shows no part of a url in a problem', () => {
    expect(problemsOf({ ...REDIS, ROUNDHOUSE_REDIS_URL_FILE: '/secret-marker' })).not.toContain('secret-marker');
  });

  it('tells for every field what it is for', () => {
    for (const field of replayConfig.document()) expect(field.description).not.toBe('');
  });
});

describe('assertSharedStore', () => {
  it('refuses the in-memory store to a replay service that may have replicas', () => {
    const config = replayConfig.load({ ROUNDHOUSE_REPLAY_STORE: 'memory' });
    expect(() => assertSharedStore(config)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  it('accepts Redis', () => {
    expect(() => assertSharedStore(replayConfig.load(REDIS))).not.toThrow();
  });
});
