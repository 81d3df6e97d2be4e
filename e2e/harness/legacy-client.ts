/**
 * The official clients as they speak to servers of 2025: version 1 of the SDK, and version 2 without its modern revision.
 * Where their requests go is decided one by one, so that an answer need not reach the router that asked.
 */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type CreateMessageResult,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Json } from './mcp-request.js';

export const LEGACY_CLIENTS = ['v1', 'v2'] as const;
export type LegacyClientKind = (typeof LEGACY_CLIENTS)[number];

/** What a request is about, as far as it decides where it goes. */
export interface Leg {
  readonly verb: string;
  /** Undefined for an answer and for whatever has no body. */
  readonly method: string | undefined;
  readonly isAnswer: boolean;
}

export interface LegacyClientOptions {
  readonly kind: LegacyClientKind;
  readonly principal: string;
  /** Port of the router that gets this request. */
  readonly portFor: (leg: Leg) => number;
  readonly answer: (fields: readonly string[]) => Json;
  /** Without it the client opens no addresses. */
  readonly open?: (url: string) => Json | Promise<Json>;
  readonly sample?: Json;
  readonly roots?: readonly string[];
  readonly onProgress?: (progress: number) => void;
}

export interface LegacyClient {
  readonly sdk: ClientV1 | ClientV2;
  /** Ends the session, and not the client. */
  endSession(): Promise<void>;
  /** Text of the result. */
  call(name: string, args: Json): Promise<{ readonly text: string; readonly isError: boolean }>;
  listTools(): Promise<readonly string[]>;
  readonly revision: string | undefined;
  close(): Promise<void>;
}

interface Question {
  readonly params: {
    readonly mode?: string;
    readonly url?: string;
    readonly requestedSchema?: { readonly properties: object };
  };
}

const INFO = { name: 'roundhouse-e2e', version: '0.1.0' };

export async function connectLegacyClient(options: LegacyClientOptions): Promise<LegacyClient> {
  const { kind, principal, portFor, open, sample, roots } = options;
  const capabilities = {
    elicitation: { form: {}, ...(open && { url: {} }) },
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
  const url = new URL('http://127.0.0.1/mcp');
  const fetchThere = (to: string | URL, init?: RequestInit): Promise<Response> => {
    const there = new URL(to);
    there.port = String(portFor(legOf(init)));
    return fetch(there, init);
  };
  const transport = { fetch: fetchThere, requestInit: { headers: { 'x-roundhouse-principal': principal } } };
  const client = kind === 'v1' ? new ClientV1(INFO, { capabilities }) : new ClientV2(INFO, { capabilities });
  answerBy(client, options);
  if (client instanceof ClientV1) {
    const line = new TransportV1(url, transport);
    await client.connect(line);
    return toLegacyClient(client, () => line.terminateSession());
  }
  const line = new TransportV2(url, transport);
  await client.connect(line);
  return toLegacyClient(client, () => line.terminateSession());
}

function answerBy(client: ClientV1 | ClientV2, { answer, open, sample, roots }: LegacyClientOptions): void {
  const elicit = async ({ params }: Question): Promise<ElicitResult> =>
    (params.mode === 'url' && open !== undefined
      ? await open(params.url ?? '')
      : answer(Object.keys(params.requestedSchema?.properties ?? {}))) as ElicitResult;
  const rootList = { roots: (roots ?? []).map((uri) => ({ uri })) };
  if (client instanceof ClientV1) {
    client.setRequestHandler(ElicitRequestSchema, (request) => elicit(request as Question));
    if (sample) client.setRequestHandler(CreateMessageRequestSchema, () => sample as CreateMessageResult);
    if (roots) client.setRequestHandler(ListRootsRequestSchema, () => rootList);
    return;
  }
  client.setRequestHandler('elicitation/create', (request) => elicit(request as Question));
  if (sample) client.setRequestHandler('sampling/createMessage', () => sample as CreateMessageResult);
  if (roots) client.setRequestHandler('roots/list', () => rootList);
}

function toLegacyClient(client: ClientV1 | ClientV2, endSession: () => Promise<void>): LegacyClient {
  return {
    ...{ sdk: client, endSession },
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: { ...args } });
      const blocks = Array.isArray(result.content) ? (result.content as readonly { readonly text?: string }[]) : [];
      return { text: blocks.map(({ text = '' }) => text).join('\n'), isError: result.isError === true };
    },
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    get revision() {
      return client instanceof ClientV2 ? client.getNegotiatedProtocolVersion() : undefined;
    },
    close: () => client.close(),
  };
}

function legOf(init: RequestInit | undefined): Leg {
  const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Json) : {};
  const { method } = body;
  return {
    verb: init?.method ?? 'GET',
    method: typeof method === 'string' ? method : undefined,
    isAnswer: method === undefined && ('result' in body || 'error' in body),
  };
}
