/**
 * How an HTTP server leaves (HLM-12): it stops listening, tells whoever still reads an answer not to reuse the
 * connection, and closes connections as they become idle. What is under way is not touched.
 */
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';

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

/** Resolves when the last connection is closed. */
export async function leave(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS).unref();
  // Idle connections are closed with it.
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}
