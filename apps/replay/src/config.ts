/**
 * What an operator can set on the replay service. Parsed once, before Nest starts; the only place that knows its
 * environment names.
 */
import { z } from 'zod';
import { defineConfig } from '@roundhouse/config';
import { RoundhouseError } from '@roundhouse/errors';
import { TRACING_ENV, adminSettings, rpcListenSettings, tracingSettings } from '@roundhouse/service-kit';

const hostPort = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/, 'must be host:port');

/** WAIT takes up to 100 ms of an operation's time (REP-4); what is left must do for the way there and back. */
const COMMAND_TIMEOUT_WITH_REPLICAS_MS_MIN = 200;

const store = z
  .strictObject({
    kind: z
      .enum(['redis', 'memory'])
      .default('redis')
      .describe('Where claims are kept: Redis or Valkey; or this process, which only the standalone process accepts.'),
    url: z
      .string()
      .max(4_096)
      .optional()
      .describe('redis:// or rediss://[user:password@]host[:port][/db]. With a password, urlFile is the better place.'),
    urlFile: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe('Path of a file that holds the url. Its password is read again before each reconnection.'),
    commandTimeoutMs: z
      .int()
      .min(10)
      .max(5_000)
      .default(250)
      .describe('How long one store operation may take before it counts as failed.'),
    sentinels: z
      .array(hostPort)
      .max(32)
      .default([])
      .describe('Sentinels to ask for the primary. The url, if any, then only tells user, password and TLS.'),
    sentinelName: z.string().min(1).max(128).optional().describe('What the Sentinels call the primary.'),
    cluster: z
      .array(hostPort)
      .max(64)
      .default([])
      .describe('Some nodes of a Redis Cluster. The url, if any, then only tells user, password and TLS.'),
    replicasMin: z
      .int()
      .min(0)
      .max(16)
      .default(0)
      .describe('Replicas that must have a claim before its call runs; 0 for a Redis without replicas.'),
    configCheck: z
      .enum(['on', 'skip'])
      .default('on')
      .describe(
        'Whether Redis is asked for its settings; skip where it lets nobody ask, and answer for them yourself.',
      ),
    allowUnsafe: z
      .boolean()
      .default(false)
      .describe('Takes claims although the settings of Redis may lose them: for trying things out only.'),
    epochFence: z
      .boolean()
      .default(true)
      .describe('False lets used states run again after Redis lost its data. Unsafe; it exists to prove the fence.'),
  })
  .refine(({ kind, sentinels, cluster, url, urlFile }) => {
    const addresses = [url, urlFile].filter((address) => address !== undefined).length;
    if (kind === 'memory') return true;
    return sentinels.length + cluster.length > 0 ? addresses <= 1 : addresses === 1;
  }, 'redis needs either url or urlFile')
  .refine(({ sentinels, sentinelName }) => sentinels.length > 0 === (sentinelName !== undefined), {
    message: 'sentinels and sentinelName go together',
  })
  .refine(({ sentinels, cluster }) => sentinels.length === 0 || cluster.length === 0, {
    message: 'either sentinels or cluster',
  })
  .refine(
    ({ replicasMin, commandTimeoutMs }) =>
      replicasMin === 0 || commandTimeoutMs >= COMMAND_TIMEOUT_WITH_REPLICAS_MS_MIN,
    {
      path: ['commandTimeoutMs'],
      message: `must be at least ${COMMAND_TIMEOUT_WITH_REPLICAS_MS_MIN} with replicasMin`,
    },
  );

const schema = z.strictObject({
  listen: rpcListenSettings(4200),
  admin: adminSettings(', /metrics'),
  store: store.prefault({}),
  outcomeWaitersMax: z
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe('Attempts that may wait at once in this process for the outcome of a twin; more are refused.'),
  openClaimsPerPrincipalMax: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe('Confirmed calls of one principal that may run at once, approximately; all anonymous callers are one.'),
  tracing: z.strictObject(tracingSettings).prefault({}),
  metrics: z.strictObject({ enabled: z.boolean().default(true).describe('Whether /metrics is served.') }).prefault({}),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
});

export type ReplayConfig = z.output<typeof schema>;
export type StoreConfig = ReplayConfig['store'];

export const replayConfig = defineConfig<ReplayConfig>({
  name: 'replay',
  schema,
  env: {
    'listen.host': 'ROUNDHOUSE_REPLAY_RPC_HOST',
    'listen.port': 'ROUNDHOUSE_REPLAY_RPC_PORT',
    'admin.host': 'ROUNDHOUSE_REPLAY_ADMIN_HOST',
    'admin.port': 'ROUNDHOUSE_REPLAY_ADMIN_PORT',
    'listen.tls.certFile': 'ROUNDHOUSE_REPLAY_TLS_CERT_FILE',
    'listen.tls.keyFile': 'ROUNDHOUSE_REPLAY_TLS_KEY_FILE',
    'listen.tls.caFile': 'ROUNDHOUSE_REPLAY_TLS_CA_FILE',
    'listen.tls.clientNames': 'ROUNDHOUSE_REPLAY_TLS_CLIENT_NAMES',
    'store.kind': 'ROUNDHOUSE_REPLAY_STORE',
    'store.url': 'ROUNDHOUSE_REDIS_URL',
    'store.urlFile': 'ROUNDHOUSE_REDIS_URL_FILE',
    'store.commandTimeoutMs': 'ROUNDHOUSE_REDIS_COMMAND_TIMEOUT_MS',
    'store.sentinels': 'ROUNDHOUSE_REDIS_SENTINELS',
    'store.sentinelName': 'ROUNDHOUSE_REDIS_SENTINEL_NAME',
    'store.cluster': 'ROUNDHOUSE_REDIS_CLUSTER',
    'store.replicasMin': 'ROUNDHOUSE_REDIS_REPLICAS_MIN',
    'store.configCheck': 'ROUNDHOUSE_REDIS_CONFIG_CHECK',
    'store.allowUnsafe': 'ROUNDHOUSE_REDIS_ALLOW_UNSAFE',
    'store.epochFence': 'ROUNDHOUSE_REPLAY_EPOCH_FENCE',
    ...TRACING_ENV,
    'metrics.enabled': 'ROUNDHOUSE_METRICS',
    logLevel: 'ROUNDHOUSE_LOG_LEVEL',
  },
});

/**
 * A replay service of its own may have replicas, and each would accept a nonce that another one spent.
 * @throws RoundhouseError `config_invalid` for a store that replicas do not share
 */
export function assertSharedStore({ store: { kind } }: ReplayConfig): void {
  if (kind === 'redis') return;
  throw new RoundhouseError('config_invalid', {
    reason: 'config_malformed',
    facts: {
      problems: `replay.store.kind: "${kind}" is for the standalone process only; replicas have to share one store`,
      problemCount: 1,
    },
  });
}
