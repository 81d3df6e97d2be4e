/**
 * How an HTTP server leaves (HLM-12): it stops listening, tells whoever reads an answer not to reuse the connection, and
 * closes those that nobody uses any more. What is under way is not touched.
 */
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Patience } from './patience.js';

/**
 * A kept connection that is closed meets the request that its client sends at that moment. Whoever uses it more often than
 * this is told with an answer instead.
 */
const USED_WITHIN_MS = 2_000;

/** A connection whose stream ended carries no word about closing: it is closed this soon after. */
const SWEEP_EVERY_MS = 100;

interface ListeningSocket {
  readonly server?: { readonly listening: boolean };
}

/** Says `Connection: close` once its server stopped listening, whoever writes the answer. */
export class LeavingResponse extends ServerResponse<IncomingMessage> {
  override writeHead(...args: readonly unknown[]): this {
    if ((this.socket as ListeningSocket | null)?.server?.listening === false) this.shouldKeepAlive = false;
    return super.writeHead(...(args as Parameters<ServerResponse['writeHead']>)) as this;
  }
}

export interface Leaving {
  /** Resolves when kept connections had their time to be told. */
  readonly told: Promise<void>;
  /** Resolves when no connection is left. */
  readonly left: Promise<void>;
}

export function leave(server: Server, patience: Patience): Leaving {
  // What an HTTP server adds to it is to close what is idle at once.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  const told = patience.wait(USED_WITHIN_MS, closed);
  return { told, left: told.then(() => closeIdle(server, closed)) };
}

async function closeIdle(server: Server, closed: Promise<void>): Promise<void> {
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS).unref();
  await closed;
  clearInterval(sweep);
}
