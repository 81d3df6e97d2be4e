/** The JSON-RPC error object of an error of ours: only its public parts. */
import type { RoundhouseError } from '@roundhouse/errors';
import type { RequestId } from '@roundhouse/protocol';

/** An unreadable id is left out, as the protocol asks. */
export function errorBody(id: RequestId | undefined, error: RoundhouseError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: errorObject(error) });
}

export function errorObject(error: RoundhouseError): { code: number; message: string; data?: unknown } {
  return { code: error.row.rpcCode, message: error.message, data: error.data };
}
