/**
 * One HTTP/1.1 connection on a raw socket, one request at a time. Does as little as possible with what it reads, because
 * its own time is taken from the servers it measures; understands only what the servers of the benchmark send.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HttpRequest } from './requests.js';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';

export class KeepAliveConnection {
  private received = '';
  private onReply: ((reply: string) => void) | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (chunk) => this.take(String(chunk)));
  }

  static async open(port: number): Promise<KeepAliveConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new KeepAliveConnection(socket);
  }

  /** `bytes` is a whole request. The reply is its whole text, head included. */
  send(bytes: string, onReply: (reply: string) => void): void {
    this.onReply = onReply;
    this.socket.write(bytes, 'latin1');
  }

  /** A connection that closes under a request ends the process: there is nothing left to measure. */
  failOn(fail: (error: Error) => void): this {
    this.socket.once('error', fail).once('close', () => fail(new Error('a connection was closed')));
    return this;
  }

  end(): void {
    this.socket.removeAllListeners('close').destroy();
  }

  private take(chunk: string): void {
    this.received += chunk;
    if (!isWhole(this.received)) return;
    const reply = this.received;
    this.received = '';
    this.onReply?.(reply);
  }
}

function isWhole(text: string): boolean {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, headEnd + 2));
  return length === null ? text.endsWith(LAST_CHUNK) : text.length >= headEnd + HEAD_END.length + Number(length[1]);
}

/** Everything of a request but its body, which must be of plain ASCII. */
export function headText(port: number, headers: HttpRequest['headers']): string {
  const lines = [['Host', `127.0.0.1:${port}`], ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}Content-Length: `;
}

export function bodyText(body: string): string {
  return `${body.length}${HEAD_END}${body}`;
}
