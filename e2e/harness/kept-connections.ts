/**
 * The connections of a client that keeps them. Each is opened to whoever is next in turn then, and stays with that peer
 * until the peer says that it closes: what a Service of Kubernetes does to a client in the cluster.
 */
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';

/** So many that no request waits for one, and so few that at 100 requests a second each is used more than once in it. */
const CONNECTIONS_MAX = 64;

export class KeptConnections extends Agent {
  constructor(private readonly nextPort: () => number) {
    // In turn, so that none is left alone for long.
    super({ keepAlive: true, scheduling: 'fifo', maxSockets: CONNECTIONS_MAX });
  }

  override createConnection(): Socket {
    return connect(this.nextPort(), '127.0.0.1');
  }
}
