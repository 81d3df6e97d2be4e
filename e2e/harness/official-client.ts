/**
 * The official MCP client (SDK v2), pinned to the modern revision, as an outside judge: it negotiates, fulfils asks and
 * echoes state by its own code.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { REVISION } from './mcp-request.js';

export type SampleParams = CreateMessageRequest['params'];

export interface OfficialClientOptions {
  readonly url: string;
  readonly principal: string;
  /** What it sends through, instead of Node's own. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** How the person answers a form. */
  readonly answer: (question: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>;
  /** What the person does with an address; without it the client opens none. */
  readonly open?: (question: ElicitRequestURLParams) => ElicitResult | Promise<ElicitResult>;
  /** What its model says; without it the client has none. */
  readonly sample?: (params: SampleParams) => CreateMessageResult | Promise<CreateMessageResult>;
  /** URIs; without them the client names no roots. */
  readonly roots?: readonly string[];
}

export async function connectOfficialClient(options: OfficialClientOptions): Promise<Client> {
  const { url, principal, answer, open, sample, roots, ...transport } = options;
  const client = new Client(
    { name: 'roundhouse-e2e', version: '0.1.0' },
    {
      capabilities: {
        elicitation: { form: {}, ...(open && { url: {} }) },
        ...(sample && { sampling: {} }),
        ...(roots && { roots: {} }),
      },
      versionNegotiation: { mode: { pin: REVISION } },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) =>
    params.mode === 'url' && open !== undefined
      ? open(params as ElicitRequestURLParams)
      : answer(params as ElicitRequestFormParams),
  );
  if (sample) client.setRequestHandler('sampling/createMessage', ({ params }) => sample(params));
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: roots.map((uri) => ({ uri })) }));
  const requestInit = { headers: { 'x-roundhouse-principal': principal } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { ...transport, requestInit }));
  return client;
}

/** Text of a tool's result, whatever its content blocks. */
export function textOf(result: { readonly content?: unknown }): string {
  const blocks = Array.isArray(result.content) ? (result.content as { readonly text?: string }[]) : [];
  return blocks.map(({ text = '' }) => text).join('\n');
}
