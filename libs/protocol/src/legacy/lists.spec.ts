import { describe, expect, it } from '@jest/globals';
import { legacyListPage } from './lists.js';
import { LEGACY_REVISIONS } from './revisions.js';

const SCHEMA = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', allOf: [{ required: [] }] };
const TOOL = {
  name: 'read',
  title: 'Read it',
  icons: [{ src: 'data:,' }],
  description: 'Reads.',
  inputSchema: SCHEMA,
  outputSchema: { type: 'object' },
};
const page = (member: string, entries: readonly object[]): string =>
  JSON.stringify({
    ...{ resultType: 'complete', [member]: entries, nextCursor: 'c.1' },
    ...{ ttlMs: 1, cacheScope: 'private', _meta: {} },
  });
const reduce = (entries: readonly object[], revision: (typeof LEGACY_REVISIONS)[number], member = 'tools'): unknown =>
  JSON.parse(legacyListPage(page(member, entries), revision));

describe('a list for an older client', () => {
  it('is the modern one in 2025-11-25, without what only caches read', () => {
    expect(reduce([TOOL], '2025-11-25')).toEqual({ tools: [TOOL], nextCursor: 'c.1' });
  });

  it('has no icons in 2025-06-18', () => {
    const { icons: _icons, ...rest } = TOOL;
    expect(reduce([TOOL], '2025-06-18')).toEqual({ tools: [rest], nextCursor: 'c.1' });
  });

  it('has neither titles nor output schemas in 2025-03-26', () => {
    const kept = { name: 'read', description: 'Reads.', inputSchema: SCHEMA };
    expect(reduce([TOOL], '2025-03-26')).toEqual({ tools: [kept], nextCursor: 'c.1' });
  });

  it.each(LEGACY_REVISIONS)('names no output that is no object in %s', (revision) => {
    for (const outputSchema of [{ type: 'array' }, { anyOf: [] }, true])
      expect(JSON.stringify(reduce([{ ...TOOL, outputSchema }], revision))).not.toContain('outputSchema');
  });

  it('leaves input schemas as they are, a property called title included', () => {
    const inputSchema = { type: 'object', properties: { title: { type: 'string', title: 'T' }, icons: {} } };
    expect(reduce([{ name: 'x', inputSchema }], '2025-03-26')).toMatchObject({ tools: [{ inputSchema }] });
  });

  it('has arguments of prompts without titles where there are none', () => {
    const prompt = { name: 'p', arguments: [{ name: 'a', title: 'A', required: true }, 'odd'] };
    expect(reduce([prompt], '2025-03-26', 'prompts')).toMatchObject({
      prompts: [{ name: 'p', arguments: [{ name: 'a', required: true }, 'odd'] }],
    });
  });
});
