/**
 * What one call says before it ends: what the client did not ask for, or cannot take, is dropped here, what comes too fast
 * is thinned. Progress must rise strictly and end with the call (protocol: basic/patterns/progress).
 */
import {
  LOG_LEVELS,
  STREAM_RETRY_MS_MAX,
  type CallNotice,
  type CallRequest,
  type McpLogLevel,
} from '@roundhouse/contracts';

/** A notice may carry this much log data, in UTF-16 code units of its JSON text. */
const LOG_DATA_CHARS_MAX = 64 * 1024;
/** As the rpc contract has them, in UTF-16 code units. */
const PROGRESS_MESSAGE_CHARS_MAX = 4_096;
const LOGGER_CHARS_MAX = 256;

const SEVERITY = new Map(LOG_LEVELS.map((level, index) => [level, index]));

export interface NoticeOptions {
  readonly progressIntervalMs: number;
  readonly send: (notice: CallNotice) => void;
}

export class Notices {
  private highest = -Infinity;
  private sentAt = -Infinity;
  private held: CallNotice | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly request: Pick<CallRequest, 'wantsProgress' | 'logLevel' | 'mayCloseStream'>,
    private readonly options: NoticeOptions,
  ) {}

  progress(done: number, total?: number, message?: string): void {
    if (!this.request.wantsProgress || this.closed || !Number.isFinite(done) || done <= this.highest) return;
    this.highest = done;
    this.held = {
      kind: 'progress',
      progress: done,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message: message.slice(0, PROGRESS_MESSAGE_CHARS_MAX) }),
    };
    const waitMs = this.sentAt + this.options.progressIntervalMs - performance.now();
    if (waitMs <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), waitMs).unref();
  }

  log(level: McpLogLevel, data: unknown, logger?: string): void {
    if (this.closed || this.request.logLevel === undefined || severity(level) < severity(this.request.logLevel)) return;
    this.options.send({
      kind: 'log',
      level,
      ...(logger !== undefined && { logger: logger.slice(0, LOGGER_CHARS_MAX) }),
      data: toLogData(data),
    });
  }

  closeStream(retryMs?: number): void {
    if (this.request.mayCloseStream !== true || this.closed) return;
    this.flush();
    const isTime = retryMs !== undefined && retryMs >= 0;
    const retry = isTime && { retryMs: Math.round(Math.min(retryMs, STREAM_RETRY_MS_MAX)) };
    this.options.send({ kind: 'close_stream', ...retry });
  }

  /** Sends the progress that was held back; after this the call says nothing more. */
  close(): void {
    if (this.held !== undefined) this.flush();
    this.closed = true;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.held === undefined || this.closed) return;
    const notice = this.held;
    this.held = undefined;
    this.sentAt = performance.now();
    this.options.send(notice);
  }
}

function severity(level: McpLogLevel): number {
  return SEVERITY.get(level) ?? -1;
}

/** What cannot be JSON, or is too large for a notice, must not cost the call its result. */
function toLogData(data: unknown): unknown {
  try {
    const json = JSON.stringify(data) ?? 'null';
    return json.length > LOG_DATA_CHARS_MAX ? '(log data was too large)' : JSON.parse(json);
  } catch {
    return '(log data was not JSON)';
  }
}
