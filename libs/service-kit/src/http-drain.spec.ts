import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { LeavingResponse, leave } from './http-drain.js';
import { Patience } from './patience.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: Server;
let patience: Patience;
let clients: Socket[];

beforeEach(async () => {
  patience = new Patience();
  clients = [];
  server = createServer({ ServerResponse: LeavingResponse, keepAliveTimeout: 60_000 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  patience.end();
  clients.forEach((client) => client.destroy());
  server.closeAllConnections();
});

async function keptConnection(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  clients.push(client);
  expect(await exchange(client)).toMatch(/^HTTP\/1.1 200 .*Connection: keep-alive/s);
  return client;
}

/** Head and body come in one chunk: they are written at once. */
async function exchange(client: Socket): Promise<string> {
  const answer = once(client, 'data');
  server.once('request', (_, response) => response.end('ok'));
  client.write(REQUEST);
  return String((await answer)[0]);
}

it('answers once more on a connection that is kept, and says that it closes', async () => {
  const clients = [await keptConnection(), await keptConnection()];
  const { left } = leave(server, patience);
  for (const client of clients) {
    const closed = once(client, 'close');
    expect(await exchange(client)).toMatch(/^HTTP\/1.1 200 .*Connection: close/s);
    await closed;
  }
  await left;
});

it('takes no new connection meanwhile', async () => {
  const { port } = server.address() as AddressInfo;
  await keptConnection();
  leave(server, patience);
  const late = connect(port, '127.0.0.1');
  expect(await once(late, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
});

it('closes what is not used again', async () => {
  const client = await keptConnection();
  const { told, left } = leave(server, patience);
  const closed = once(client, 'close');
  client.resume();
  await told;
  await Promise.all([closed, left]);
});

it('closes it at once for whoever is in a hurry', async () => {
  const client = await keptConnection();
  const { left } = leave(server, patience);
  client.resume();
  patience.end();
  await left;
});

it('does not touch a request under way', async () => {
  const client = await keptConnection();
  client.write(REQUEST);
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const { told } = leave(server, patience);
  patience.end();
  await told;
  const answer = once(client, 'data');
  response.end('ok');
  expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 200 .*Connection: close/s);
});
