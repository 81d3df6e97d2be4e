/** An open subscriptions/listen stream of one router, as its messages arrive. */
import { RawStream, type HeaderList } from './raw-client.js';
import { nextId, toEvents, toHttp, type Json, type RpcMessage } from './mcp-request.js';
import { until } from './until.js';

const MESSAGE_WITHIN_MS = 3_000;

export interface ListenOptions {
  readonly notifications: Json;
  readonly id?: string | number;
  readonly headers?: HeaderList;
}

export class ListenStream {
  private constructor(
    readonly id: string | number,
    readonly stream: RawStream,
  ) {}

  /** Resolves with the head of the reply, before any message. */
  static async open(
    port: number,
    { notifications, id = nextId(), headers = [] }: ListenOptions,
  ): Promise<ListenStream> {
    const call = { method: 'subscriptions/listen', params: { notifications }, id, headers, capabilities: {} };
    return new ListenStream(id, await RawStream.open({ port, ...toHttp(call) }));
  }

  get messages(): RpcMessage[] {
    return toEvents(this.stream.received);
  }

  /** The first message that fits, now or soon. */
  await(what: string, fits: (message: RpcMessage) => boolean): Promise<RpcMessage> {
    return until(() => this.messages.find(fits), { what, withinMs: MESSAGE_WITHIN_MS });
  }

  awaitMethod(method: string): Promise<RpcMessage> {
    return this.await(method, (message) => message.method === method);
  }

  /** Comment lines, which carry nothing but the sign that the line is alive. */
  get comments(): number {
    return this.stream.received.split('\n').filter((line) => line.startsWith(':')).length;
  }

  close(): void {
    this.stream.close();
  }
}
