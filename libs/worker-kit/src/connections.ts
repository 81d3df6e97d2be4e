/**
 * Which calls came over which connection, so that a call can be cancelled by its id and all calls of a connection that
 * closes are. Ids are unique per router process only, so they are never looked up across connections.
 */
import { ReplaySubject } from 'rxjs';
import type { Run } from './run.js';

/** What is needed of the transport's socket. */
export interface SocketLike {
  on(event: 'close', listener: () => void): unknown;
  readonly netSocket?: { readonly destroyed: boolean };
}

/** A run and what ends its reply early. */
export interface PendingCall {
  readonly run: Run;
  readonly cancel: () => void;
}

export class Connection {
  readonly calls = new Map<string, PendingCall>();
  /** Replays, so that what begins on a closed connection ends at once. */
  readonly closed = new ReplaySubject<void>(1);
  isClosed = false;

  cancel(callId: string): void {
    this.calls.get(callId)?.cancel();
  }

  close(): void {
    this.isClosed = true;
    for (const call of [...this.calls.values()]) call.cancel();
    this.closed.next();
    this.closed.complete();
  }
}

export class Connections {
  private readonly bySocket = new WeakMap<SocketLike, Connection>();

  of(socket: SocketLike): Connection {
    const known = this.bySocket.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection();
    this.bySocket.set(socket, connection);
    socket.on('close', () => connection.close());
    if (socket.netSocket?.destroyed === true) connection.close();
    return connection;
  }
}
