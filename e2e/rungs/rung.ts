/** Requests that differ from a good one in exactly one place, and what they are answered. */
import { REVISION, toHttp, type Json, type McpCall } from '../harness/mcp-request.js';
import type { HeaderList, RawRequest } from '../harness/raw-client.js';

export interface Rung {
  readonly rule: string;
  readonly request: Omit<RawRequest, 'port'>;
  readonly status: number;
  /** JSON-RPC error code; absent: a result, or no body at all. */
  readonly code?: number;
  readonly data?: Json;
  /** The id in the error; absent: the error has none. */
  readonly id?: string | number;
}

export const ID = 'rung';
export const LIST: McpCall = { method: 'tools/list', id: ID };
export const ECHO: McpCall = {
  method: 'tools/call',
  id: ID,
  params: { name: 'echo', arguments: { message: 'hello' } },
};

/** Headers laid over those of the good request: undefined removes one, a list repeats it. */
export type HeaderChanges = Readonly<Record<string, string | readonly string[] | undefined>>;

export function spoiled(
  call: McpCall,
  changes: { readonly headers?: HeaderChanges; readonly body?: string | Buffer },
): Rung['request'] {
  const good = toHttp(call);
  return { headers: overlay(good.headers, changes.headers ?? {}), body: changes.body ?? good.body };
}

/** The good request with another envelope; its version header says what the envelope says where that is a string. */
export function enveloped(meta: unknown, headers: HeaderChanges = {}): Rung['request'] {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ID, method: 'tools/list', params: { _meta: meta } });
  return spoiled(LIST, { body, headers });
}

/** A message in place of the good one, under the good one's headers. */
export function message(value: unknown): Rung['request'] {
  return spoiled(LIST, { body: typeof value === 'string' ? value : JSON.stringify(value) });
}

export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
} as const;

export function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function overlay(good: HeaderList, changes: HeaderChanges): HeaderList {
  const names = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as const),
  );
  return [...good.filter(([name]) => !names.has(name.toLowerCase())), ...added];
}

type Verdict = readonly [status: number, code: number];

/** Refused before there was an id that could be read. */
export function unread(rule: string, request: Rung['request'], [status, code]: Verdict): Rung {
  return { rule, request, status, code };
}

export function refused(rule: string, request: Rung['request'], verdict: Verdict): Rung {
  return { ...unread(rule, request, verdict), id: ID };
}
