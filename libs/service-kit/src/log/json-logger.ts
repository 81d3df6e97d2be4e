/**
 * Nest's logger as one JSON object a line (pino). What is on a line beside the message is what `log-fields.ts` allows;
 * a line written during an exchange says which trace it belongs to.
 */
import type { LoggerService } from '@nestjs/common';
import { isSpanContextValid, trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger } from 'pino';
import { allowedFields } from './log-fields.js';
import type { LogLevel } from './log-level.js';
import { safeText } from './safe-text.js';

/** Longest message of a line, in characters. */
const MESSAGE_CHARS_MAX = 2_048;

export class JsonLogger implements LoggerService {
  private readonly log_: Logger;

  constructor(service: string, level: string = 'info', destination: DestinationStream = standardError()) {
    this.log_ = pino(
      {
        level,
        base: { service },
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      destination,
    );
  }

  get level(): string {
    return this.log_.level;
  }

  setLevel(level: LogLevel): void {
    this.log_.level = level;
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest's convention: the last extra argument is the context's name; an error may bring its stack before it. */
  private write(level: Exclude<LogLevel, 'silent'> | 'fatal', message: unknown, rest: unknown[]): void {
    if (!this.log_.isLevelEnabled(level)) return;
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    const { text, fields } = toParts(message);
    const all = allowedFields({ context, ...activeTrace(), stack, ...fields });
    this.log_[level](all, text === undefined ? undefined : safeText(text, MESSAGE_CHARS_MAX));
  }
}

interface Parts {
  readonly text?: string;
  readonly fields?: object;
}

/** What is logged as an object is fields alone; of an error its message and stack, never what was hung onto it. */
function toParts(message: unknown): Parts {
  if (message instanceof Error) return { text: message.message, fields: { stack: message.stack } };
  if (typeof message === 'object' && message !== null) return { fields: message };
  return { text: String(message) };
}

function activeTrace(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span !== undefined && isSpanContextValid(span) ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Synchronous, so that the last words of a process that ends are written. */
function standardError(): DestinationStream {
  return pino.destination({ fd: 2, sync: true });
}
