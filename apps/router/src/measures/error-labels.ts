/** `error_type` of both operation histograms (OBS-3): bounded, whatever callers send and workers say. */
import type { CallReply, WorkerErrorCode } from '@roundhouse/contracts';
import type { RoundhouseError } from '@roundhouse/errors';

/** Codes that blame the caller's own request are no errors of the operation. */
const CLIENT_CODES = new Set([-32700, -32600, -32601, -32602, -32002]);
const CANCELLED = 'cancelled';
const UNAVAILABLE = 'unavailable';

export function serverErrorType(error: RoundhouseError | undefined, isToolError: boolean): string {
  if (error === undefined) return isToolError ? 'tool_error' : '';
  if (error.reason === 'client_gone') return CANCELLED;
  const { rpcCode } = error.row;
  return CLIENT_CODES.has(rpcCode) ? '' : String(rpcCode);
}

/** Nobody was answered who went away. */
export function statusCodeOf(error: RoundhouseError | undefined): string {
  return error === undefined || error.reason === 'client_gone' ? '' : String(error.row.rpcCode);
}

const OF_WORKER: Readonly<Record<WorkerErrorCode, string>> = {
  unknown_target: '',
  resource_not_found: '',
  invalid_params: '',
  missing_capability: '-32021',
  flow_changed: '-32603',
  too_many_rounds: '-32603',
  cancelled: CANCELLED,
  draining: UNAVAILABLE,
  failed: '-32603',
};

/** How a call of a worker ended: it replied, or failed before it could. */
export interface CallEnd {
  readonly answered: CallReply | undefined;
  readonly failure: RoundhouseError | undefined;
}

export function clientErrorType({ answered, failure }: CallEnd): string {
  if (answered !== undefined) return answered.kind === 'error' ? OF_WORKER[answered.code] : toolError(answered);
  switch (failure?.code) {
    case 'deadline_exceeded':
      return 'timeout';
    case 'worker_lost':
      return 'connection_lost';
    case 'worker_unavailable':
      return UNAVAILABLE;
    case 'worker_failed':
      return 'malformed_reply';
    default:
      return CANCELLED;
  }
}

export function isToolError(reply: CallReply | undefined): boolean {
  return reply?.kind === 'complete' && reply.body.endsWith(TOOL_ERROR_END);
}

/** The result's last member, where worker-kit writes it: a result is never parsed here, and may be large. */
const TOOL_ERROR_END = ',"isError":true}';

function toolError(reply: CallReply): string {
  return isToolError(reply) ? 'tool_error' : '';
}
