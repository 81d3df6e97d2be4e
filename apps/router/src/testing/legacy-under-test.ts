/** A client of 2025 for the router's own tests: reads its call's stream as it comes, and answers on other connections. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { RouterUnderTest, RpcBody } from './router-under-test.js';

export interface LegacyReplyUnderTest {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly messages: RpcBody[];
  readonly eventIds: string[];
  /** The next message that fits, now or later. */
  next(fits: (message: RpcBody) => boolean): Promise<RpcBody>;
  readonly ended: Promise<void>;
  close(): void;
}

export interface LegacyTerms {
  readonly principal?: string;
  readonly revision?: string;
  readonly capabilities?: object;
}

export class LegacyUnderTest {
  private lastId = 0;

  constructor(
    private readonly router: RouterUnderTest,
    readonly sessionId: string,
    private readonly terms: LegacyTerms,
  ) {}

  static async begin(router: RouterUnderTest, terms: LegacyTerms = {}): Promise<LegacyUnderTest> {
    const { revision: protocolVersion = '2025-11-25', capabilities = { elicitation: {} } } = terms;
    const params = { protocolVersion, capabilities, clientInfo: { name: 'c', version: '1' } };
    const before = new LegacyUnderTest(router, '', terms);
    const reply = await before.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await reply.ended;
    return new LegacyUnderTest(router, String(reply.headers['mcp-session-id']), terms);
  }

  as(principal: string): LegacyUnderTest {
    return new LegacyUnderTest(this.router, this.sessionId, { ...this.terms, principal });
  }

  /** Resolves with the head of the reply. `message` undefined sends no body, by `verb`. */
  send(
    message: unknown,
    headers: Record<string, string | undefined> = {},
    verb = 'POST',
  ): Promise<LegacyReplyUnderTest> {
    const { principal, revision = '2025-11-25' } = this.terms;
    const all = {
      ...{ host: '127.0.0.1', accept: 'application/json, text/event-stream' },
      ...(message !== undefined && { 'content-type': 'application/json' }),
      ...(this.sessionId !== '' && { 'mcp-session-id': this.sessionId, 'mcp-protocol-version': revision }),
      ...(principal !== undefined && { 'x-roundhouse-principal': principal }),
      ...headers,
    };
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.router.port, path: '/mcp', method: verb, agent: false };
      const request = httpRequest({ ...options, headers: Object.fromEntries(kept) }, (response) => {
        const reading = new Reading();
        response.setEncoding('utf8').on('data', (chunk: string) => reading.take(chunk));
        const ended = new Promise<void>((done) => response.once('close', () => (reading.end(), done())));
        const { statusCode: status = 0, headers: head } = response;
        resolve(reading.toReply({ status, headers: head, ended, close: () => request.destroy() }));
      });
      request.on('error', reject);
      request.end(message === undefined ? undefined : JSON.stringify(message));
    });
  }

  request(method: string, params: object = {}, id: string | number = ++this.lastId): Promise<LegacyReplyUnderTest> {
    return this.send({ jsonrpc: '2.0', id, method, params });
  }

  tool(name: string, params: object = {}): Promise<LegacyReplyUnderTest> {
    return this.request('tools/call', { name, arguments: {}, ...params });
  }

  answer({ id }: RpcBody, result: object): Promise<LegacyReplyUnderTest> {
    return this.send({ jsonrpc: '2.0', id, result });
  }
}

export const isQuestion = ({ id, method }: RpcBody): boolean => id !== undefined && method !== undefined;
export const isResponse = ({ result, error }: RpcBody): boolean => result !== undefined || error !== undefined;

class Reading {
  private text = '';
  private isOver = false;
  private waiting: (() => void)[] = [];

  take(chunk: string): void {
    this.text += chunk;
    this.wake();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  toReply(head: Pick<LegacyReplyUnderTest, 'status' | 'headers' | 'ended' | 'close'>): LegacyReplyUnderTest {
    const messages = (): RpcBody[] => this.messages(head.headers['content-type'] === 'text/event-stream');
    const ids = (): string[] => [...this.text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id);
    const next = async (fits: (message: RpcBody) => boolean): Promise<RpcBody> => {
      for (;;) {
        const found = messages().find(fits);
        if (found !== undefined) return found;
        if (this.isOver) throw new Error(`the reply ended without it: ${this.text}`);
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
    };
    return {
      ...head,
      next,
      get messages() {
        return messages();
      },
      get eventIds() {
        return ids();
      },
    };
  }

  private messages(isStream: boolean): RpcBody[] {
    if (!isStream) return this.isOver && this.text !== '' ? [JSON.parse(this.text) as RpcBody] : [];
    const lines = this.text.split('\n').slice(0, -1);
    return lines.filter((line) => /^data: ./.test(line)).map((line) => JSON.parse(line.slice(6)) as RpcBody);
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
