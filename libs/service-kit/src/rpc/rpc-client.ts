/**
 * One connection to one endpoint. Nest's TCP client with our socket; calls are callbacks instead of Observables, which
 * spares the hot path about a dozen objects per call. Leaves choosing, retrying and deadlines to its owner.
 */
import { once } from 'node:events';
import { TLSSocket, connect as connectTls } from 'node:tls';
import { ClientTCP, type TcpSocket, type WritePacket } from '@nestjs/microservices';
import { PendingTable } from '../pending-table.js';
import { formatAddress, type Address } from './address.js';
import { FramedSocket } from './framed-socket.js';
import type { TlsIdentity } from './tls-identity.js';

/** How long a TCP connection may take to open. Inside one cluster a healthy peer answers within milliseconds. */
export const RPC_CONNECT_TIMEOUT_MS = 2_000;

/** What arrives for one request: an item, an error, or the end. */
export type OnPacket = (packet: WritePacket) => void;

export interface RpcClientTls {
  readonly identity: TlsIdentity;
  /** What the peer's certificate must be made out to: endpoints are known by address, services by name. */
  readonly serverName: string;
}

export class RpcClient extends ClientTCP {
  readonly address: string;
  private readonly pending = new PendingTable<OnPacket>();
  private lastError: Error | undefined;
  /** All that wait for a connection wait for the same one. */
  private connecting: Promise<void> | undefined;

  constructor(
    address: Address,
    private readonly tls?: RpcClientTls,
  ) {
    // With TLS Nest leaves connecting to the socket, which `createSocket` makes with the identity of that moment.
    super({ ...address, socketClass: FramedSocket, ...(tls !== undefined && { tlsOptions: {} }) });
    this.address = formatAddress(address);
  }

  get isConnected(): boolean {
    if (this.socket === null) return false;
    const { netSocket } = this.socket;
    return netSocket.readyState === 'open' && (this.tls === undefined || (netSocket as TLSSocket).authorized);
  }

  /** Rejects when no connection could be opened, when it was closed meanwhile, or when its peer is not who it should be. */
  async ready(): Promise<void> {
    if (this.isConnected) return;
    const connecting = (this.connecting ??= this.connectNow());
    try {
      await connecting;
    } finally {
      if (this.connecting === connecting) this.connecting = undefined;
    }
  }

  private async connectNow(): Promise<void> {
    const connecting = this.connect();
    const { socket } = this;
    const timer = setTimeout(
      () => socket?.netSocket.destroy(new Error('connect timed out')),
      RPC_CONNECT_TIMEOUT_MS,
    ).unref();
    try {
      await Promise.race([connecting, this.closed()]);
      await this.secured();
    } catch (error) {
      // Nest gives what became of this try to whoever tries again before the socket has told its end.
      if (this.socket === socket) this.handleClose();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends a request on an open connection; `onPacket` is called for each item until one carries `isDisposed` or `err`.
   * The function returned forgets the request: later packets are dropped.
   */
  open(pattern: string, data: object, onPacket: OnPacket): () => void {
    const id = this.pending.add(onPacket);
    try {
      if (!this.isConnected) throw new Error('Not connected');
      (this.socket as FramedSocket).sendMessage({ pattern, data, id });
    } catch (err) {
      this.pending.delete(id);
      onPacket({ err, isDisposed: true });
    }
    return () => this.pending.delete(id);
  }

  /** One request, one answer. Rejects with the peer's error, with `Connection closed`, or after `timeoutMs`. */
  async ask(pattern: string, data: object, timeoutMs: number): Promise<unknown> {
    if (!this.isConnected) await this.ready();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        forget();
        reject(new RpcTimeout(pattern, timeoutMs));
      }, timeoutMs);
      const forget = this.open(pattern, data, ({ err, response }) => {
        clearTimeout(timer);
        forget?.();
        if (err) reject(err instanceof Error ? err : new RpcRefusal(err));
        else resolve(response);
      });
    });
  }

  /** Fire and forget; silently nothing when there is no connection, because its calls died with it. */
  notify(pattern: string, data: object): void {
    if (this.isConnected) void this.dispatchEvent({ pattern, data });
  }

  /** Ends every pending request with `Connection closed`; nothing that still waits to be sent matters then. */
  override close(): void {
    const netSocket = this.socket?.netSocket;
    super.close();
    netSocket?.destroy();
  }

  override async handleResponse(packet: unknown): Promise<void> {
    const { id, err, response, isDisposed } = packet as Omit<WritePacket, 'id'> & { readonly id: number };
    const onPacket = this.pending.get(id);
    if (onPacket === undefined) return;
    const ends = isDisposed === true || err !== undefined;
    if (ends) this.pending.delete(id);
    onPacket({ err, response, isDisposed: ends });
  }

  override handleClose(): void {
    super.handleClose();
    this.connecting = undefined;
    const pending = this.pending.values();
    this.pending.clear();
    const err = new Error('Connection closed', { cause: this.lastError });
    this.lastError = undefined;
    for (const onPacket of pending) onPacket({ err, isDisposed: true });
  }

  /** Connection errors reach every pending call through `close`; logging each here would only repeat them. */
  override handleError(error: Error): void {
    this.lastError = error;
  }

  override createSocket(): TcpSocket {
    if (this.tls === undefined) return super.createSocket();
    const { identity, serverName: servername } = this.tls;
    const { host, port } = this;
    return new FramedSocket(connectTls({ ...identity.material, host, port, servername, minVersion: 'TLSv1.3' }));
  }

  /** Rejects when the socket of now is closed: Nest lets those wait who wait for a connection that is given up. */
  private closed(): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.socket?.netSocket.once('close', () => reject(this.lastError ?? new Error('Connection closed')));
    });
  }

  /** A TLS socket is connected before it knows its peer. */
  private async secured(): Promise<void> {
    const netSocket = this.socket?.netSocket;
    if (!(netSocket instanceof TLSSocket) || netSocket.authorized) return;
    if (netSocket.destroyed) throw this.lastError ?? new Error('Connection closed');
    await once(netSocket, 'secureConnect');
  }
}

/** The peer answered with an error of its own (an RpcException or an unknown pattern). */
export class RpcRefusal extends Error {
  constructor(readonly detail: unknown) {
    super('the peer refused the request');
  }
}

export class RpcTimeout extends Error {
  constructor(pattern: string, timeoutMs: number) {
    super(`${pattern} was not answered within ${timeoutMs} ms`);
  }
}
