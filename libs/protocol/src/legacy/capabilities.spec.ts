import { describe, expect, it } from '@jest/globals';
import { legacyCapabilities } from './capabilities.js';
import { LEGACY_REVISIONS, isLegacyRevision } from './revisions.js';

const EVERYTHING = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
  tasks: {},
  experimental: { anything: {} },
};

describe('what an older client can be asked', () => {
  it.each([
    ['2025-11-25', { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }],
    ['2025-06-18', { elicitation: { form: {} }, sampling: {}, roots: {} }],
    ['2025-03-26', { sampling: {}, roots: {} }],
  ] as const)('in %s is what that revision knows, whatever else is declared', (revision, kept) => {
    expect(legacyCapabilities(EVERYTHING, revision)).toEqual(kept);
  });

  it.each([
    ['an empty declaration means forms', {}, { form: {} }],
    ['form alone', { form: {} }, { form: {} }],
    ['url alone means no forms', { url: {} }, { url: {} }],
    ['a mode that is no object is none', { url: true }, { form: {} }],
  ])('of elicitation: %s', (_rule, elicitation, kept) => {
    expect(legacyCapabilities({ elicitation }, '2025-11-25')).toEqual({ elicitation: kept });
  });

  it.each([
    ['null', null],
    ['true', true],
    ['a list', []],
    ['a text', 'yes'],
  ])('is nothing where %s stands instead of an object', (_what, value) => {
    const declared = { elicitation: value, sampling: value, roots: value };
    for (const revision of LEGACY_REVISIONS) expect(legacyCapabilities(declared, revision)).toEqual({});
  });

  it('takes nothing from a prototype', () => {
    const declared = JSON.parse('{"__proto__":{"roots":{}}}') as Record<string, unknown>;
    expect(legacyCapabilities(declared, '2025-11-25')).toEqual({});
  });
});

describe('a revision', () => {
  it.each(['2024-11-05', '2026-07-28', '2025-11-26', '', ' 2025-11-25', 20251125, undefined, null])(
    'is none of ours: %p',
    (value) => expect(isLegacyRevision(value)).toBe(false),
  );
});
