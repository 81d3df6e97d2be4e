/**
 * The audit stream: lines wait in a bounded queue and leave in batches, one at a time, in order. What happens while a sink
 * does not take them is the operator's choice: calls are refused, or lines are lost, counted, and the loss itself recorded.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { AuditSink } from './audit-sink.js';

export const QUEUE_LINES_MAX = 10_000;
export const BATCH_LINES_MAX = 500;
/** Part of the queue that refusals may fill: whoever is refused can be anybody, as often as they like. */
const REFUSALS_SHARE = 1 / 2;
/** Lines of so long leave together: to open a file for each turn would cost more than all else that a line costs. */
const GATHER_MS = 20;
const RETRY_MS = 1_000;
/** How long the last lines may take when the process ends. */
const CLOSE_MS = 5_000;

export interface AuditStreamOptions {
  readonly sink: AuditSink;
  readonly onFailure: 'block' | 'drop';
  /** For one batch. */
  readonly timeoutMs: number;
  readonly queueLinesMax?: number;
  readonly retryMs?: number;
  /** Told once when the sink fails, and once when it takes lines again, with how many were lost. */
  readonly onChange: (change: { readonly failed: boolean; readonly cause?: string; readonly dropped: number }) => void;
}

export class AuditStream {
  /** Since the start. */
  readonly lines = { written: 0, dropped: 0 };
  private queue: string[] = [];
  private dropped = 0;
  private isFailing = false;
  private isClosing = false;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AuditStreamOptions) {}

  get size(): number {
    return this.queue.length;
  }

  /**
   * Before a call is forwarded.
   * @throws RoundhouseError `audit_unavailable` when it cannot be recorded and must be
   */
  record(entry: object): void {
    const isFull = this.queue.length >= this.queueLinesMax;
    if (this.options.onFailure === 'block' && (isFull || this.isFailing))
      throw new RoundhouseError('audit_unavailable', { reason: 'audit_failed', retryAfterS: 1 });
    this.note(entry);
  }

  /** Of what was refused anyway: never a reason to refuse it again. A flood of it leaves room for calls. */
  noteRefusal(entry: object): void {
    this.noteWithin(entry, Math.ceil(this.queueLinesMax * REFUSALS_SHARE));
  }

  /** Of what has happened: nothing can be refused for it. */
  note(entry: object): void {
    this.noteWithin(entry, this.queueLinesMax);
  }

  /** What waits is written, for as long as that may take. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    const deadline = AbortSignal.timeout(CLOSE_MS);
    while (this.queue.length > 0 && !deadline.aborted) {
      await (this.writing ?? this.writeBatch(deadline));
      if (this.isFailing) return;
    }
  }

  private get queueLinesMax(): number {
    return this.options.queueLinesMax ?? QUEUE_LINES_MAX;
  }

  private noteWithin(entry: object, linesMax: number): void {
    if (this.queue.length >= linesMax) {
      this.dropped += 1;
      this.lines.dropped += 1;
      return;
    }
    this.queue.push(`${JSON.stringify(entry)}\n`);
    if (this.writing === undefined) this.schedule();
  }

  /** A whole batch waits for nothing. */
  private schedule(): void {
    if (this.isFailing) this.timer ??= setTimeout(() => this.begin(), this.options.retryMs ?? RETRY_MS).unref();
    else if (this.queue.length >= BATCH_LINES_MAX) this.begin();
    else this.timer ??= setTimeout(() => this.begin(), GATHER_MS).unref();
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writeBatch(AbortSignal.timeout(this.options.timeoutMs)).then(() => {
      this.writing = undefined;
      if (!this.isClosing && this.queue.length > 0) this.schedule();
    });
  }

  /** Never rejects. What was not taken stays where it is. */
  private async writeBatch(signal: AbortSignal): Promise<void> {
    const lost = this.dropped;
    const lines = this.queue.slice(0, BATCH_LINES_MAX);
    const loss =
      lost === 0 ? '' : `${JSON.stringify({ time: new Date().toISOString(), event: 'dropped', count: lost })}\n`;
    try {
      await untilAborted(this.options.sink.write(lines.join('') + loss, signal), signal);
    } catch (error) {
      this.turn(true, error);
      return;
    }
    this.queue.splice(0, lines.length);
    this.lines.written += lines.length;
    this.dropped -= lost;
    this.turn(false, undefined, lost);
  }

  private turn(failed: boolean, error: unknown, dropped = this.dropped): void {
    if (failed === this.isFailing) return;
    this.isFailing = failed;
    this.options.onChange({ failed, ...(failed && { cause: describe(error) }), dropped });
  }
}

/** A sink that does not look at the signal must not hold the stream up for ever. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error('it took too long'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

function describe(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message);
}
