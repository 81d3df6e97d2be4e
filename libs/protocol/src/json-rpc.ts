/** JSON-RPC 2.0 as MCP narrows it: which ids a request may carry, and every code that may answer it. */

export type RequestId = string | number;

/** A string or an integer, never null (basic/index). Integers that a double cannot hold exactly could not be echoed. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** JSON-RPC 2.0 section 5.1, and the codes that MCP 2026-07-28 adds. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;
