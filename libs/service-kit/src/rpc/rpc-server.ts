/**
 * Nest's TCP server with our socket. Patterns are plain strings here; the stock look-up tries to parse each as JSON and
 * catches the error, which was a third of a worker's CPU per call.
 */
import type { Socket } from 'node:net';
import { TLSSocket, checkServerIdentity, type Server as TlsServer } from 'node:tls';
import { ServerTCP, type MessageHandler } from '@nestjs/microservices';
import type { Address } from './address.js';
import { FramedServerSocket } from './framed-socket.js';
import type { TlsIdentity } from './tls-identity.js';

export interface RpcServerTls {
  readonly identity: TlsIdentity;
  /** Names of callers: a certificate made out to none of them is of a service that has no business here (REP-12). */
  readonly clientNames: readonly string[];
}

export class RpcServer extends ServerTCP {
  constructor(
    { host, port }: Address,
    private readonly tls?: RpcServerTls,
  ) {
    const demands = { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const;
    const tlsOptions = tls && { ...tls.identity.material, ...demands };
    super({ host, port, socketClass: FramedServerSocket, ...(tlsOptions !== undefined && { tlsOptions }) });
    tls?.identity.onRenewed((material) => (this.server as TlsServer).setSecureContext({ ...material, ...demands }));
  }

  override bindHandler(socket: Socket): void {
    if (this.tls !== undefined && !isOneOf(this.tls.clientNames, socket)) socket.destroy();
    else super.bindHandler(socket);
  }

  override close(): void {
    this.tls?.identity.close();
    super.close();
  }

  override getHandlerByPattern(pattern: string): MessageHandler | null {
    return this.messageHandlers.get(pattern) ?? null;
  }
}

function isOneOf(names: readonly string[], socket: Socket): boolean {
  if (!(socket instanceof TLSSocket)) return false;
  const certificate = socket.getPeerCertificate();
  return names.some((name) => checkServerIdentity(name, certificate) === undefined);
}
