import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RouterUnderTest } from '../testing/router-under-test.js';

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([], (config) => ({
    ...config,
    limits: { ...config.limits, requestTimeoutMs: 60 },
  }));
});
afterAll(() => router.stop());

/** Sends raw bytes and gives back all that comes until the router closes. */
async function raw(text: string, after?: (socket: Socket) => void): Promise<string> {
  const socket = connect(router.port, '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(text);
  after?.(socket);
  await closed;
  return received;
}

const HEAD = 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';

describe('a request that never becomes one', () => {
  it('is told that its body was too slow, and cut off', async () => {
    const answer = await raw(`${HEAD}content-length: 1000\r\n\r\n{`);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('{"jsonrpc":"2.0","error":{"code":-32600,"message":"Body did not arrive in time"}}');
  });

  it('is told the same when it sends a byte now and then', async () => {
    let timer: NodeJS.Timeout | undefined;
    const answer = await raw(`${HEAD}content-length: 1000\r\n\r\n`, (socket) => {
      timer = setInterval(() => socket.write(' '), 10);
      socket.once('close', () => clearInterval(timer));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('is told that its headers are too large', async () => {
    expect(await raw(`${HEAD}x: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [\s\S]*Headers are too large/,
    );
  });

  it.each([
    'GARBAGE\r\n\r\n',
    'POST /mcp HTTP/9.9\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    `${HEAD}content-length: 5\r\ncontent-length: 6\r\n\r\n`,
  ])('is told that %j is no HTTP', async (text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close[\s\S]*Not an HTTP request/);
  });

  it('leaves no trace of the peer that broke off in the middle of its body', async () => {
    await raw(`${HEAD}content-length: 1000\r\n\r\n{`, (socket) => socket.destroy());
    expect((await router.call('tools/list', {})).status).toBe(200);
  });
});
