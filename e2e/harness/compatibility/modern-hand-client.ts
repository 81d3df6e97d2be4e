/** A client of 2026-07-28 written by hand, as the compatibility table tries it: each round a request of its own. */
import { ListenStream } from '../listen-stream.js';
import { resultOf, sendMcp, toHttp, toReply, type Json, type McpCall } from '../mcp-request.js';
import { RawStream } from '../raw-client.js';
import { PRINCIPAL, type BegunCall, type ClientOptions, type Heard, type MatrixClient } from './matrix-client.js';
import { CAPABILITIES, Person } from './person.js';

export class ModernHandClient implements MatrixClient {
  private readonly person: Person;
  private logs = 0;
  private meta: Json = {};
  private changes: ListenStream | undefined;

  private constructor(private readonly options: ClientOptions) {
    this.person = new Person(options);
  }

  static async begin(options: ClientOptions): Promise<ModernHandClient> {
    return new ModernHandClient(options);
  }

  async listTools(): Promise<readonly string[]> {
    const { tools } = resultOf(await sendMcp(this.options.port, { method: 'tools/list', principal: PRINCIPAL }));
    return (tools as readonly { readonly name: string }[]).map(({ name }) => name);
  }

  begin(tool: string, args: Json = {}): BegunCall {
    const lines: RawStream[] = [];
    let isGivenUp = false;
    const text = this.run({ name: tool, arguments: args }, (line) => {
      lines.push(line);
      if (isGivenUp) line.close();
    });
    text.catch(() => undefined);
    const cancel = async (): Promise<void> => {
      isGivenUp = true;
      for (const line of lines) line.close();
    };
    return { text, cancel };
  }

  async setLogLevel(level: 'info'): Promise<void> {
    this.meta = { 'io.modelcontextprotocol/logLevel': level };
  }

  async follow(uri: string): Promise<void> {
    const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] };
    this.changes = await ListenStream.open(this.options.port, { notifications });
    await this.changes.awaitMethod('notifications/subscriptions/acknowledged');
  }

  async heard(): Promise<Heard> {
    const told = this.changes?.messages ?? [];
    const updated = told.filter(({ method }) => method === 'notifications/resources/updated');
    return {
      logs: this.logs,
      listChanges: told.filter(({ method }) => method === 'notifications/tools/list_changed').length,
      updates: updated.map(({ params }) => String(params?.['uri'])),
    };
  }

  async endSession(): Promise<void> {}

  async close(): Promise<void> {
    this.changes?.close();
  }

  private async run(params: Json, onLine: (line: RawStream) => void): Promise<string> {
    let round: Json = params;
    for (;;) {
      const call: McpCall = { method: 'tools/call', principal: PRINCIPAL, params: round, capabilities: CAPABILITIES };
      const line = await RawStream.open({ port: this.options.port, ...toHttp({ ...call, meta: this.meta }) });
      onLine(line);
      const reply = toReply({ status: line.status, headers: line.headers, text: await line.rest() });
      this.logs += reply.notifications.filter(({ method }) => method === 'notifications/message').length;
      const { content = [], inputRequests, requestState } = resultOf(reply);
      if (inputRequests === undefined) return content.map(({ text = '' }) => text).join('\n');
      const answers = Object.entries(inputRequests).map(
        async ([key, ask]) => [key, await this.person.answer(ask.method, ask.params ?? {})] as const,
      );
      round = { ...params, requestState, inputResponses: Object.fromEntries(await Promise.all(answers)) };
    }
  }
}
