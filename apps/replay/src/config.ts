/**
 * What an operator can set on the replay service. Parsed once, before Nest starts; the only place that knows its
 * environment names.
 */
import { z } from 'zod';
import { defineConfig } from '@roundhouse/config';
import { RoundhouseError } from '@roundhouse/errors';

const port = z.int().min(0).max(65_535);

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
  })
  .refine(({ kind, url, urlFile }) => kind === 'memory' || (url === undefined) !== (urlFile === undefined), {
    message: 'redis needs either url or urlFile',
  });

const schema = z.strictObject({
  listen: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Interface of the rpc port.'),
      port: port.default(4200).describe('Rpc port, for routers only.'),
    })
    .prefault({}),
  admin: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Interface of the probe port.'),
      port: port.describe('Probe port: /livez and /readyz.'),
    })
    .optional(),
  store: store.prefault({}),
  outcomeWaitersMax: z
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe('Attempts that may wait at once in this process for the outcome of a twin; more are refused.'),
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
    'store.kind': 'ROUNDHOUSE_REPLAY_STORE',
    'store.url': 'ROUNDHOUSE_REDIS_URL',
    'store.urlFile': 'ROUNDHOUSE_REDIS_URL_FILE',
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
