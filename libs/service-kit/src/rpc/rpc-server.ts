/**
 * Nest's TCP server with our socket. Patterns are plain strings here; the stock look-up tries to parse each as JSON and
 * catches the error, which was a third of a worker's CPU per call.
 */
import { ServerTCP, type MessageHandler } from '@nestjs/microservices';
import type { Address } from './address.js';
import { FramedServerSocket } from './framed-socket.js';

export class RpcServer extends ServerTCP {
  constructor({ host, port }: Address) {
    super({ host, port, socketClass: FramedServerSocket });
  }

  override getHandlerByPattern(pattern: string): MessageHandler | null {
    return this.messageHandlers.get(pattern) ?? null;
  }
}
