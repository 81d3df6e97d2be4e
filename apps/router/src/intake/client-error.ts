/**
 * Requests that Node's HTTP parser gives up on before there is anything to route: too slow, too large a head, not HTTP.
 * Answered with the same error table as everything else, then closed.
 */
import type { Socket } from 'node:net';
import { ERROR_TABLE, RoundhouseError, type ErrorCode } from '@roundhouse/errors';
import { errorBody } from '../reply/error-body.js';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'body_timeout',
  HPE_HEADER_OVERFLOW: 'head_too_large',
};

export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // A reset connection reads no answer, and one that is being answered already must not get two.
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ''] ?? 'not_http';
  const body = errorBody(undefined, new RoundhouseError(code));
  const head = [
    `HTTP/1.1 ${ERROR_TABLE[code].status} ${code.replaceAll('_', ' ')}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
