import { describe, expect, it } from '@jest/globals';
import { legacyAskParams } from './asks.js';
import { LEGACY_REVISIONS } from './revisions.js';

const form = (properties: object, required?: string[]) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Which?',
    requestedSchema: { type: 'object', properties, ...(required && { required }) },
  },
});
const url = { method: 'elicitation/create', params: { mode: 'url', message: 'Open it', url: 'https://example.org/x' } };
const TITLED = [
  { const: 'a', title: 'First' },
  { const: 'b', title: 'Second' },
];

const flat = (properties: object): unknown => {
  const made = legacyAskParams(form(properties), '2025-06-18', 'e1');
  return 'params' in made ? (made.params?.['requestedSchema'] as { properties: unknown }).properties : made.refused;
};

describe('an ask for an older client', () => {
  it('is the same form in 2025-11-25', () => {
    const ask = form({ a: { type: 'array', items: { anyOf: TITLED } } }, ['a']);
    expect(legacyAskParams(ask, '2025-11-25', 'e1')).toEqual({ params: ask.params });
  });

  it('by url gets an id in 2025-11-25, and is refused before', () => {
    expect(legacyAskParams(url, '2025-11-25', 'e1')).toEqual({ params: { ...url.params, elicitationId: 'e1' } });
    for (const revision of ['2025-06-18', '2025-03-26'] as const)
      expect(legacyAskParams(url, revision, 'e1')).toEqual({ refused: expect.stringContaining('by url') });
  });

  it('names no mode in 2025-06-18', () => {
    expect(legacyAskParams(form({ a: { type: 'string' } }, ['a']), '2025-06-18', 'e1')).toEqual({
      params: {
        message: 'Which?',
        requestedSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      },
    });
  });

  it('spells titled options the old way in 2025-06-18', () => {
    expect(flat({ a: { type: 'string', title: 'A', oneOf: TITLED, default: 'b' } })).toEqual({
      a: { type: 'string', title: 'A', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
    });
  });

  it('keeps names that stand beside their values, and the default of a boolean alone', () => {
    const named = { type: 'string', enum: ['a'], enumNames: ['First'] };
    expect(flat({ named, sure: { type: 'boolean', default: true }, n: { type: 'integer', default: 3 } })).toEqual({
      named,
      sure: { type: 'boolean', default: true },
      n: { type: 'integer' },
    });
  });

  it.each([
    ['values', { type: 'array', items: { type: 'string', enum: ['a'] } }],
    ['titled values', { type: 'array', items: { anyOf: TITLED } }],
  ])('is refused in 2025-06-18 when it offers a choice of several %s', (_what, field) => {
    expect(flat({ fine: { type: 'string' }, several: field })).toBe(
      'its revision has no form with a choice of several, as "several" is',
    );
  });

  it('is refused in 2025-03-26 when it is a form', () => {
    expect(legacyAskParams(form({}), '2025-03-26', 'e1')).toEqual({ refused: 'its revision has no forms' });
  });

  it.each(LEGACY_REVISIONS)('that is no elicitation is the same in %s', (revision) => {
    const params = { messages: [], maxTokens: 1 };
    expect(legacyAskParams({ method: 'sampling/createMessage', params }, revision, 'e1')).toEqual({ params });
    expect(legacyAskParams({ method: 'roots/list' }, revision, 'e1')).toEqual({ params: undefined });
  });

  it('keeps a field called __proto__ a field', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"}}') as object;
    expect(Object.keys(flat(properties) as object)).toEqual(['__proto__']);
  });
});
