/**
 * The one error class. What a caller may read (`code`, `publicMessage`, `data`) and what only the log may read
 * (`reason`, `facts`, `cause`) are different fields. `from` is the only way in for foreign errors.
 */
import { ERROR_TABLE, type ErrorCode, type ErrorRow } from './error-table.js';
import type { Reason } from './reasons.js';

/** Longest piece of caller text that is echoed in a public message, in characters: enough for any legal name. */
export const DETAIL_CHARS_MAX = 160;

export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ErrorDetails {
  readonly reason?: Reason;
  /** Replaces `%s` in the row's text. Only names and header names: never argument values, tokens or state. */
  readonly detail?: string;
  /** Public `error.data`, when the protocol defines it. */
  readonly data?: unknown;
  /** Seconds for a Retry-After header; only on rows whose status is 429 or 503. */
  readonly retryAfterS?: number;
  /** Public value of a WWW-Authenticate header; only on rows whose status is 400, 401 or 403. */
  readonly challenge?: string | undefined;
  /** For the log only. */
  readonly facts?: Facts;
  readonly cause?: unknown;
}

export class RoundhouseError extends Error {
  override readonly name = 'RoundhouseError';
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly detail: string | undefined;
  readonly data: unknown;
  readonly retryAfterS: number | undefined;
  readonly challenge: string | undefined;
  readonly facts: Facts;

  /**
   * What callers bring about is expected and has no stack: nothing ever shows it, and for V8 to note it took a tenth of
   * the time of a refusal, which whoever floods us can have as often as they like.
   */
  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const { stackTraceLimit } = Error;
    const row = ERROR_TABLE[code];
    if (row.logLevel === 'debug' || row.logLevel === 'info') Error.stackTraceLimit = 0;
    super(publicText(row, details.detail), details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.reason = details.reason ?? 'as_coded';
    this.detail = details.detail;
    this.data = details.data;
    this.retryAfterS = details.retryAfterS;
    this.challenge = details.challenge;
    this.facts = details.facts ?? {};
  }

  get row(): ErrorRow {
    return ERROR_TABLE[this.code];
  }

  /** Makes any thrown value one of ours: ours stay as they are, the rest become `internal` with the cause kept. */
  static from(thrown: unknown): RoundhouseError {
    if (thrown instanceof RoundhouseError) return thrown;
    return new RoundhouseError('internal', { reason: 'unexpected', cause: thrown });
  }
}

function publicText(row: ErrorRow, detail: string | undefined): string {
  if (!row.text.includes('%s')) return row.text;
  const shown = (detail ?? '').slice(0, DETAIL_CHARS_MAX).toWellFormed();
  return row.text.replace('%s', () => shown);
}
