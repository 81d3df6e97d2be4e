/** Bytes on a connection that need not be HTTP at all, and what comes back until the other side closes. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { within } from './until.js';

export interface RawBytes {
  readonly port: number;
  readonly bytes: string;
  /** Sent again and again after that, until the connection is closed. */
  readonly drip?: string;
  readonly withinMs: number;
}

const DRIP_EVERY_MS = 20;

export async function sendBytes({ port, bytes, drip, withinMs }: RawBytes): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  // Writing to a connection that was just cut fails; that it was cut is what is waited for.
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk));
  const timer = drip === undefined ? undefined : setInterval(() => socket.write(drip), DRIP_EVERY_MS);
  try {
    socket.write(bytes);
    await within(once(socket, 'close'), { what: 'the end of a connection', withinMs });
    return received;
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}
