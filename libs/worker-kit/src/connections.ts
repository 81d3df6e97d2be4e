/**
 * Which calls came over which connection, so that a call can be cancelled by its id and all calls of a connection that
 * closes are. Ids are unique per router process only, so they are never looked up across connections.
 */
import { ReplaySubject } from 'rxjs';

/** What is needed of the transport's socket. */
export interface SocketLike {
  on(event: 'close', listener: () => void): unknown;
  readonly netSocket?: { readonly destroyed: boolean };
}

/** A call that takes its time, and what ends its reply early. */
export interface PendingCall {
  readonly callId: string;
  readonly cancel: () => void;
  /** Where its connection keeps it. */
  place: number;
}

export class Connection {
  /** Without order or gaps. Not a Map: one whose entries come and go with calls kept what they held alive, 40 µs a call. */
  private readonly calls: PendingCall[] = [];
  /** Replays, so that what begins on a closed connection ends at once. */
  readonly closed = new ReplaySubject<void>(1);
  isClosed = false;

  add(callId: string, cancel: () => void): PendingCall {
    const call = { callId, cancel, place: this.calls.length };
    this.calls.push(call);
    return call;
  }

  /** Once for each that was added: the last call takes its place. */
  remove({ place }: PendingCall): void {
    const last = this.calls.pop() as PendingCall;
    if (last.place === place) return;
    last.place = place;
    this.calls[place] = last;
  }

  /** Looks through all of them: cancelling is rare, and calls are at most as many as the worker runs at once. */
  cancel(callId: string): void {
    this.calls.find((call) => call.callId === callId)?.cancel();
  }

  close(): void {
    this.isClosed = true;
    for (const call of [...this.calls]) call.cancel();
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
