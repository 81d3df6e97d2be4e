/**
 * What an operator can set on the router. Parsed once, before Nest starts; the only place that knows its environment names.
 */
import { z } from 'zod';
import { defineConfig } from '@roundhouse/config';
import { TRACING_ENV, adminSettings, tlsFileSettings, tracingSettings } from '@roundhouse/service-kit';
import { authSchema, findAuthProblems } from './access/auth-settings.js';
import { isNetwork } from './access/client-address.js';
import { auditSchema } from './audit/audit-settings.js';
import { endpointSlices } from './discovery/endpoint-slices-config.js';
import { findUnnamed, sourceCount } from './discovery/endpoint-sources.js';
import { legacySchema, peerListen } from './legacy/legacy-settings.js';
import { drainSchema } from './drain-settings.js';

export { policyConfig } from './access/policy-config.js';

const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost'];
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

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

const serverName = z
  .string()
  .regex(/^[A-Za-z0-9*]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, 'must be the DNS name of a certificate')
  .optional()
  .describe('What the certificates of its endpoints are made out to; needed with rpcTls.');

const rpcTls = z.strictObject(tlsFileSettings);

const endpoints = {
  serverName,
  addresses: z.array(address).max(256).default([]).describe('Fixed endpoints, host:port each.'),
  dns: dns.optional().describe('Endpoints found by name instead.'),
  kubernetes: endpointSlices.optional().describe('Endpoints found by the EndpointSlices of Services instead.'),
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
  .refine((group) => sourceCount(group) === 1, 'needs one of addresses, dns and kubernetes');

const kubernetesApi = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => isSecureOrLoopback(new URL(url)), 'must be https:// outside loopback')
    .default('https://kubernetes.default.svc')
    .describe('The API server, for groups found by EndpointSlices.'),
  tokenFile: z
    .string()
    .max(4096)
    .default(`${SERVICE_ACCOUNT}/token`)
    .describe('Token of the ServiceAccount; read for each request.'),
  caFile: z.string().max(4096).default(`${SERVICE_ACCOUNT}/ca.crt`).describe('Certificate of the cluster.'),
  namespaceFile: z.string().max(4096).default(`${SERVICE_ACCOUNT}/namespace`).describe('Namespace of this pod.'),
});

function isSecureOrLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK_HOSTS.includes(hostname.replace(/^\[|\]$/g, ''));
}

const schema = z
  .strictObject({
    listen: z
      .strictObject({
        host: z.string().default('127.0.0.1').describe('Interface of the MCP port.'),
        port: z.int().min(0).max(65_535).default(3000).describe('MCP port.'),
      })
      .prefault({}),
    admin: adminSettings(', /console, /metrics, and /keyz for the ids and roles of the keys'),
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
    trustedProxies: z
      .array(z.string().max(64).refine(isNetwork, 'must be an IP address or a network such as 10.0.0.0/8'))
      .max(64)
      .default([])
      .describe(
        'Proxies whose X-Forwarded-For is believed, as addresses or networks. Without them the peer is the source, and behind an ingress all clients are one.',
      ),
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
    kubernetes: kubernetesApi.prefault({}),
    rpcTls: rpcTls
      .optional()
      .describe('Certificates for both sides of every rpc connection. Followed while the router runs.'),
    replay: z
      .strictObject(endpoints)
      .refine((replay) => sourceCount(replay) <= 1, 'takes one of addresses, dns and kubernetes')
      .prefault({})
      .describe('The replay service; without it tools that run once are refused.'),
    legacy: legacySchema.prefault({}),
    peers: z
      .strictObject({ ...peerListen, ...endpoints })
      .refine((peers) => sourceCount(peers) <= 1, 'takes one of addresses, dns and kubernetes')
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
    drain: drainSchema.prefault({}),
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
        ...tracingSettings,
        ratio: z
          .number()
          .min(0)
          .max(1)
          .default(0.1)
          .describe('Share of the traces that are recorded. Later rounds of a recorded flow are recorded, too.'),
        clientSampled: z
          .enum(['trust', 'ratio', 'ignore'])
          .default('ratio')
          .describe('What it counts that a client records its trace: then ours, a share of them, or nothing.'),
      })
      .prefault({}),
    metrics: z
      .strictObject({
        enabled: z.boolean().default(true).describe('Whether anything is measured and /metrics is served.'),
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
    for (const { path, message } of findUnnamed(config)) context.addIssue({ code: 'custom', path, message });
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
    'rpcTls.certFile': 'ROUNDHOUSE_RPC_TLS_CERT_FILE',
    'rpcTls.keyFile': 'ROUNDHOUSE_RPC_TLS_KEY_FILE',
    'rpcTls.caFile': 'ROUNDHOUSE_RPC_TLS_CA_FILE',
    'policy.file': 'ROUNDHOUSE_POLICY_FILE',
    'metrics.enabled': 'ROUNDHOUSE_METRICS',
    ...TRACING_ENV,
    'tracing.ratio': 'ROUNDHOUSE_TRACE_RATIO',
    'tracing.clientSampled': 'ROUNDHOUSE_TRACE_CLIENT_SAMPLED',
    logLevel: 'ROUNDHOUSE_LOG_LEVEL',
  },
});
