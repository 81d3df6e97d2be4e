/**
 * A wire to one port that breaks: each connection through it is dropped, both ways, once so many bytes of the answer have
 * passed. Up to there every byte passes as it is.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  /** @param drawBytes how much of the answer passes, drawn for each connection */
  static async start(toPort: number, drawBytes: () => number): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.pass(client, connect(toPort, '127.0.0.1'), drawBytes()));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.open) socket.destroy();
    if (this.server.listening) await once(this.server, 'close');
  }

  private pass(client: Socket, server: Socket, bytes: number): void {
    let left = bytes;
    const drop = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.open.add(socket);
      socket.once('close', () => {
        this.open.delete(socket);
        drop();
      });
      socket.on('error', drop);
    }
    client.pipe(server);
    server.on('data', (chunk: Buffer) => {
      const passed = chunk.subarray(0, left);
      left -= passed.length;
      client.write(passed, () => {
        if (left === 0) drop();
      });
    });
  }
}
