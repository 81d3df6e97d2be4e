/** One inline command on a connection of its own: for setting up servers, where a client would want them ready already. */
import { connect } from 'node:net';

const ANSWER_WITHIN_MS = 1_000;

/** The reply's first packet as it came, errors included. Rejects when nobody answers. */
export function askRedis(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once('error', reject);
    socket.once('data', (reply) => {
      socket.destroy();
      resolve(reply.toString());
    });
  });
}
