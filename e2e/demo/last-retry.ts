/** Remembers the last request that carried a state, to send it again as a client does whose reply was lost on the way. */
import { textOf } from '../harness/official-client.js';

interface Sent {
  readonly url: string | URL;
  readonly init: RequestInit;
  readonly body: { readonly method?: string; readonly params?: { readonly requestState?: string } };
}

export class LastRetry {
  /** Rounds so far: calls of a tool, with and without a state. */
  sent = 0;
  private last: Sent | undefined;

  /** What the client sends through. */
  readonly fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Sent['body']) : {};
    if (body.method === 'tools/call') this.sent += 1;
    if (body.params?.requestState !== undefined) this.last = { url, init, body };
    return fetch(url, init);
  };

  /** Text of the result; undefined when nothing was ever retried. */
  async sendAgain(): Promise<string | undefined> {
    if (this.last === undefined) return undefined;
    const { url, init, body } = this.last;
    const { signal: _, ...rest } = init;
    this.sent += 1;
    const response = await fetch(url, { ...rest, body: JSON.stringify({ ...body, id: 'once more' }) });
    const { result = {}, error } = (await response.json()) as {
      result?: { readonly resultType?: string; readonly content?: unknown };
      error?: { message: string };
    };
    if (result.resultType === 'input_required') return 'The same question, with a state of its own.';
    return error?.message ?? textOf(result);
  }
}
