import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeLineSeparators } from './line-separators.js';

describe('escapeLineSeparators', () => {
  it('writes U+0085, U+2028 and U+2029 as escapes and leaves the value as it was', () => {
    const text = JSON.stringify({ 'k\u2028': 'a\u2028b\u2029c\u0085d\u2027' });
    expect(escapeLineSeparators(text)).toBe('{"k\\u2028":"a\\u2028b\\u2029c\\u0085d\u2027"}');
    expect(JSON.parse(escapeLineSeparators(text))).toEqual(JSON.parse(text));
  });

  it('returns text without them unchanged', () => {
    const text = '{"a":"é\\u2028 🙂\\\\"}';
    expect(escapeLineSeparators(text)).toBe(text);
  });

  it('keeps any value and leaves no line separator, not even after an escaped backslash', () => {
    const text = fc
      .array(fc.constantFrom('\u2028', '\u2029', '\u0085', '\\', '"', 'a', '\ud800'))
      .map((parts) => JSON.stringify(parts.join('')));
    fc.assert(
      fc.property(text, (json) => {
        expect(JSON.parse(escapeLineSeparators(json))).toBe(JSON.parse(json));
        expect(escapeLineSeparators(json)).not.toMatch(/[\u0085\u2028\u2029]/);
      }),
    );
  });
});
