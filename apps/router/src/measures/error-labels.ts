/** `error_type` of both operation histograms (OBS-3): bounded, whatever callers send and workers say. */
import type { CallReply } from '@roundhouse/contracts';
import type { RoundhouseError } from '@roundhouse/errors';
import { CANCELLED, TOOL_ERROR, WORKER_ERROR_LABELS } from '@roundhouse/telemetry';

/** Codes that blame the caller's own request are no errors of the operation. */
const CLIENT_CODES = new Set([-32700, -32600, -32601, -32602, -32002]);

export function serverErrorType(error: RoundhouseError | undefined, isToolError: boolean): string {
  if (error === undefined) return isToolError ? TOOL_ERROR : '';
  if (error.reason === 'client_gone') return CANCELLED;
  const { rpcCode } = error.row;
  return CLIENT_CODES.has(rpcCode) ? '' : String(rpcCode);
}

/** Nobody was answered who went away. */
export function statusCodeOf(error: RoundhouseError | undefined): string {
  return error === undefined || error.reason === 'client_gone' ? '' : String(error.row.rpcCode);
}

/** How a call of a worker ended: it replied, or failed before it could. */
export interface CallEnd {
  readonly answered: CallReply | undefined;
  readonly failure: RoundhouseError | undefined;
}

export function clientErrorType({ answered, failure }: CallEnd): string {
  if (answered?.kind === 'error') return WORKER_ERROR_LABELS[answered.code][0];
  if (answered !== undefined) return isToolError(answered) ? TOOL_ERROR : '';
  switch (failure?.code) {
    case 'deadline_exceeded':
      return 'timeout';
    case 'worker_lost':
      return 'connection_lost';
    case 'worker_unavailable':
      return WORKER_ERROR_LABELS.draining[0];
    case 'worker_failed':
      return 'malformed_reply';
    default:
      return CANCELLED;
  }
}

export function isToolError(reply: CallReply | undefined): boolean {
  return reply?.kind === 'complete' && reply.isError === true;
}
