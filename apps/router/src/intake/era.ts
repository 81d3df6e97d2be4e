/**
 * Which era a request belongs to, decided by its envelope and header, never by its method name (K.1). Where older clients
 * are not served, they are told which versions are.
 */
import { RoundhouseError } from '@roundhouse/errors';
import {
  META,
  MODERN_REVISION,
  SERVED_REVISIONS,
  isJsonObject,
  ownMember,
  parseEnvelope,
  type Envelope,
} from '@roundhouse/protocol';
import type { McpHeaders } from './exchange.js';
import { VERSION_HEADER, mismatch } from './mcp-headers.js';
import { isResponse, type Message } from './message.js';

/**
 * Whether the body is an older client's: no envelope, no header of the modern revision. A notification says so by its
 * session alone, since modern clients send some without an envelope.
 */
export function isLegacyBody(value: unknown, headers: McpHeaders): boolean {
  const header = headers.get(VERSION_HEADER);
  if (header !== undefined && isModern(header)) return false;
  if (Array.isArray(value)) return value.length > 0 && !value.some(hasEnvelope);
  if (isResponse(value)) return true;
  if (!isJsonObject(value) || typeof value['method'] !== 'string' || hasEnvelope(value)) return false;
  return Object.hasOwn(value, 'id') || headers.has('mcp-session-id');
}

function hasEnvelope(message: unknown): boolean {
  const params = isJsonObject(message) ? message['params'] : undefined;
  const meta = isJsonObject(params) ? ownMember(params, '_meta') : undefined;
  return isJsonObject(meta) && Object.hasOwn(meta, META.protocolVersion);
}

export function assertModern({ method, params }: Message, headers: McpHeaders): Envelope {
  if (params !== undefined && !isJsonObject(params))
    throw new RoundhouseError('invalid_request', { reason: 'body_not_a_message', detail: 'params must be an object' });
  const meta = params === undefined ? undefined : ownMember(params, '_meta');
  if (!isJsonObject(meta) || !Object.hasOwn(meta, META.protocolVersion)) assertNotLegacy(method, params, headers);
  const envelope = parseEnvelope(meta);
  if ('missing' in envelope) throw new RoundhouseError('meta_incomplete', { detail: envelope.missing });
  return envelope;
}

export function assertServed(version: string): void {
  if ((SERVED_REVISIONS as readonly string[]).includes(version)) return;
  throw unsupported(version);
}

/** Without an envelope, a legacy version in the header or an `initialize` shows an older client (A-30, K-06). */
function assertNotLegacy(
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
  headers: McpHeaders,
): void {
  const header = headers.get(VERSION_HEADER);
  if (header !== undefined && !isModern(header)) throw unsupported(header);
  if (header !== undefined && method === 'initialize')
    throw mismatch('header_differs', 'MCP-Protocol-Version does not match initialize');
  if (header === undefined && method === 'initialize') throw unsupported(String(params?.['protocolVersion'] ?? 'none'));
}

/** Revisions are dates; everything before the first served one is legacy. */
function isModern(version: string): boolean {
  return version.trim() >= MODERN_REVISION;
}

function unsupported(requested: string): RoundhouseError {
  return new RoundhouseError('unsupported_version', {
    data: { supported: SERVED_REVISIONS, requested: requested.slice(0, 64) },
  });
}
