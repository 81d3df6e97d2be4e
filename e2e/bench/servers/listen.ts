/** Where a server of the benchmark listens: on loopback, at the port that its first argument names. */
import type { Server } from 'node:http';

export function listen(server: Server): void {
  server.listen(Number(process.argv[2]), '127.0.0.1');
  process.once('SIGTERM', () => process.exit(0));
}
