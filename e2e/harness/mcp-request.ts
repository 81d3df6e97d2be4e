/**
 * One MCP 2026-07-28 request as headers and bytes, and the reply to it as JSON-RPC messages. Written by hand from the
 * protocol's text, so that it shares no mistake with the router or with an SDK.
 */
import assert from 'node:assert/strict';
import { sendRaw, type HeaderList, type RawReply } from './raw-client.js';

export const REVISION = '2026-07-28';

const KEY = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const;

/** The parameter that the Mcp-Name header repeats. */
const NAME_PARAM: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export type Json = Readonly<Record<string, unknown>>;

export interface McpCall {
  readonly method: string;
  /** Without `_meta`. */
  readonly params?: Json;
  readonly id?: string | number;
  /** Absent: anonymous. */
  readonly principal?: string;
  /** Default: forms can be answered. */
  readonly capabilities?: Json;
  /** Further `_meta` keys. */
  readonly meta?: Json;
  /** Added last. */
  readonly headers?: HeaderList;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

export interface McpResult extends Json {
  readonly resultType: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: Json }>>;
  readonly requestState?: string;
}

export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: McpResult;
  readonly error?: RpcError;
}

export interface McpReply extends RawReply {
  /** Notifications before the response. */
  readonly notifications: readonly RpcMessage[];
  readonly response: RpcMessage;
}

let lastId = 0;

/** Ids need only differ among one sender's open requests; these differ over a whole run, so that a trace can be searched. */
export function nextId(): string {
  lastId += 1;
  return `e2e-${lastId}`;
}

export function toHttp(call: McpCall): { readonly headers: HeaderList; readonly body: string } {
  const {
    method,
    params = {},
    id = nextId(),
    principal,
    capabilities = { elicitation: { form: {} } },
    meta,
    headers = [],
  } = call;
  const name = params[NAME_PARAM[method] ?? ''];
  const envelope = { [KEY.version]: REVISION, [KEY.capabilities]: capabilities, ...meta };
  return {
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
      ['MCP-Protocol-Version', REVISION],
      ['Mcp-Method', method],
      ...(typeof name === 'string' ? [['Mcp-Name', name] as const] : []),
      ...(principal === undefined ? [] : [['X-Roundhouse-Principal', principal] as const]),
      ...headers,
    ],
  };
}

export async function sendMcp(port: number, call: McpCall): Promise<McpReply> {
  return toReply(await sendRaw({ port, ...toHttp(call) }));
}

/** Splits a reply into its messages; fails when it is not exactly one response, last. */
export function toReply(raw: RawReply): McpReply {
  const messages = toMessages(raw);
  const response = messages.at(-1);
  assert.ok(response !== undefined, `a JSON-RPC message in ${raw.status} ${JSON.stringify(raw.text)}`);
  assert.ok('result' in response || 'error' in response, `a response last, not ${JSON.stringify(response)}`);
  const notifications = messages.slice(0, -1);
  for (const { method } of notifications) assert.match(method ?? '', /^notifications\//);
  return { ...raw, notifications, response };
}

export function toMessages({ headers, text }: Pick<RawReply, 'headers' | 'text'>): RpcMessage[] {
  if (headers['content-type']?.startsWith('text/event-stream') === true) return toEvents(text);
  return text === '' ? [] : [JSON.parse(text) as RpcMessage];
}

/** Complete events of a stream, each of which holds one message on one `data:` line. */
export function toEvents(text: string): RpcMessage[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => line.startsWith('data:'));
    assert.ok(lines.length <= 1, 'one data line an event');
    return lines.map((line) => JSON.parse(line.slice('data:'.length)) as RpcMessage);
  });
}

export function resultOf({ response }: McpReply): McpResult {
  assert.ok(response.result !== undefined, `a result, not ${JSON.stringify(response.error)}`);
  return response.result;
}

export function errorOf({ response }: McpReply): RpcError {
  assert.ok(response.error !== undefined, `an error, not ${JSON.stringify(response.result)}`);
  return response.error;
}
