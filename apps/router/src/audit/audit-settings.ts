/** Where audit lines go: the `audit` part of the router's configuration. */
import { z } from 'zod';

const path = z.string().min(1).max(4_096);

export const auditSchema = z
  .strictObject({
    sink: z
      .enum(['none', 'stdout', 'file', 'http'])
      .default('none')
      .describe('Where each decision is written, one JSON object a line.'),
    about: z
      .enum(['calls', 'all'])
      .default('calls')
      .describe('What is written down: calls and every refusal, or lists, completions and streams as well.'),
    file: path.optional().describe('Path of the file that lines are appended to.'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .optional()
      .describe('Collector that batches of lines are posted to.'),
    tokenFile: path
      .optional()
      .describe('Path of the file with the bearer token for the collector; read for each batch.'),
    onFailure: z
      .enum(['block', 'drop'])
      .default('block')
      .describe('While lines cannot be written: refuse calls, or lose and count the lines.'),
    timeoutMs: z.int().min(100).max(60_000).default(5_000).describe('How long one batch may take.'),
  })
  .refine(({ sink, file }) => (sink === 'file') === (file !== undefined), {
    path: ['file'],
    message: 'belongs to sink: file',
  })
  .refine(({ sink, url }) => (sink === 'http') === (url !== undefined), {
    path: ['url'],
    message: 'belongs to sink: http',
  })
  .refine(({ sink, tokenFile }) => sink === 'http' || tokenFile === undefined, {
    path: ['tokenFile'],
    message: 'belongs to sink: http',
  })
  .refine(({ url, tokenFile }) => tokenFile === undefined || url?.startsWith('https:') !== false || isLoopback(url), {
    path: ['tokenFile'],
    message: 'is sent over https only',
  });

export type AuditConfig = z.infer<typeof auditSchema>;

function isLoopback(url: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname);
}
