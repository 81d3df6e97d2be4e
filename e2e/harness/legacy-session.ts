/**
 * A client of 2025 written by hand from the protocol's text: every header and byte is the scenario's, and each request goes
 * to the router that the scenario names.
 */
import assert from 'node:assert/strict';
import { RawStream, sendRaw, type HeaderList, type RawReply } from './raw-client.js';
import { nextId, toEvents, toMessages, type Json, type RpcMessage } from './mcp-request.js';
import { until } from './until.js';

const MESSAGE_WITHIN_MS = 5_000;

export interface LegacyOptions {
  readonly principal?: string;
  readonly revision?: string;
  readonly capabilities?: Json;
}

export interface LegacyCall {
  readonly args?: Json;
  readonly id?: string | number;
}

export class LegacySession {
  private constructor(
    readonly id: string,
    readonly revision: string,
    private readonly principal: string | undefined,
  ) {}

  static async begin(
    port: number,
    { principal, revision = '2025-11-25', capabilities = { elicitation: {} } }: LegacyOptions = {},
  ): Promise<LegacySession> {
    const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'by hand', version: '1' } };
    const reply = await sendRaw({
      port,
      headers: headersOf(principal),
      body: JSON.stringify({ jsonrpc: '2.0', id: nextId(), method: 'initialize', params }),
    });
    assert.equal(reply.status, 200, reply.text);
    const negotiated = String((JSON.parse(reply.text) as RpcMessage).result?.['protocolVersion']);
    return new LegacySession(String(reply.headers['mcp-session-id']), negotiated, principal);
  }

  headers(more: HeaderList = []): HeaderList {
    return [
      ...headersOf(this.principal),
      ['Mcp-Session-Id', this.id],
      ['MCP-Protocol-Version', this.revision],
      ...more,
    ];
  }

  /** As somebody else who has got hold of the session's id. */
  as(principal: string): LegacySession {
    return new LegacySession(this.id, this.revision, principal);
  }

  post(port: number, message: unknown): Promise<RawReply> {
    return sendRaw({ port, headers: this.headers(), body: JSON.stringify(message) });
  }

  /** As a client that takes no event streams. */
  postAsJson(port: number, message: unknown): Promise<RawReply> {
    const headers = this.headers().map(
      ([name, value]) => [name, name === 'Accept' ? 'application/json' : value] as const,
    );
    return sendRaw({ port, headers, body: JSON.stringify(message) });
  }

  async request(port: number, method: string, params: Json = {}): Promise<RpcMessage> {
    const reply = await this.post(port, { jsonrpc: '2.0', id: nextId(), method, params });
    const response = toMessages(reply).at(-1);
    assert.ok(response !== undefined, `a response in ${reply.status} ${reply.text}`);
    return response;
  }

  /** The call's own stream, as it comes. */
  call(port: number, name: string, { args = {}, id = nextId() }: LegacyCall = {}): Promise<LegacyStream> {
    return this.stream(port, { id, method: 'tools/call', params: { name, arguments: args } });
  }

  async stream(port: number, request: Json): Promise<LegacyStream> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...request });
    return new LegacyStream(await RawStream.open({ port, headers: this.headers(), body }));
  }

  async listen(port: number, headers: HeaderList = []): Promise<LegacyStream> {
    return new LegacyStream(await RawStream.open({ port, method: 'GET', headers: this.headers(headers) }));
  }

  answer(port: number, question: RpcMessage, result: Json): Promise<RawReply> {
    return this.post(port, { jsonrpc: '2.0', id: question.id, result });
  }

  end(port: number): Promise<RawReply> {
    return sendRaw({ port, method: 'DELETE', headers: this.headers() });
  }
}

export class LegacyStream {
  constructor(readonly raw: RawStream) {}

  get messages(): RpcMessage[] {
    return toEvents(this.raw.received.replaceAll(/^data: *$\n/gm, ''));
  }

  /** Ids of the events, in order. */
  get eventIds(): string[] {
    return [...this.raw.received.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
  }

  await(what: string, fits: (message: RpcMessage) => boolean): Promise<RpcMessage> {
    return until(() => this.messages.find(fits), { what, withinMs: MESSAGE_WITHIN_MS });
  }

  question(method = 'elicitation/create'): Promise<RpcMessage> {
    return this.await(method, (message) => message.method === method);
  }

  response(): Promise<RpcMessage> {
    return this.await('the response', (message) => message.result !== undefined || message.error !== undefined);
  }

  close(): void {
    this.raw.close();
  }
}

export function textOfResponse({ result, error }: RpcMessage): string {
  assert.ok(result !== undefined, `a result, not ${JSON.stringify(error)}`);
  return (result.content ?? []).map(({ text = '' }) => text).join('\n');
}

function headersOf(principal: string | undefined): HeaderList {
  return [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ...(principal === undefined ? [] : [['X-Roundhouse-Principal', principal] as const]),
  ];
}
