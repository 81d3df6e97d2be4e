/** A client of 2025 written by hand, of any of its revisions, as the compatibility table tries it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LegacySession, textOfResponse, type LegacyStream } from '../legacy-session.js';
import { nextId, type Json, type RpcMessage } from '../mcp-request.js';
import { until } from '../until.js';
import type { BegunCall, ClientOptions, Heard, MatrixClient } from './matrix-client.js';
import { CAPABILITIES, Person } from './person.js';
import { PRINCIPAL } from './matrix-client.js';

const MESSAGE_WITHIN_MS = 10_000;

export class HandClient implements MatrixClient {
  private readonly person: Person;
  private readonly streams: LegacyStream[] = [];
  private changes: LegacyStream | undefined;

  private constructor(
    private readonly session: LegacySession,
    private readonly options: ClientOptions,
  ) {
    this.person = new Person(options);
  }

  static async begin(revision: string, options: ClientOptions): Promise<HandClient> {
    const terms = { principal: PRINCIPAL, revision, capabilities: CAPABILITIES };
    return new HandClient(await LegacySession.begin(options.port, terms), options);
  }

  async listTools(): Promise<readonly string[]> {
    const { result } = await this.session.request(this.options.port, 'tools/list');
    return (result?.['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);
  }

  begin(tool: string, args: Json = {}): BegunCall {
    const id = nextId();
    const text = this.run(id, { name: tool, arguments: args });
    text.catch(() => undefined);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
    return { text, cancel: async () => void (await this.session.post(this.options.port, cancelled)) };
  }

  async setLogLevel(level: 'info'): Promise<void> {
    await this.session.request(this.options.port, 'logging/setLevel', { level });
  }

  async follow(uri: string): Promise<void> {
    const { port } = this.options;
    this.changes = await this.session.listen(port);
    await this.session.request(port, 'resources/subscribe', { uri });
  }

  async heard(): Promise<Heard> {
    const all = [...this.streams, ...(this.changes ? [this.changes] : [])].flatMap(({ messages }) => messages);
    const of = (name: string): RpcMessage[] => all.filter(({ method }) => method === `notifications/${name}`);
    return {
      logs: of('message').length,
      listChanges: of('tools/list_changed').length,
      updates: of('resources/updated').map(({ params }) => String(params?.['uri'])),
    };
  }

  async endSession(): Promise<void> {
    await this.session.end(this.options.port);
  }

  async close(): Promise<void> {
    this.changes?.close();
    for (const stream of this.streams) stream.close();
  }

  private async run(id: string, params: Json): Promise<string> {
    const { port } = this.options;
    let stream = await this.session.stream(port, { id, method: 'tools/call', params });
    for (;;) {
      this.streams.push(stream);
      const response = await this.read(id, stream);
      if (response !== undefined) return textOfResponse(response);
      const last = stream.eventIds.at(-1);
      if (last === undefined) throw new Error('the line was lost, and there is no way back');
      const [, retryMs = '0'] = /^retry: (\d+)$/m.exec(stream.raw.received) ?? [];
      await sleep(Number(retryMs));
      stream = await this.session.listen(port, [['Last-Event-ID', last]]);
    }
  }

  /** Answers what is asked, until the response; undefined when the line ends before. */
  private async read(id: string, stream: LegacyStream): Promise<RpcMessage | undefined> {
    for (let at = 0; ; at += 1) {
      const next = (): RpcMessage | 'ended' | undefined =>
        messagesOf(stream)[at] ?? (stream.raw.hasEnded ? 'ended' : undefined);
      const message = await until(next, { what: 'a message or the end', withinMs: MESSAGE_WITHIN_MS });
      if (message === 'ended') return undefined;
      if (message.method === undefined && message.id === id) return message;
      if (message.method !== undefined && message.id !== undefined) {
        const answer = await this.person.answer(message.method, message.params ?? {});
        await this.session.answer(this.options.port, message, answer);
      }
    }
  }
}

function messagesOf(stream: LegacyStream): readonly RpcMessage[] {
  const isStream = stream.raw.headers['content-type']?.startsWith('text/event-stream') === true;
  if (isStream) return stream.messages;
  return stream.raw.hasEnded ? [JSON.parse(stream.raw.received) as RpcMessage] : [];
}
