/**
 * The only place that writes MCP responses. A reply starts undecided and becomes one JSON object or one event stream;
 * once the first byte has left, its status is frozen and an error rides the stream (protocol section 1).
 */
import type { ServerResponse } from 'node:http';
import { RoundhouseError } from '@roundhouse/errors';
import { escapeLineSeparators, type RequestId } from '@roundhouse/protocol';
import { errorBody } from './error-body.js';

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

/**
 * Work that is of no use once its client went away. An object and not a closure: one made inside an async function keeps
 * that function's context, and 28 % of what a call allocates was then promoted to the old generation, against 4 %.
 */
export interface Cancellable {
  cancel(): void;
}

export class Reply {
  /** When the last byte left, or when the reply began, in `performance.now()` milliseconds. */
  lastWriteMs: number;
  /** The client accepts an event stream; set once its headers were read. */
  canStream = false;
  /** Cancelled once when the client goes away before the reply ended. */
  cancelWhenGone: Cancellable | undefined;
  /** We closed the stream because its reader let too much wait. */
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

  get hasEnded(): boolean {
    return this.state === 'ended';
  }

  /** The success of a request. `result` is the JSON text of the whole result object. */
  succeed(id: RequestId, result: string): void {
    this.finish(200, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  }

  /** The same from bytes prepared earlier: a list page is neither built nor encoded per request. */
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
    this.finish(error.row.status, errorBody(id, error), refusalHeaders(error));
  }

  accept(): void {
    this.finish(202, '');
  }

  preflight(headers: ReplyHeaders): void {
    this.finish(204, '', headers);
  }

  /** Sends a JSON-RPC notification on this reply's own stream, opening it if need be. */
  notify(message: string): void {
    this.openStream();
    this.event(message);
  }

  openStream(): void {
    if (this.state !== 'undecided') return;
    this.state = 'stream';
    this.response.writeHead(200, STREAM_HEADERS);
    this.response.flushHeaders();
  }

  comment(): void {
    if (this.state === 'stream') this.write(': keep-alive\n\n');
  }

  private finish(status: number, body: string, headers?: ReplyHeaders): void {
    if (this.state === 'ended') return;
    if (this.state === 'stream') {
      this.event(body);
      this.end();
      return;
    }
    this.state = 'ended';
    if (body === '') this.response.writeHead(status, { 'content-length': 0, ...headers });
    else
      this.response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      });
    this.response.end(body);
  }

  private event(message: string): void {
    this.write(`event: message\ndata: ${escapeLineSeparators(message)}\n\n`);
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

function refusalHeaders(error: RoundhouseError): ReplyHeaders | undefined {
  if (error.challenge !== undefined) return { 'www-authenticate': error.challenge };
  if (error.code === 'verb_not_allowed') return { allow: 'POST' };
  if (error.code === 'body_too_large' || error.code === 'body_timeout') return { connection: 'close' };
  return error.row.status === 503 || error.row.status === 429
    ? { 'retry-after': String(error.retryAfterS ?? 1) }
    : undefined;
}
