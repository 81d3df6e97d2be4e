/**
 * What an operator can set on the router. Parsed once, before Nest starts; the only place that knows its environment names.
 */
import { z } from 'zod';
import { defineConfig } from '@roundhouse/config';
import { authSchema, findAuthProblems } from './access/auth-settings.js';
import { auditSchema } from './audit/audit-settings.js';
import { legacySchema, peerListen } from './legacy/legacy-settings.js';

export { policyConfig } from './access/policy-config.js';

const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost'];

const address = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/, 'must be host:port');
const milliseconds = (defaultMs: number, maxMs: number) => z.int().min(1).max(maxMs).default(defaultMs);

const dns = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(253)
    .describe('Name whose A and AAAA records are the endpoints, such as a headless Service.'),
  port: z.int().min(1).max(65_535).describe('Port of every endpoint.'),
  refreshMs: milliseconds(5_000, 60_000).describe('How often the name is looked up.'),
});

const endpoints = {
  addresses: z.array(address).max(256).default([]).describe('Fixed endpoints, host:port each.'),
  dns: dns.optional().describe('Endpoints found by name instead.'),
};

const workerGroup = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and hyphens')
      .describe(
        'Name of the group: all replicas of one worker. Part of every sealed state: renaming it ends open flows.',
      ),
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{0,32}$/, 'may hold letters, digits, _ . and -')
      .default('')
      .describe('Put before the names of its tools and prompts.'),
    ...endpoints,
  })
  .refine((group) => group.addresses.length > 0 || group.dns !== undefined, 'needs addresses or dns');

const schema = z
  .strictObject({
    listen: z
      .strictObject({
        host: z.string().default('127.0.0.1').describe('Interface of the MCP port.'),
        port: z.int().min(0).max(65_535).default(3000).describe('MCP port.'),
      })
      .prefault({}),
    admin: z
      .strictObject({
        host: z.string().default('127.0.0.1').describe('Interface of the probe port.'),
        port: z
          .int()
          .min(0)
          .max(65_535)
          .describe('Probe port: /livez, /readyz, and /keyz for the ids and roles of the keys.'),
      })
      .optional(),
    publicUrl: z
      .url({ protocol: /^https?$/ })
      .default('http://127.0.0.1:3000/mcp')
      .describe('The address clients use; its path is the MCP path and it is the audience of every sealed state.'),
    allowedHosts: z
      .array(z.string().max(253))
      .max(64)
      .default([])
      .describe('Host headers served besides the one of publicUrl.'),
    allowedOrigins: z
      .array(z.string().max(512))
      .max(64)
      .default([])
      .describe('Browser origins served besides the one of publicUrl.'),
    auth: authSchema.prefault({}),
    keyset: z
      .strictObject({
        file: z
          .string()
          .max(4096)
          .optional()
          .describe('Path of the JSON keyset that seals state. Followed while the router runs.'),
        pollMs: milliseconds(10_000, 60_000).describe(
          'How often the file is looked at, besides being watched: an emergency change takes no longer.',
        ),
      })
      .prefault({}),
    policy: z
      .strictObject({
        file: z
          .string()
          .max(4096)
          .optional()
          .describe('Path of the YAML file with the policy section. Followed while the router runs.'),
        pollMs: milliseconds(10_000, 60_000).describe('How often the file is looked at, besides being watched.'),
      })
      .prefault({}),
    audit: auditSchema.prefault({}),
    workers: z
      .array(workerGroup)
      .max(256)
      .default([])
      .describe('Worker groups, in order: the first to claim a name serves it.'),
    replay: z
      .strictObject(endpoints)
      .prefault({})
      .describe('The replay service; without it tools that run once are refused.'),
    legacy: legacySchema.prefault({}),
    peers: z
      .strictObject({ ...peerListen, ...endpoints })
      .prefault({})
      .describe('The routers, this one included: answers and cancellations of older clients may reach any of them.'),
    flow: z
      .strictObject({
        formTtlMs: milliseconds(5 * 60_000, 3_600_000).describe('How long an answer to a form may take.'),
        urlTtlMs: milliseconds(10 * 60_000, 3_600_000).describe('How long an answer to a url ask may take.'),
        flowTtlMs: milliseconds(60 * 60_000, 24 * 3_600_000).describe('How long a whole flow may take.'),
        roundsMax: z.int().min(1).max(64).default(16).describe('Rounds of one flow.'),
        stateBytesMax: z.int().min(1024).max(32_768).default(8_192).describe('Largest sealed state.'),
        skewMs: milliseconds(60_000, 300_000).describe('Tolerated difference between clocks.'),
      })
      .prefault({}),
    limits: z
      .strictObject({
        bodyBytesMax: z
          .int()
          .min(1_024)
          .max(8 * 1024 * 1024)
          .default(4 * 1024 * 1024)
          .describe('Largest request body.'),
        requestTimeoutMs: milliseconds(30_000, 300_000).describe(
          'How long the head and body of one request may take to arrive.',
        ),
        callTimeoutMs: milliseconds(60_000, 600_000).describe(
          'How long one call may take unless its tool says otherwise.',
        ),
        callsMax: z
          .int()
          .min(1)
          .max(100_000)
          .default(5_000)
          .describe('Calls in flight in this process; more are refused with 503.'),
        streamsMax: z
          .int()
          .min(1)
          .max(100_000)
          .default(1_024)
          .describe('Open subscriptions/listen streams in this process.'),
        streamsPerPrincipalMax: z
          .int()
          .min(1)
          .max(100_000)
          .default(32)
          .describe('Open subscriptions/listen streams of one principal in this process.'),
        listPageSize: z.int().min(1).max(1_000).default(250).describe('Entries on one page of a list.'),
        streamAfterMs: milliseconds(5_000, 60_000).describe(
          'A call silent for this long is answered as a stream, to keep the line alive.',
        ),
        heartbeatMs: milliseconds(15_000, 60_000).describe('Pause between comments on a silent stream.'),
      })
      .prefault({}),
    cache: z
      .strictObject({
        listTtlMs: z.int().min(0).max(86_400_000).default(30_000).describe('ttlMs of lists and discovery.'),
      })
      .prefault({}),
    development: z
      .strictObject({
        allowInsecureUrls: z.boolean().default(false).describe('Lets url asks name http:// on loopback.'),
        allowLoopbackIssuers: z
          .boolean()
          .default(false)
          .describe('Lets authorization servers be on loopback, and speak http:// there.'),
      })
      .prefault({}),
    tracing: z
      .strictObject({
        file: z.string().max(4096).optional().describe('Spans are appended here, one JSON object a line.'),
      })
      .prefault({}),
    logLevel: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('Lowest level that is logged.'),
  })
  .refine((config) => config.auth.mode !== 'development' || LOOPBACK_HOSTS.includes(config.listen.host), {
    path: ['auth', 'mode'],
    message: 'development believes a header and so may only listen on loopback',
  })
  .refine((config) => new Set(config.workers.map((group) => group.id)).size === config.workers.length, {
    path: ['workers'],
    message: 'ids must differ',
  })
  .superRefine((config, context) => {
    for (const { path, message } of findAuthProblems(config))
      context.addIssue({ code: 'custom', path: [...path], message });
  });

export type RouterConfig = z.infer<typeof schema>;
export type EndpointsConfig = RouterConfig['replay'];

export const routerConfig = defineConfig<RouterConfig>({
  name: 'router',
  schema,
  // Never ROUNDHOUSE_PORT: Kubernetes sets that for every Service called roundhouse, to a URL.
  env: {
    'listen.host': 'ROUNDHOUSE_HTTP_HOST',
    'listen.port': 'ROUNDHOUSE_HTTP_PORT',
    'admin.port': 'ROUNDHOUSE_ADMIN_PORT',
    publicUrl: 'ROUNDHOUSE_PUBLIC_URL',
    'peers.host': 'ROUNDHOUSE_PEER_RPC_HOST',
    'peers.port': 'ROUNDHOUSE_PEER_RPC_PORT',
    'peers.advertisedHost': 'ROUNDHOUSE_PEER_ADVERTISED_HOST',
    'auth.mode': 'ROUNDHOUSE_AUTH_MODE',
    'keyset.file': 'ROUNDHOUSE_KEYSET_FILE',
    'audit.file': 'ROUNDHOUSE_AUDIT_FILE',
    'audit.url': 'ROUNDHOUSE_AUDIT_URL',
    'policy.file': 'ROUNDHOUSE_POLICY_FILE',
    'tracing.file': 'ROUNDHOUSE_TRACE_FILE',
    logLevel: 'ROUNDHOUSE_LOG_LEVEL',
  },
});
