/**
 * The official MCP client (SDK v2), pinned to the modern revision, as an outside judge: it negotiates, fulfils asks and
 * echoes state by its own code.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  type ElicitRequestFormParams,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { REVISION } from './mcp-request.js';

export interface OfficialClientOptions {
  readonly url: string;
  readonly principal: string;
  /** What it sends through, instead of Node's own. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** How the person answers. */
  readonly answer: (question: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>;
}

export async function connectOfficialClient(options: OfficialClientOptions): Promise<Client> {
  const { url, principal, answer, ...transport } = options;
  const client = new Client(
    { name: 'roundhouse-e2e', version: '0.1.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: REVISION } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => answer(params as ElicitRequestFormParams));
  const requestInit = { headers: { 'x-roundhouse-principal': principal } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { ...transport, requestInit }));
  return client;
}

/** Text of a tool's result, whatever its content blocks. */
export function textOf(result: { readonly content?: unknown }): string {
  const blocks = Array.isArray(result.content) ? (result.content as { readonly text?: string }[]) : [];
  return blocks.map(({ text = '' }) => text).join('\n');
}
