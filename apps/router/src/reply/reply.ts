/**
 * The only place that writes MCP responses. A reply starts undecided and becomes one JSON object or one event stream;
 * once the first byte has left, its status is frozen and an error rides the stream (protocol section 1).
 */
import type { ServerResponse } from 'node:http';
import type { RoundhouseError } from '@roundhouse/errors';
import { escapeLineSeparators, type RequestId } from '@roundhouse/protocol';
import { errorBody } from './error-body.js';
import type { Cancellable, ExchangeReply } from './exchange-reply.js';

/** Bytes that may wait for a slow reader of a stream before it is cut off (BP-3). */
export const STREAM_BUFFER_BYTES_MAX = 1024 * 1024;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export interface ReplyHeaders {
  readonly [name: string]: string;
}

/** How an error looks to whom it is told: older revisions have other codes and other statuses. */
export interface ErrorForm {
  status(error: RoundhouseError): number;
  body(id: RequestId | undefined, error: RoundhouseError): string;
}

export const MODERN_ERRORS: ErrorForm = { status: ({ row }) => row.status, body: errorBody };

/** Keeps what a stream says for a client that lost the line and may take it up again; only older revisions have that. */
export interface StreamJournal {
  /** What the stream begins with; from now on everything is kept. */
  open(): string;
  /** Also after the line was lost. Returns the id of the event; undefined before the stream began. */
  add(message: string, isLast: boolean): string | undefined;
  /** What the line ends with when its client is to come back; undefined where nothing would be kept for it. */
  leave(retryMs: number | undefined): string | undefined;
  /** Nothing more will be said, and no answer was. */
  close(): void;
}

export class Reply implements ExchangeReply {
  lastWriteMs: number;
  /** The client accepts an event stream; set once its headers were read. */
  canStream = false;
  cancelWhenGone: Cancellable | undefined;
  errors: ErrorForm = MODERN_ERRORS;
  journal: StreamJournal | undefined;
  wasCutOff = false;
  private state: 'undecided' | 'stream' | 'ended' = 'undecided';

  constructor(
    private readonly response: ServerResponse,
    nowMs: number,
  ) {
    this.lastWriteMs = nowMs;
    response.on('close', () => {
      const gone = this.state !== 'ended';
      this.state = 'ended';
      if (gone) this.cancelWhenGone?.cancel();
    });
  }

  get isStream(): boolean {
    return this.state === 'stream';
  }

  get canBeTakenUp(): boolean {
    return this.journal !== undefined;
  }

  get hasEnded(): boolean {
    return this.state === 'ended';
  }

  succeed(id: RequestId, result: string, headers?: ReplyHeaders): void {
    this.finish(200, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, headers);
  }

  /** More than one response, as only a batch has them. */
  succeedTogether(responses: readonly string[]): void {
    this.finish(200, `[${responses.join(',')}]`);
  }

  succeedPrepared(id: RequestId, result: Buffer): void {
    if (this.state !== 'undecided') return;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    this.state = 'ended';
    this.response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(head) + result.length + 1,
    });
    this.response.write(head);
    this.response.write(result);
    this.response.end('}');
  }

  fail(id: RequestId | undefined, error: RoundhouseError): void {
    this.finish(this.errors.status(error), this.errors.body(id, error), refusalHeaders(error));
  }

  accept(): void {
    this.finish(202, '');
  }

  /** There is nothing to answer any more. */
  leave(): void {
    if (this.canStream) this.endStream();
    else this.accept();
  }

  noContent(headers?: ReplyHeaders): void {
    this.finish(204, '', headers);
  }

  notify(message: string): void {
    this.openStream();
    this.event(message, false);
  }

  /** An event whose id another stream gave it. */
  repeat(message: string, id: string): void {
    this.openStream();
    this.write(`id: ${id}\n${eventText(message)}`);
  }

  /** Where the client goes on from, and when, should it lose this line; an event that says nothing. */
  prime(id: string, retryMs: number | undefined): void {
    this.openStream();
    this.write(primingText(id, retryMs));
  }

  closeLine(retryMs: number | undefined): void {
    if (this.journal === undefined) return;
    this.openStream();
    const last = this.journal.leave(retryMs);
    if (last === undefined) return;
    this.write(last);
    this.end();
  }

  /** The stream is over without an answer on it. */
  endStream(): void {
    this.openStream();
    this.journal?.close();
    this.end();
  }

  openStream(): void {
    if (this.state !== 'undecided') return;
    this.state = 'stream';
    this.response.writeHead(200, STREAM_HEADERS);
    this.response.flushHeaders();
    if (this.journal !== undefined) this.write(this.journal.open());
  }

  comment(): void {
    if (this.state === 'stream') this.write(': keep-alive\n\n');
  }

  private finish(status: number, body: string, headers?: ReplyHeaders): void {
    if (this.state !== 'undecided') {
      if (this.state === 'ended' && this.journal === undefined) return;
      this.event(body, true);
      this.end();
      return;
    }
    this.state = 'ended';
    if (body === '') {
      this.response.writeHead(status, { 'content-length': 0, ...headers });
      this.response.end();
      return;
    }
    const bytes = Buffer.byteLength(body);
    this.response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes, ...headers });
    // As many bytes as characters: all of them ASCII, which takes no encoding.
    this.writeWhole(body, bytes === body.length ? 'latin1' : 'utf8');
  }

  /**
   * Head and body as one chunk. `end(body)` would have Node add an empty one and gather both with `writev`, which costs
   * 2 of the 20 µs that it takes Node to answer a request.
   */
  private writeWhole(body: string, encoding: BufferEncoding): void {
    const { response } = this;
    const { socket } = response;
    socket?.cork();
    response.write(body, encoding);
    socket?.uncork();
    response.end();
  }

  /** What can no longer be written is still kept, where it is kept at all. */
  private event(message: string, isLast: boolean): void {
    const id = this.journal?.add(message, isLast);
    this.write(id === undefined ? eventText(message) : `id: ${id}\n${eventText(message)}`);
  }

  private write(text: string): void {
    if (this.state !== 'stream') return;
    this.lastWriteMs = performance.now();
    this.response.write(text);
    if (this.response.writableLength <= STREAM_BUFFER_BYTES_MAX) return;
    this.wasCutOff = true;
    this.response.destroy();
  }

  private end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.response.end();
  }
}

export function primingText(id: string, retryMs: number | undefined): string {
  return `id: ${id}\n${retryMs === undefined ? '' : `retry: ${retryMs}\n`}data: \n\n`;
}

function eventText(message: string): string {
  return `event: message\ndata: ${escapeLineSeparators(message)}\n\n`;
}

function refusalHeaders(error: RoundhouseError): ReplyHeaders | undefined {
  if (error.challenge !== undefined) return { 'www-authenticate': error.challenge };
  if (error.row.status === 405) return { allow: 'POST' };
  if (error.code === 'body_too_large' || error.code === 'body_timeout') return { connection: 'close' };
  return error.row.status === 503 || error.row.status === 429
    ? { 'retry-after': String(error.retryAfterS ?? 1) }
    : undefined;
}
