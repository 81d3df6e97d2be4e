/**
 * One MCP request to one router, whatever stands in front of all of them: it is reached by its own address and asked as
 * the public one.
 */
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { META, MODERN_REVISION, encodeHeaderValue, nameParamOf } from '@roundhouse/protocol';

/** Above what a call may take by default before a router gives up, in milliseconds. */
const REPLY_TIMEOUT_MS = 70_000;
/** Of one reply: a page of a list with hundreds of tools is far below. */
const REPLY_CHARS_MAX = 4 * 1024 * 1024;

export interface McpResult {
  readonly resultType?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly isError?: boolean;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly result: McpResult | undefined;
  readonly errorCode: number | undefined;
}

export interface RouterClientOptions {
  /** `host:port` of the router's MCP port. */
  readonly address: string;
  readonly url: URL;
  readonly token: string | undefined;
}

export class RouterClient {
  readonly address: string;
  private lastId = 0;

  constructor(private readonly options: RouterClientOptions) {
    this.address = options.address;
  }

  async send(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    const { address, url, token } = this.options;
    this.lastId += 1;
    const name = params[nameParamOf(method) ?? ''];
    const envelope = {
      [META.protocolVersion]: MODERN_REVISION,
      [META.clientCapabilities]: { elicitation: { form: {} } },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: this.lastId, method, params: { ...params, _meta: envelope } });
    const headers = {
      host: url.host,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN_REVISION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const target = `http://${address}${url.pathname}`;
    const outgoing = request(target, {
      method: 'POST',
      headers,
      agent: false,
      signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
    });
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).on('error', reject);
      outgoing.end(body);
    });
    return toReply(response, await readText(response));
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > REPLY_CHARS_MAX) throw new Error('the reply is too large');
  }
  return text;
}

function toReply({ statusCode: status = 0, headers }: IncomingMessage, text: string): Reply {
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  const messages = isStream ? text.split('\n').filter((line) => line.startsWith('data:')) : [`data:${text}`];
  const message = parsed(messages.at(-1)?.slice('data:'.length) ?? '');
  return { status, headers, result: message.result, errorCode: message.error?.code };
}

/** Nothing for what is no JSON-RPC response, such as the page of a proxy. */
function parsed(text: string): { readonly result?: McpResult; readonly error?: { readonly code: number } } {
  try {
    return (JSON.parse(text) as ReturnType<typeof parsed> | null) ?? {};
  } catch {
    return {};
  }
}
