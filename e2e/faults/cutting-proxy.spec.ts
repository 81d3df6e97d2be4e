import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CuttingProxy } from './cutting-proxy.js';

let server: Server;
let proxy: CuttingProxy;
let bytes: number;

beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (asked) => socket.end(`you said ${asked.toString()}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await CuttingProxy.start((server.address() as AddressInfo).port, () => bytes);
});

afterEach(async () => {
  await proxy.stop();
  server.close();
});

async function askThrough(text: string): Promise<string> {
  const socket = connect(proxy.port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk));
  socket.write(text);
  await once(socket, 'close');
  return received;
}

describe('a wire that breaks', () => {
  it('passes as many bytes of the answer as were drawn, and the whole question', async () => {
    bytes = 12;
    expect(await askThrough('hello')).toBe('you said hel');
  });

  it('leaves a shorter answer whole', async () => {
    bytes = 1_000;
    expect(await askThrough('hello')).toBe('you said hello');
  });

  it('leaves nobody waiting when it stops', async () => {
    bytes = 1_000;
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await proxy.stop();
    await closed;
  });
});
