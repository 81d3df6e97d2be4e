/**
 * Errors as older revisions know them (K-2): their own code for a missing resource, none of the codes that the modern
 * revision brought, and 404 for nothing but a session that is gone, because a client starts anew when it sees one.
 */
import type { RoundhouseError } from '@roundhouse/errors';
import { errorObject } from '../reply/error-body.js';
import type { ErrorForm } from '../reply/reply.js';

const RESOURCE_NOT_FOUND = -32002;
/** Of 2025-11-25 alone. */
const URL_ELICITATION_REQUIRED = -32042;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;

export const LEGACY_ERRORS: ErrorForm = {
  status: ({ code, row }) =>
    code === 'method_not_found' || code === 'missing_capability' || (row.status === 404 && code !== 'session_refused')
      ? 200
      : row.status,
  body: (id, error) => JSON.stringify({ jsonrpc: '2.0', id, error: { ...errorObject(error), code: codeOf(error) } }),
};

function codeOf({ code, row }: RoundhouseError): number {
  if (code === 'resource_not_found') return RESOURCE_NOT_FOUND;
  if (code === 'url_asked') return URL_ELICITATION_REQUIRED;
  if (code === 'missing_capability') return INTERNAL;
  return row.rpcCode <= -32020 && row.rpcCode >= -32099 ? INVALID_REQUEST : row.rpcCode;
}
