import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyJson, spaced } from '../test/json-arbitraries.js';
import { canonicalJson } from './canonical-json.js';

/** The same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

const canonicalText = (text: string) => canonicalJson(JSON.parse(text));

describe('canonicalJson', () => {
  it('orders keys by UTF-16 code units, as the example of RFC 8785 section 3.2.3 has it', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(text).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
  });

  it('writes values as the example of RFC 8785 section 3.2.2 has it', () => {
    const text =
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
    expect(canonicalText(text)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it.each([
    ['{"a":1,"b":{"d":2,"c":3}}', '{ "b" : {"c":3 ,"d":2}, "a":1 }'],
    ['{"a":1}', '{"a":1.0}'],
    ['[100,-0,0.1]', '[1e2,0,1e-1]'],
    ['"\\u0041\\/"', '"A/"'],
    ['{"2":0,"10":0}', '{"10":0,"2":0}'],
    ['{"a":1,"a":2}', '{"a":2}'],
  ])('gives %s and %s one text', (left, right) => {
    expect(canonicalText(left)).toBe(canonicalText(right));
  });

  it.each([
    ['{"amount":1}', '{"amount":1000}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['{"a":[]}', '{"a":{}}'],
    ['[1,2]', '[2,1]'],
    ['["a","b"]', '["a,b"]'],
    ['["a\\",\\"b"]', '["a","b"]'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
    ['{"a":1e999}', '{"a":null}'],
    ['{"a":1e999}', '{"a":-1e999}'],
    ['{"a":1e999}', '{"a":1e308}'],
    ['{"__proto__":{"admin":true}}', '{}'],
    ['{"a":"é"}', '{"a":"e\\u0301"}'],
    ['"\\ud83d"', '"\\ufffd"'],
    ['true', '"true"'],
  ])('tells %s from %s', (left, right) => {
    expect(canonicalText(left)).not.toBe(canonicalText(right));
  });

  it('keeps own members named __proto__ and constructor and pollutes nothing [B66]', () => {
    const text = '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}';
    expect(canonicalText(text)).toBe(text);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it('keeps a lone surrogate as an escape, the same each time [B64]', () => {
    expect(canonicalText('{"a":"\\udc00","\\ud83d":"x\\ud83d y"}')).toBe('{"a":"\\udc00","\\ud83d":"x\\ud83d y"}');
  });

  it.each([64, 1_000])('survives %i levels [B67]', (levels) => {
    const text = `${'{"a":'.repeat(levels)}[1]${'}'.repeat(levels)}`;
    expect(canonicalText(text)).toBe(text);
  });

  it('leaves out members that are undefined', () => {
    expect(canonicalJson({ b: undefined, a: 1, c: undefined })).toBe('{"a":1}');
  });

  it.each([[undefined], [() => 1], [Symbol('s')], [1n], [Number.NaN], [[undefined]]])(
    'throws for what JSON cannot hold: %p',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    },
  );

  it('does not depend on the order of keys, on whitespace or on spelling', () => {
    fc.assert(
      fc.property(anyJson, fc.infiniteStream(fc.nat(7)), (value, choices) => {
        const canonical = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(canonical);
        expect(canonicalText(spaced(value, choices))).toBe(canonical);
        expect(canonicalText(canonical)).toBe(canonical);
      }),
    );
  });

  it('loses nothing: the text parses back to the value, so two values never share one', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
