/** The official Python client as the compatibility table tries it: a process that is told what to do, line by line. */
import { once } from 'node:events';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Json } from '../mcp-request.js';
import { pythonWithMcp } from '../python-client.js';
import { CASE_ROOTS, CASE_SAMPLE } from '../tool-cases.js';
import { within } from '../until.js';
import { PRINCIPAL, type BegunCall, type ClientOptions, type Heard, type MatrixClient } from './matrix-client.js';

const SESSION = fileURLToPath(new URL('../../clients/python/session.py', import.meta.url));
const ENDED_WITHIN_MS = 10_000;

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

export class PythonClient implements MatrixClient {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private lastId = 0;
  private complaints = '';

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      this.waiting.get(answer.id)?.(answer);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.complaints += chunk));
    child.once('exit', () => {
      for (const [id, settle] of this.waiting) settle({ id, error: `the client has ended: ${this.complaints}` });
    });
  }

  /** @throws NotPresent where there is no such Python */
  static async start(mode: string, { port, action, answers }: ClientOptions): Promise<PythonClient> {
    const client = new PythonClient(spawn(await pythonWithMcp(), [SESSION], { stdio: 'pipe' }));
    const connected = client.answerOf(0);
    client.tell({
      ...{ url: `http://127.0.0.1:${port}/mcp`, principal: PRINCIPAL, mode, action, answers },
      ...{ roots: CASE_ROOTS, sample: CASE_SAMPLE.content.text },
    });
    await connected;
    return client;
  }

  async listTools(): Promise<readonly string[]> {
    return (await this.ask('tools')) as readonly string[];
  }

  begin(tool: string, args: Json = {}): BegunCall {
    const text = this.ask('call', { tool, arguments: args }) as Promise<string>;
    const of = this.lastId;
    text.catch(() => undefined);
    return { text, cancel: async () => void (await this.ask('cancel', { of })) };
  }

  async setLogLevel(level: 'info'): Promise<void> {
    await this.ask('level', { level });
  }

  async follow(uri: string): Promise<void> {
    await this.ask('follow', { uri });
  }

  async heard(): Promise<Heard> {
    return (await this.ask('heard')) as Heard;
  }

  /** The client does so when it is left. */
  async endSession(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.tell({ id: -1, do: 'end' });
    await within(ended, { what: 'the end of the Python client', withinMs: ENDED_WITHIN_MS }).catch(() =>
      child.kill('SIGKILL'),
    );
  }

  private ask(what: string, more: Json = {}): Promise<unknown> {
    this.lastId += 1;
    const answer = this.answerOf(this.lastId);
    this.tell({ id: this.lastId, do: what, ...more });
    return answer;
  }

  private async answerOf(id: number): Promise<unknown> {
    const { result, error } = await new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.waiting.delete(id);
    if (error !== undefined) throw new Error(error);
    return result;
  }

  private tell(line: Json): void {
    this.child.stdin.write(`${JSON.stringify(line)}\n`);
  }
}
