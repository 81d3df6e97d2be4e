/**
 * Reads the envelope of a modern request, `params._meta`: what the client says about itself on every single request.
 * Tells only whether it is complete and well-typed; whether the version is served and matches its header comes later.
 */
import { META, PROGRESS_TOKEN_KEY, PROTOCOL_META_PREFIX, TRACE_KEYS } from '../meta-keys.js';
import { isJsonObject, setOwn, type JsonObject } from '../json-object.js';
import { isRequestId } from '../json-rpc.js';

export const MCP_LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type McpLogLevel = (typeof MCP_LOG_LEVELS)[number];

export interface Envelope {
  readonly protocolVersion: string;
  readonly clientCapabilities: JsonObject;
  /** Self-declared and unverified: for display and logs, never for a decision. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Absent: the client wants no log notifications. */
  readonly logLevel?: McpLogLevel;
  /** 0 and the empty string are tokens like any other. */
  readonly progressToken?: string | number;
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
  /** The client's other keys, unchanged; absent when there are none. */
  readonly vendor?: JsonObject;
}

const UNPREFIXED = new Set<string>([PROGRESS_TOKEN_KEY, ...TRACE_KEYS]);
const LOG_LEVELS = new Set<unknown>(MCP_LOG_LEVELS);

/** @returns the envelope, or the full name of the first key that is missing or ill-typed (-32602, HTTP 400). */
export function parseEnvelope(meta: unknown): Envelope | { readonly missing: string } {
  if (!isJsonObject(meta)) return { missing: META.protocolVersion };
  const protocolVersion = meta[META.protocolVersion];
  if (typeof protocolVersion !== 'string') return { missing: META.protocolVersion };
  const clientCapabilities = meta[META.clientCapabilities];
  if (!isJsonObject(clientCapabilities)) return { missing: META.clientCapabilities };

  const envelope: Writable<Envelope> = { protocolVersion, clientCapabilities };
  const illTyped = readOptionalKeys(envelope, meta);
  if (illTyped !== undefined) return { missing: illTyped };
  readTraceContext(envelope, meta);
  const vendor = vendorKeys(meta);
  if (vendor) envelope.vendor = vendor;
  return envelope;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** @returns the first key that is present and not of its type. */
function readOptionalKeys(envelope: Writable<Envelope>, meta: JsonObject): string | undefined {
  const clientInfo = meta[META.clientInfo];
  if (clientInfo !== undefined) {
    if (!isImplementation(clientInfo)) return META.clientInfo;
    envelope.clientInfo = { name: clientInfo.name, version: clientInfo.version };
  }
  const progressToken = meta[PROGRESS_TOKEN_KEY];
  if (progressToken !== undefined) {
    if (!isRequestId(progressToken)) return PROGRESS_TOKEN_KEY;
    envelope.progressToken = progressToken;
  }
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined) {
    if (!isLogLevel(logLevel)) return META.logLevel;
    envelope.logLevel = logLevel;
  }
  return undefined;
}

/** A broken trace context starts a new trace; it never fails a request, so only the type is looked at. */
function readTraceContext(envelope: Writable<Envelope>, meta: JsonObject): void {
  for (const key of TRACE_KEYS) {
    const value = meta[key];
    if (typeof value === 'string') envelope[key] = value;
  }
}

function vendorKeys(meta: JsonObject): JsonObject | undefined {
  let vendor: Record<string, unknown> | undefined;
  for (const key of Object.keys(meta)) {
    if (key.startsWith(PROTOCOL_META_PREFIX) || UNPREFIXED.has(key)) continue;
    vendor ??= {};
    setOwn(vendor, key, meta[key]);
  }
  return vendor;
}

function isImplementation(value: unknown): value is { name: string; version: string } {
  return isJsonObject(value) && typeof value.name === 'string' && typeof value.version === 'string';
}

function isLogLevel(value: unknown): value is McpLogLevel {
  return LOG_LEVELS.has(value);
}
