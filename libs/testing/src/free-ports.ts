/**
 * Loopback ports that nobody uses now, from below the range in which the kernel looks for one when a connection is opened:
 * a server that stops and starts again must find its port as it left it.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const FIRST = 10_000;
/** Linux gives out 32,768 and above (ip_local_port_range). */
const END = 32_768;
const ATTEMPTS_MAX = 200;

export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

/** All are held until the last is known, so that no two are the same. */
export async function findFreePorts(count: number): Promise<number[]> {
  const held: [number, Server][] = [];
  for (let attempt = 0; held.length < count; attempt += 1) {
    if (attempt === ATTEMPTS_MAX + count) throw new Error('no free port was found');
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    // Taken, or the other half of a cluster's bus: another one will do.
    const isHeld = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isHeld) held.push([port, server]);
  }
  await Promise.all(held.map(([, server]) => once(server.close(), 'close')));
  return held.map(([port]) => port);
}
