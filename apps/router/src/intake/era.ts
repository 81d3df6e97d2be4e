/**
 * Which era a request belongs to, decided by its envelope and header, never by its method name (K.1). Only the modern
 * one is served here; an older client is told which versions are.
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
import { VERSION_HEADER } from './mcp-headers.js';
import type { Message } from './message.js';

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
