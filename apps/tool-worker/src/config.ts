/**
 * What an operator can set on the reference worker. Parsed once, before Nest starts; the only place that knows its
 * environment names.
 */
import { z } from 'zod';
import { defineConfig } from '@roundhouse/config';
import { TRACING_ENV, adminSettings, rpcListenSettings, tracingSettings } from '@roundhouse/service-kit';

const directory = z.string().min(1).max(4_096);

const grant = z.strictObject({
  subject: z.string().min(1).max(512).describe('Who: the subject of a principal, or * for everyone.'),
  issuer: z.string().min(1).max(512).optional().describe('Who vouches for the subject; absent: any issuer.'),
  workspaces: z
    .array(z.string().max(2_048))
    .min(1)
    .max(256)
    .describe('file:/// URIs of the workspaces and all folders below them.'),
});

const database = z
  .strictObject({
    url: z
      .url({ protocol: /^postgres(ql)?$/ })
      .max(4_096)
      .refine(
        (url) => /^postgres(ql)?:\/\/[^/@:?#]+@[^/@?#]+\/[^/@?#]+$/.test(url),
        'must be postgres://user@host:port/database, without a password',
      )
      .describe('PostgreSQL that holds the notes, instead of a directory: postgres://user@host:port/database.'),
    tls: z.boolean().default(false).describe('Whether the connection is encrypted and the certificate checked.'),
    passwordFile: directory.optional().describe('Path of a file that holds the password; read for each connection.'),
    password: z
      .string()
      .max(1_024)
      .optional()
      .describe('The password itself, where there is no file. Only through its variable.'),
  })
  .refine(({ password, passwordFile }) => password === undefined || passwordFile === undefined, {
    message: 'either password or passwordFile',
  });

const schema = z.strictObject({
  listen: rpcListenSettings(4100),
  admin: adminSettings(', /metrics'),
  modules: z
    .array(z.enum(['reference', 'diagnostics', 'conformance']))
    .min(1)
    .default(['reference', 'diagnostics'])
    .describe('Which tools are served: those of src/tools, echo and wait, fixtures of the MCP conformance suite.'),
  extraTools: z
    .int()
    .min(0)
    .max(4_000)
    .default(0)
    .describe('Generated echo tools, to measure large catalogues. With diagnostics.'),
  diagnostics: z
    .strictObject({
      directory: directory
        .optional()
        .describe('Where replicas share a ledger of runs; confirm_run, which writes it, is served only then.'),
    })
    .prefault({}),
  notes: z
    .strictObject({
      directory: directory
        .optional()
        .describe('Root under which workspaces are looked up; absent, and no database: example notes in the process.'),
      database: database.optional(),
      grants: z
        .array(grant)
        .max(256)
        .default([{ subject: '*', workspaces: ['file:///srv/notes'] }])
        .describe('Who may use which workspaces.'),
    })
    .refine(({ directory, database }) => directory === undefined || database === undefined, {
      message: 'either directory or database',
    })
    .prefault({}),
  bank: z
    .strictObject({
      directory: directory
        .optional()
        .describe('Where replicas share accounts.json and the ledger; absent: example accounts in the process.'),
    })
    .prefault({}),
  projects: z
    .strictObject({
      directory: directory
        .optional()
        .describe('Root under which projects are looked up; absent: an example project in the process.'),
      grants: z
        .array(grant)
        .max(256)
        .default([{ subject: '*', workspaces: ['file:///srv/projects'] }])
        .describe('Who may have which projects looked at.'),
    })
    .prefault({}),
  reports: z
    .strictObject({
      pageUrl: z
        .url({ protocol: /^https?$/ })
        .max(1_024)
        .endsWith('/')
        .optional()
        .describe('Page that connects the report service; connect_report_service is served only with one.'),
    })
    .prefault({}),
  examples: z
    .strictObject({
      directory: directory
        .optional()
        .describe('Where replicas share what the smaller reference tools keep; absent: each process keeps its own.'),
    })
    .prefault({}),
  tracing: z.strictObject(tracingSettings).prefault({}),
  metrics: z.strictObject({ enabled: z.boolean().default(true).describe('Whether /metrics is served.') }).prefault({}),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level that is logged.'),
});

export type ToolWorkerConfig = z.output<typeof schema>;

export const toolWorkerConfig = defineConfig<ToolWorkerConfig>({
  name: 'toolWorker',
  schema,
  env: {
    'listen.host': 'ROUNDHOUSE_WORKER_RPC_HOST',
    'listen.port': 'ROUNDHOUSE_WORKER_RPC_PORT',
    'admin.host': 'ROUNDHOUSE_WORKER_ADMIN_HOST',
    'admin.port': 'ROUNDHOUSE_WORKER_ADMIN_PORT',
    'listen.tls.certFile': 'ROUNDHOUSE_WORKER_TLS_CERT_FILE',
    'listen.tls.keyFile': 'ROUNDHOUSE_WORKER_TLS_KEY_FILE',
    'listen.tls.caFile': 'ROUNDHOUSE_WORKER_TLS_CA_FILE',
    'listen.tls.clientNames': 'ROUNDHOUSE_WORKER_TLS_CLIENT_NAMES',
    modules: 'ROUNDHOUSE_WORKER_MODULES',
    extraTools: 'ROUNDHOUSE_WORKER_EXTRA_TOOLS',
    'diagnostics.directory': 'ROUNDHOUSE_DIAGNOSTICS_DIRECTORY',
    'notes.directory': 'ROUNDHOUSE_NOTES_DIRECTORY',
    'notes.database.url': 'ROUNDHOUSE_NOTES_DATABASE_URL',
    'notes.database.passwordFile': 'ROUNDHOUSE_NOTES_DATABASE_PASSWORD_FILE',
    'notes.database.password': 'ROUNDHOUSE_NOTES_DATABASE_PASSWORD',
    'bank.directory': 'ROUNDHOUSE_BANK_DIRECTORY',
    'projects.directory': 'ROUNDHOUSE_PROJECTS_DIRECTORY',
    'reports.pageUrl': 'ROUNDHOUSE_REPORTS_PAGE_URL',
    'examples.directory': 'ROUNDHOUSE_EXAMPLES_DIRECTORY',
    ...TRACING_ENV,
    'metrics.enabled': 'ROUNDHOUSE_METRICS',
    logLevel: 'ROUNDHOUSE_LOG_LEVEL',
  },
});
