import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { fetchDocument } from './json-document.js';
import { GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js';
import { kindOfAddress } from './private-address.js';

const servers: Server[] = [];

async function serve(answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/document`);
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const fetchWith = (options: Partial<GuardedFetchOptions> = {}): GuardedFetch =>
  new GuardedFetch({ allowLoopback: true, privateHosts: [], ...options });

const resolvesTo = (...addresses: string[]): Partial<GuardedFetchOptions> => ({
  resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
});

async function reasonOf(url: string | URL, fetch = fetchWith(), bytesMax = 1_000): Promise<string> {
  const error: unknown = await fetchDocument(fetch, { url: new URL(url), bytesMax }).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(RoundhouseError);
  expect((error as RoundhouseError).code).toBe('authorization_unavailable');
  return (error as RoundhouseError).reason;
}

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd00::1', 'private'],
    ['169.254.169.254', 'reserved'],
    ['0.0.0.0', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'reserved'],
    ['::ffff:127.0.0.1', 'reserved'],
    ['::ffff:8.8.8.8', 'reserved'],
    ['::7f00:1', 'reserved'],
    ['64:ff9b::7f00:1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['fe80::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['localhost', 'reserved'],
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['2606:4700::1111', 'public'],
  ])('%s is %s', (address, kind) => {
    expect(kindOfAddress(address)).toBe(kind);
  });
});

describe('a request to an authorization server', () => {
  it.each([
    ['in plain http', 'http://login.example.com/'],
    ['by another protocol', 'ftp://login.example.com/'],
    ['with a password in its address', 'https://user:secret@login.example.com/'],
    ['to a private address', 'https://10.0.0.1/'],
    ['to the metadata service of a cloud', 'https://169.254.169.254/latest'],
    ['to a mapped address', 'https://[::ffff:10.0.0.1]/'],
    ['to an address in another notation', 'https://0x0a000001/'],
    ['in plain http to a private address', 'http://10.0.0.1/'],
  ])('is not made %s', async (_how, url) => {
    expect(await reasonOf(url, fetchWith({ allowLoopback: true, ...resolvesTo('10.0.0.1') }))).toBe(
      'issuer_address_refused',
    );
  });

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'http://127.0.0.1/', 'http://localhost/', 'https://localhost/'])(
    'is not made to %s outside development',
    async (url) => {
      expect(await reasonOf(url, fetchWith({ allowLoopback: false, ...resolvesTo('127.0.0.1') }))).toBe(
        'issuer_address_refused',
      );
    },
  );

  it.each([['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['127.0.0.1'], ['169.254.169.254']])(
    'is not made to a name that leads to %s',
    async (...addresses) => {
      const fetch = fetchWith({ allowLoopback: false, ...resolvesTo(...addresses) });
      expect(await reasonOf('https://login.example.com/', fetch)).toBe('issuer_address_refused');
    },
  );

  it('is not made to the metadata service by a name that may be private', async () => {
    const fetch = fetchWith({ privateHosts: ['login.example.com'], ...resolvesTo('169.254.169.254') });
    expect(await reasonOf('https://login.example.com/', fetch)).toBe('issuer_address_refused');
  });

  it('goes to the address that was looked at, whatever the name says later', async () => {
    const url = await serve((_request, response) => response.end('{"here":true}'));
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    url.hostname = 'localhost';
    expect(await fetchDocument(fetchWith({ resolve }), { url, bytesMax: 100 })).toEqual({ here: true });
    expect(lookups).toBe(1);
  });

  it('does not follow a redirect', async () => {
    let followed = 0;
    const target = await serve((_request, response) => {
      followed += 1;
      response.end('{}');
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: target.href }).end());
    expect(await reasonOf(url)).toBe('issuer_answer_refused');
    expect(followed).toBe(0);
  });

  it.each([
    ['is an error', (response) => response.writeHead(500).end('{}')],
    ['is no JSON', (response) => response.end('<html>MARK</html>')],
    ['is a list', (response) => response.end('[]')],
    ['is not UTF-8', (response) => response.end(Buffer.from([0x7b, 0xff, 0x7d]))],
    ['is too large', (response) => response.end(`{"x":"${'x'.repeat(2_000)}"}`)],
    ['never stops', (response) => void setInterval(() => response.write('x'.repeat(600)), 1).unref()],
  ] as [string, (response: Parameters<RequestListener>[1]) => void][])(
    'ends when the answer %s',
    async (_what, answer) => {
      expect(await reasonOf(await serve((_request, response) => answer(response)))).toBe('issuer_answer_refused');
    },
  );

  it('says when the answer breaks off', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{');
      setImmediate(() => response.destroy());
    });
    expect(await reasonOf(url)).toBe('issuer_unreachable');
  });

  it('says when a name has no address', async () => {
    expect(await reasonOf('https://login.example.com/', fetchWith({ resolve: async () => [] }))).toBe(
      'issuer_unreachable',
    );
  });

  it('says when a name does not exist', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    expect(await reasonOf('https://login.example.com/', fetchWith({ resolve }))).toBe('issuer_unreachable');
  });

  it('tells a document that is not there from one that cannot be had', async () => {
    const url = await serve((_request, response) => response.writeHead(404).end());
    expect(await fetchDocument(fetchWith(), { url, bytesMax: 100 })).toBeUndefined();
  });

  it.each([
    ['before the first byte', () => undefined],
    ['in the middle', (response) => response.write('{')],
  ] as [string, (response: Parameters<RequestListener>[1]) => void][])(
    'gives up on silence %s',
    async (_when, answer) => {
      const url = await serve((_request, response) => answer(response));
      expect(await reasonOf(url, fetchWith({ timeoutMs: 50 }))).toBe('issuer_timed_out');
    },
  );

  it('gives up on a name that is never found', async () => {
    const fetch = fetchWith({ timeoutMs: 50, resolve: () => new Promise(() => undefined) });
    expect(await reasonOf('https://login.example.com/', fetch)).toBe('issuer_timed_out');
  });

  it('says when nobody is there', async () => {
    const url = await serve(() => undefined);
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    expect(await reasonOf(url)).toBe('issuer_unreachable');
  });
});
