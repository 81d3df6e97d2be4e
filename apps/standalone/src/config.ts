/**
 * The standalone process reads the same settings as its three parts, and overrules only what holds them together: their
 * addresses, the in-memory claim store, a keyset made at start, and development access on loopback. Workers that the
 * settings name are served beside its own.
 */
import { replayConfig, type ReplayConfig } from '@roundhouse/replay';
import { routerConfig, type RouterConfig } from '@roundhouse/router';
import { toolWorkerConfig, type ToolWorkerConfig } from '@roundhouse/tool-worker';

/** An ephemeral port on loopback: the parts are joined by the same rpc as in a cluster, but nobody else can reach it. */
const INSIDE = { host: '127.0.0.1', port: 0 };

/** What the parts get unless the environment says otherwise. */
const DEFAULTS = { ROUNDHOUSE_AUTH_MODE: 'development', ROUNDHOUSE_LOG_LEVEL: 'warn' };

export interface StandaloneConfig {
  readonly router: RouterConfig;
  readonly toolWorker: ToolWorkerConfig;
  readonly replay: ReplayConfig;
}

export function loadStandaloneConfig(environment: NodeJS.ProcessEnv): StandaloneConfig {
  const env = { ...DEFAULTS, ...environment };
  const router = routerConfig.load(env);
  return {
    router: {
      ...router,
      publicUrl: environment['ROUNDHOUSE_PUBLIC_URL'] ?? localUrl(router),
      // There is no other router that its streams could rush to.
      drain: { ...router.drain, streamsSpreadMs: 0 },
    },
    toolWorker: { ...toolWorkerConfig.load(env), listen: INSIDE, admin: undefined },
    replay: { ...replayConfig.load({ ...env, ROUNDHOUSE_REPLAY_STORE: 'memory' }), listen: INSIDE, admin: undefined },
  };
}

function localUrl({ listen }: RouterConfig): string {
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `http://${host}:${listen.port}/mcp`;
}
