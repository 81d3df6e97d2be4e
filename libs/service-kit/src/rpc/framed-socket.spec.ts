import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { RPC_INCOMPLETE_MESSAGE_TIMEOUT_MS, RPC_MESSAGE_BYTES_MAX } from '@roundhouse/contracts';
import { FramedServerSocket, FramedSocket } from './framed-socket.js';

interface Pair {
  readonly client: FramedSocket;
  readonly server: FramedServerSocket;
  readonly clientSocket: Socket;
  readonly serverSocket: Socket;
}

let listener: Server;
let pair: Pair;

async function connectPair(): Promise<Pair> {
  const { port } = listener.address() as AddressInfo;
  const clientSocket = connect(port, '127.0.0.1');
  const [serverSocket] = (await once(listener, 'connection')) as [Socket];
  serverSocket.on('error', () => undefined);
  clientSocket.on('error', () => undefined);
  return {
    client: new FramedSocket(clientSocket),
    server: new FramedServerSocket(serverSocket),
    clientSocket,
    serverSocket,
  };
}

const nextMessage = async (socket: FramedSocket): Promise<unknown> =>
  (await once(socket.netSocket, 'message'))[0] as unknown;

function frame(head: string, body = ''): Buffer {
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(4 + Buffer.byteLength(head) + Buffer.byteLength(body), 0);
  prefix.writeUInt32BE(Buffer.byteLength(head), 4);
  return Buffer.concat([prefix, Buffer.from(head), Buffer.from(body)]);
}

beforeEach(async () => {
  listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  pair = await connectPair();
});

afterEach(async () => {
  jest.useRealTimers();
  pair.clientSocket.destroy();
  pair.serverSocket.destroy();
  listener.close();
  await once(listener, 'close');
});

describe('FramedSocket', () => {
  it('carries a body beside the head, byte for byte', async () => {
    const body = '{"text":"é\\u2028 ☃ \\"quoted\\"","n":12345678901234567890}';
    pair.client.sendMessage({ id: '1', pattern: 'p', data: { a: 1, body } });
    expect(await nextMessage(pair.server)).toEqual({ id: '1', pattern: 'p', data: { a: 1, body } });
    pair.server.sendMessage({ id: '1', response: { kind: 'complete', body } });
    expect(await nextMessage(pair.client)).toEqual({ id: '1', response: { kind: 'complete', body } });
  });

  it('leaves the sender’s own object as it was', () => {
    const message = { id: '1', pattern: 'p', data: { a: 1, body: '{}' } };
    pair.client.sendMessage(message);
    expect(message).toEqual({ id: '1', pattern: 'p', data: { a: 1, body: '{}' } });
  });

  it('sends all messages of one turn in one write', async () => {
    const write = jest.spyOn(pair.clientSocket, 'write');
    const seen: unknown[] = [];
    pair.serverSocket.on('message', (message) => seen.push(message));
    for (let id = 0; id < 50; id += 1) pair.client.sendMessage({ id });
    while (seen.length < 50) await once(pair.serverSocket, 'message');
    expect(write).toHaveBeenCalledTimes(1);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, id) => ({ id })));
  });

  it('reads a frame that arrives byte by byte, and the one glued to its end', async () => {
    const bytes = Buffer.concat([frame('{"id":1,"data":{}}', '{"x":1}'), frame('{"id":2}')]);
    const seen: unknown[] = [];
    pair.serverSocket.on('message', (message) => seen.push(message));
    for (const byte of bytes) pair.serverSocket.emit('data', Buffer.from([byte]));
    expect(seen).toEqual([{ id: 1, data: { body: '{"x":1}' } }, { id: 2 }]);
  });

  it.each([
    ['a frame over the size limit', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1])],
    ['a frame over the size limit that comes in pieces', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['a head longer than its frame', Buffer.from([0, 0, 0, 5, 0, 0, 0, 9, 1, 2, 3])],
    ['a frame too short for its own prefix', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0])],
    ['a head that is not JSON', frame('{nope')],
    ['a head that is null', frame('null')],
    ['a body that no message carries', frame('{"id":1}', '{}')],
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
  ])('closes the connection of a peer that sends %s', async (_what, bytes) => {
    const closed = new Promise((resolve) => pair.serverSocket.once('close', resolve));
    const errors: unknown[] = [];
    const messages: unknown[] = [];
    pair.serverSocket.on('error', (error) => errors.push(error));
    pair.serverSocket.on('message', (message) => messages.push(message));
    pair.clientSocket.write(bytes.subarray(0, 4));
    pair.clientSocket.write(bytes.subarray(4));
    pair.clientSocket.write(Buffer.alloc(8));
    await closed;
    expect(errors).not.toHaveLength(0);
    expect(messages).toHaveLength(0);
  });

  it('cuts off a peer that begins a message and never ends it', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    pair.serverSocket.emit('data', frame('{"id":1}').subarray(0, 10));
    expect(pair.serverSocket.destroyed).toBe(false);
    jest.advanceTimersByTime(RPC_INCOMPLETE_MESSAGE_TIMEOUT_MS);
    expect(pair.serverSocket.destroyed).toBe(true);
  });

  it('refuses to send a message over the size limit', () => {
    const body = 'x'.repeat(RPC_MESSAGE_BYTES_MAX);
    expect(() => pair.client.sendMessage({ id: 1, data: { body } })).toThrow(RangeError);
  });

  it('cuts off a peer that reads nothing once its send buffer is full', () => {
    pair.clientSocket.pause();
    const body = 'x'.repeat(8 * 1024 * 1024);
    for (let id = 0; id < 9; id += 1) pair.server.sendMessage({ id, response: { body } });
    expect(pair.serverSocket.destroyed).toBe(true);
  });

  it('stops reading from a peer that does not read its answers', async () => {
    pair.clientSocket.pause();
    pair.server.sendMessage({ id: 1, response: { body: 'x'.repeat(15 * 1024 * 1024) } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(pair.serverSocket.isPaused()).toBe(true);
    pair.clientSocket.resume();
    await once(pair.clientSocket, 'message');
    if (pair.serverSocket.isPaused()) await once(pair.serverSocket, 'drain');
    expect(pair.serverSocket.isPaused()).toBe(false);
  });
});
