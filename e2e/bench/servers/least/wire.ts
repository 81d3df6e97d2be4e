/**
 * One JSON message each way, framed by its length, over a socket that stays; what one turn of the event loop has to say
 * leaves in one write. The least that two processes can do to ask each other. Trusts its peer.
 */
import { connect as connectTo, createServer, type Socket } from 'node:net';

const LENGTH_BYTES = 4;
/** UTF-8 bytes that a UTF-16 code unit can take. */
const BYTES_PER_UNIT_MAX = 3;

type Message = Record<string, unknown>;
export type Answer = (message: Message) => void;

/** Asks what the peer of `port` serves; answers come back in any order. */
export function connect(port: number): (message: Message, answer: Answer) => void {
  const waiting: Answer[] = [];
  const free: number[] = [];
  const send = exchange(connectTo(port, '127.0.0.1'), ({ id, ...message }) => {
    free.push(id as number);
    waiting[id as number]?.(message);
  });
  return (message, answer) => {
    const id = free.pop() ?? waiting.length;
    waiting[id] = answer;
    send({ id, ...message });
  };
}

export function serve(port: number, onMessage: (message: Message, answer: Answer) => void): void {
  const server = createServer((socket) => {
    const send = exchange(socket, ({ id, ...message }) => onMessage(message, (answer) => send({ id, ...answer })));
  });
  server.listen(port, '127.0.0.1');
  process.once('SIGTERM', () => process.exit(0));
}

function exchange(socket: Socket, onMessage: Answer): Answer {
  let texts: string[] = [];
  let rest: Buffer | undefined;
  const flush = (): void => {
    const bytesMax = texts.reduce((sum, text) => sum + LENGTH_BYTES + text.length * BYTES_PER_UNIT_MAX, 0);
    const buffer = Buffer.allocUnsafe(bytesMax);
    let at = 0;
    for (const text of texts) {
      const bytes = buffer.write(text, at + LENGTH_BYTES);
      at = buffer.writeUInt32BE(bytes, at) + bytes;
    }
    texts = [];
    socket.write(buffer.subarray(0, at));
  };
  socket.setNoDelay(true);
  socket.on('data', (chunk) => {
    const buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (buffer.length - at >= LENGTH_BYTES) {
      const end = at + LENGTH_BYTES + buffer.readUInt32BE(at);
      if (end > buffer.length) break;
      onMessage(JSON.parse(buffer.toString('utf8', at + LENGTH_BYTES, end)) as Message);
      at = end;
    }
    rest = at === buffer.length ? undefined : buffer.subarray(at);
  });
  return (message) => {
    if (texts.push(JSON.stringify(message)) === 1) setImmediate(flush);
  };
}
