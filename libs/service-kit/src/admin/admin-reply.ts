/** One answer of the admin port. Nothing of it is ever kept by a cache or guessed at by a browser. */
import type { ServerResponse } from 'node:http';

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export interface AdminReplyParts {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class AdminReply {
  constructor(private readonly parts: AdminReplyParts) {}

  get type(): string {
    return this.parts.type ?? 'text/plain';
  }

  get body(): string {
    return this.parts.body;
  }

  /** What a page shows: as it stands, or as JSON. */
  static of(shown: unknown): AdminReply {
    if (shown instanceof AdminReply) return shown;
    return new AdminReply({ type: 'application/json', body: `${JSON.stringify(shown)}\n` });
  }

  write(response: ServerResponse, headOnly: boolean): void {
    const { type, body } = this;
    const { status = 200, headers } = this.parts;
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...ALWAYS,
      ...headers,
    });
    response.end(headOnly ? undefined : body);
  }
}
