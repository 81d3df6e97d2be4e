/**
 * The level of a running process: raised for a while to look closely, and back by itself, because a level that somebody
 * forgot fills disks. Set on the admin port.
 */
import { z } from 'zod';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Path on the admin port. */
export const LOG_LEVEL_PATH = '/loglevel';
const MINUTES_DEFAULT = 15;
const MINUTES_MAX = 24 * 60;
const MINUTE_MS = 60_000;

const change = z.strictObject({
  level: z.enum(LOG_LEVELS),
  minutes: z.number().positive().max(MINUTES_MAX).default(MINUTES_DEFAULT),
});

export interface LogLevelReport {
  readonly level: string;
  /** What it is after a start, and goes back to. */
  readonly configured: string;
  /** When it goes back, RFC 3339 in UTC; undefined while it is what it was configured to be. */
  readonly until: string | undefined;
}

export interface Levelled {
  readonly level: string;
  setLevel(level: LogLevel): void;
}

export class LogLevelSwitch {
  private readonly configured: LogLevel;
  private timer: NodeJS.Timeout | undefined;
  private untilMs: number | undefined;

  constructor(
    private readonly logger: Levelled,
    /** Milliseconds since the epoch. */
    private readonly clock: () => number = Date.now,
  ) {
    this.configured = logger.level as LogLevel;
  }

  report(): LogLevelReport {
    const until = this.untilMs === undefined ? undefined : new Date(this.untilMs).toISOString();
    return { level: this.logger.level, configured: this.configured, until };
  }

  /** `{"level":"debug","minutes":15}`; undefined when it is not that, and nothing changed. */
  change(body: unknown): LogLevelReport | undefined {
    const asked = change.safeParse(body);
    if (!asked.success) return undefined;
    const { level, minutes } = asked.data;
    this.stop();
    this.logger.setLevel(level);
    if (level !== this.configured) {
      this.untilMs = this.clock() + minutes * MINUTE_MS;
      this.timer = setTimeout(() => this.revert(), minutes * MINUTE_MS).unref();
    }
    return this.report();
  }

  /** Nothing is left that could act later. */
  stop(): void {
    clearTimeout(this.timer);
    this.untilMs = undefined;
  }

  private revert(): void {
    this.stop();
    this.logger.setLevel(this.configured);
  }
}
