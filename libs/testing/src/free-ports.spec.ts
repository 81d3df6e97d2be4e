import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { findFreePort, findFreePorts } from './free-ports.js';

describe('free ports', () => {
  it('differ, can be listened on, and are none that the kernel gives to connections', async () => {
    const ports = await findFreePorts(20);
    expect(new Set(ports).size).toBe(20);
    for (const port of ports) {
      expect(port).toBeLessThan(32_768);
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      await once(server.close(), 'close');
    }
  });

  it('do not include one that somebody listens on', async () => {
    const port = await findFreePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await findFreePorts(50)).not.toContain(port);
    await once(server.close(), 'close');
  });
});
