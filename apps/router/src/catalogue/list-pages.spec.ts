import { describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { ListPages } from './list-pages.js';

const options = { pageSize: 2, ttlMs: 1_000, meta: '{}' };
const entries = ['{"name":"a"}', '{"name":"b"}', '{"name":"c"}', '{"name":"d"}', '{"name":"e"}'];

interface Page {
  resultType: string;
  tools: { name: string }[];
  nextCursor?: string;
  ttlMs: number;
  cacheScope: string;
}
const read = (pages: ListPages, cursor?: unknown): Page => JSON.parse(pages.page(cursor).toString()) as Page;

describe('ListPages', () => {
  it('walks through all entries in order, once each', () => {
    const pages = new ListPages('tools', entries, options);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = read(pages, cursor);
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('says the same scope on every page', () => {
    const pages = new ListPages('tools', entries, options);
    const first = read(pages);
    expect([first.cacheScope, read(pages, first.nextCursor).cacheScope]).toEqual(['private', 'private']);
  });

  it('is an empty page, not an error, when nothing is offered', () => {
    expect(read(new ListPages('tools', [], options))).toEqual({
      resultType: 'complete',
      tools: [],
      ttlMs: 1_000,
      cacheScope: 'private',
      _meta: {},
    });
  });

  it('gives the same cursors on every replica that has the same entries', () => {
    expect(read(new ListPages('tools', entries, options)).nextCursor).toBe(
      read(new ListPages('tools', entries, options)).nextCursor,
    );
  });

  it('refuses a cursor of a list that has changed since', () => {
    const old = read(new ListPages('tools', entries, options)).nextCursor;
    expect(() => new ListPages('tools', entries.slice(1), options).page(old)).toThrow(RoundhouseError);
  });

  const { hash } = new ListPages('tools', entries, options);
  it.each([
    null,
    0,
    1,
    {},
    [],
    '',
    'x',
    hash,
    `${hash}.`,
    `${hash}.0`,
    `${hash}.3`,
    `${hash}.-1`,
    `${hash}.1.1`,
    `${hash}.1 `,
    `${hash}.0x1`,
    `${hash}.1e0`,
    `${hash}.9999999`,
    `${hash.toUpperCase()}.1x`,
  ])('refuses cursor %j', (cursor) => {
    expect(() => new ListPages('tools', entries, options).page(cursor)).toThrow('Invalid cursor');
  });
});
