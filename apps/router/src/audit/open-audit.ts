/** Opens the audit stream that the configuration names. */
import { Logger } from '@nestjs/common';
import type { RouterConfig } from '../config.js';
import type { AuditConfig } from './audit-settings.js';
import { FileSink, HttpSink, StdoutSink, type AuditSink } from './audit-sink.js';
import { AuditStream } from './audit-stream.js';
import { Auditor } from './auditor.js';

export interface OpenAudit {
  readonly auditor: Auditor;
  /** Undefined when nothing is written down. */
  readonly stream: AuditStream | undefined;
}

export function openAudit(
  { audit, publicUrl }: Pick<RouterConfig, 'audit' | 'publicUrl'>,
  catalogueHash: () => string,
): OpenAudit {
  const stream = openStream(audit, new Logger('audit'));
  return {
    auditor: new Auditor({ stream, about: audit.about, audience: publicUrl, catalogueHash, now: Date.now }),
    stream,
  };
}

function openStream(config: AuditConfig, log: Logger): AuditStream | undefined {
  const sink = sinkOf(config);
  if (sink === undefined) return undefined;
  const { onFailure, timeoutMs } = config;
  const meanwhile = onFailure === 'block' ? 'calls are refused' : 'lines may be lost';
  return new AuditStream({
    ...{ sink, onFailure, timeoutMs },
    onChange: ({ failed, cause, dropped }) => {
      if (failed) log.error(`audit lines cannot be written (${cause}); ${meanwhile} until they can`);
      else log.log(`audit lines are written again; ${dropped} were lost`);
    },
  });
}

function sinkOf({ sink, file = '', url = '', tokenFile }: AuditConfig): AuditSink | undefined {
  switch (sink) {
    case 'none':
      return undefined;
    case 'stdout':
      return new StdoutSink(process.stdout);
    case 'file':
      return new FileSink(file);
    case 'http':
      return new HttpSink({ url, tokenFile });
  }
}
