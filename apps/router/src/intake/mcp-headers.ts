/**
 * Header rules of a modern request (protocol section H): collected once from the raw list, because Node joins repeated
 * fields and a joined value could pass for a single one.
 */
import type { IncomingMessage } from 'node:http';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { HEADER_VALUE_BYTES_MAX, decodeHeaderValue, nameParamOf, type Envelope } from '@roundhouse/protocol';
import type { McpHeaders } from './exchange.js';

const PREFIX = 'mcp-';
export const VERSION_HEADER = 'mcp-protocol-version';

export function collectMcpHeaders(request: IncomingMessage): McpHeaders {
  const { rawHeaders } = request;
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] as string;
    if (raw.length < 5 || (raw.charCodeAt(0) | 0x20) !== 0x6d) continue;
    const name = raw.toLowerCase();
    if (!name.startsWith(PREFIX)) continue;
    const value = rawHeaders[at + 1] as string;
    if (headers.has(name)) throw mismatch('header_repeated', `${name} appears more than once`);
    if (value.length > HEADER_VALUE_BYTES_MAX) throw mismatch('header_malformed', `${name} is too long`);
    headers.set(name, value);
  }
  return headers;
}

/** Ladder steps 6: the version and method headers, where present, must say what the body says. */
export function assertHeadersAgree(headers: McpHeaders, method: string, envelope: Envelope): void {
  const version = headers.get(VERSION_HEADER);
  if (version !== undefined && version.trim() !== envelope.protocolVersion) {
    throw mismatch('header_differs', 'MCP-Protocol-Version does not match the body');
  }
  const named = headers.get('mcp-method');
  if (named !== undefined && decodeHeaderValue(named) !== method) {
    throw mismatch('header_differs', 'Mcp-Method does not match the body');
  }
}

/** Ladder step 8: what must be there is there, and Mcp-Name says what the body says. */
export function assertHeadersComplete(
  headers: McpHeaders,
  method: string,
  params: Readonly<Record<string, unknown>>,
): void {
  if (!headers.has(VERSION_HEADER)) throw mismatch('header_missing', 'MCP-Protocol-Version is required');
  if (!headers.has('mcp-method')) throw mismatch('header_missing', 'Mcp-Method is required');
  const param = nameParamOf(method);
  if (param === undefined) return;
  const named = headers.get('mcp-name');
  if (named === undefined) throw mismatch('header_missing', 'Mcp-Name is required');
  const value = decodeHeaderValue(named);
  if (value === undefined) throw mismatch('header_malformed', 'Mcp-Name is malformed');
  // A body without the name is malformed params, which is a later step's answer; it still differs from the header.
  if (value !== params[param]) throw mismatch('header_differs', `Mcp-Name does not match params.${param}`);
}

export function mismatch(reason: Reason, detail: string): RoundhouseError {
  return new RoundhouseError('header_mismatch', { reason, detail });
}
