import { describe, expect, it } from '@jest/globals';
import { legacyResult } from './results.js';
import { LEGACY_REVISIONS, type LegacyRevision } from './revisions.js';

const BARE = '{"io.modelcontextprotocol/serverInfo":{"name":"us","version":"1"}}';
const modern = (body: string, meta = BARE): string => `{"resultType":"complete",${body},"_meta":${meta}}`;
const reduce = (body: string, revision: LegacyRevision, meta = BARE): unknown =>
  JSON.parse(legacyResult({ text: modern(body, meta), bareMeta: BARE }, revision));

const TEXT = '"content":[{"type":"text","text":"hi"}]';

describe('a result for an older client', () => {
  it.each(LEGACY_REVISIONS)('has nothing around it in %s', (revision) => {
    expect(legacyResult({ text: modern(TEXT), bareMeta: BARE }, revision)).toBe(`{${TEXT}}`);
  });

  it.each(LEGACY_REVISIONS)('keeps a _meta of the tool in %s', (revision) => {
    expect(reduce(TEXT, revision, '{"com.example/x":1}')).toEqual({
      content: [{ type: 'text', text: 'hi' }],
      _meta: { 'com.example/x': 1 },
    });
  });

  it('loses caching hints and keeps digits that no number holds', () => {
    const read = '"contents":[{"uri":"a:b","text":"9007199254740993"}],"x":9007199254740993';
    const text = modern(`${read},"ttlMs":0,"cacheScope":"private"`);
    expect(legacyResult({ text, bareMeta: BARE }, '2025-11-25')).toBe(`{${read}}`);
  });

  it('keeps hints that only a text speaks of', () => {
    const said = '"content":[{"type":"text","text":"\\"ttlMs\\":1,\\"cacheScope\\":\\"public\\""}]';
    expect(legacyResult({ text: modern(said), bareMeta: BARE }, '2025-11-25')).toBe(`{${said}}`);
  });

  it.each<[string, LegacyRevision, boolean]>([
    ['{"a":1}', '2025-11-25', true],
    ['{"a":1}', '2025-06-18', true],
    ['{"a":1}', '2025-03-26', false],
    ['[1]', '2025-11-25', false],
    ['"x"', '2025-06-18', false],
    ['null', '2025-11-25', false],
  ])('has structuredContent %s in %s: %s', (value, revision, isKept) => {
    const result = reduce(`${TEXT},"structuredContent":${value}`, revision) as object;
    expect('structuredContent' in result).toBe(isKept);
  });

  it('has links as text where there are none', () => {
    const link = '"content":[{"type":"resource_link","uri":"file:///a","name":"A","title":"The A"}]';
    expect(reduce(link, '2025-03-26')).toEqual({ content: [{ type: 'text', text: 'A: file:///a' }] });
    expect(reduce(link, '2025-06-18')).toEqual({
      content: [{ type: 'resource_link', uri: 'file:///a', name: 'A', title: 'The A' }],
    });
  });

  it('has no icons before 2025-11-25, in messages of prompts neither', () => {
    const prompt =
      '"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"b","icons":[{"src":"a:c"}]}}]';
    const without = { type: 'resource_link', uri: 'a:b', name: 'b' };
    expect(reduce(prompt, '2025-06-18')).toEqual({ messages: [{ role: 'user', content: without }] });
    expect(legacyResult({ text: modern(prompt), bareMeta: BARE }, '2025-11-25')).toBe(`{${prompt}}`);
  });
});
