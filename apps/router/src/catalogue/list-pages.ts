/**
 * List results as bytes, ready to be sent: joined from the workers' own JSON text when the catalogue changes, never per
 * request. A cursor names the catalogue it belongs to; it carries no secret and no right, so it is not sealed.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { RoundhouseError } from '@roundhouse/errors';

export interface ListPagesOptions {
  readonly pageSize: number;
  readonly ttlMs: number;
  /** JSON text of the result's `_meta`. */
  readonly meta: string;
}

export class ListPages {
  /** SHA-256 over the entries, shortened: equal lists have equal cursors on every replica. */
  readonly hash: string;
  private readonly pages: readonly Buffer[];

  /** `member` is the result's array name; `entries` are JSON texts in their final order. */
  constructor(member: string, entries: readonly string[], options: ListPagesOptions) {
    this.hash = createHash('sha256').update(entries.join('\n')).digest('base64url').slice(0, 16);
    const pages: Buffer[] = [];
    for (let at = 0; at === 0 || at < entries.length; at += options.pageSize) {
      const next = at + options.pageSize < entries.length ? `"nextCursor":"${this.cursor(pages.length + 1)}",` : '';
      const items = entries.slice(at, at + options.pageSize).join(',');
      pages.push(
        Buffer.from(
          `{"resultType":"complete","${member}":[${items}],${next}"ttlMs":${options.ttlMs},"cacheScope":"private","_meta":${options.meta}}`,
        ),
      );
    }
    this.pages = pages;
  }

  /** `cursor` is the client's, untrusted; undefined asks for the first page. */
  page(cursor: unknown): Buffer {
    if (cursor === undefined) return this.pages[0] as Buffer;
    const match = typeof cursor === 'string' ? /^([A-Za-z0-9_-]{16})\.(\d{1,6})$/.exec(cursor) : null;
    const page = match !== null && match[1] === this.hash ? this.pages[Number(match[2])] : undefined;
    if (page === undefined || Number(match?.[2]) === 0) throw new RoundhouseError('invalid_cursor');
    return page;
  }

  private cursor(page: number): string {
    return `${this.hash}.${page}`;
  }
}
