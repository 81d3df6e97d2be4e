/**
 * Nest's logger as one JSON object a line (pino). Carries messages and a context name; callers pass no request data.
 */
import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

export class JsonLogger implements LoggerService {
  private readonly log_: Logger;

  constructor(name: string, level = 'info') {
    this.log_ = pino(
      { name, level, base: { name }, timestamp: pino.stdTimeFunctions.isoTime },
      pino.destination({ fd: 2, sync: true }),
    );
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
  private write(
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const stack = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    if (message instanceof Error) this.log_[level]({ context, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.log_[level]({ context, ...message });
    else this.log_[level]({ context, stack }, String(message));
  }
}
