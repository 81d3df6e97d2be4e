import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyJson, mutated, parsed, spaced } from '../../test/json-arbitraries.js';
import { scanObject } from './scan-object.js';

const DEPTH_MAX = 64;
const MALFORMED = { verdict: 'malformed', members: [] };

/** The rule in words of JSON.parse: a document, an object, no raw control character. */
function isSpliceable(text: string): boolean {
  const value = parsed(text)?.json;
  // eslint-disable-next-line no-control-regex -- stated here a second time on purpose
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !/[\u0000-\u001f]/.test(text);
}

describe('scanObject', () => {
  it('lists the decoded keys of the outermost object only, duplicates kept', () => {
    const text = ' {"content":[{"type":"text","text":"x"}], "is\\u0045rror" : false,"a":{"b":{}},"a":-1.5e+3} ';
    expect(scanObject(text, DEPTH_MAX)).toEqual({ verdict: 'ok', members: ['content', 'isError', 'a', 'a'] });
    expect(scanObject('{}', DEPTH_MAX)).toEqual({ verdict: 'ok', members: [] });
    expect(scanObject('{ }', DEPTH_MAX)).toEqual({ verdict: 'ok', members: [] });
  });

  it('keeps keys that are dangerous as object members harmless [B66]', () => {
    expect(scanObject('{"__proto__":{"admin":true},"constructor":1}', DEPTH_MAX).members).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it.each([
    '',
    ' ',
    '1',
    'null',
    '"x"',
    '[]',
    '[{}]',
    '{',
    '}',
    '{}{}',
    '{} x',
    '{},',
    '{]',
    '{"a":[}',
    '{"a":[1}',
    '{"a":1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1 "b":2}',
    '{"a":1,,"b":2}',
    '{"a"::1}',
    '{"a":1:2}',
    '{a:1}',
    "{'a':1}",
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1 2]}',
    '{"a":[1:2]}',
    '{1:2}',
    '{"a":{"b"}}',
    '{"a":tru}',
    '{"a":truefalse}',
    '{"a":True}',
    '{"a":nul}',
    '{"a":undefined}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":01}',
    '{"a":-}',
    '{"a":-01}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":+1}',
    '{"a":0x1}',
    '{"a":1_0}',
    '{"a":"x}',
    '{"a":"x\\"}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":"\\u12g4"}',
    '{"a":"\\',
    '{\\"a":1}',
    '{"a":\\"b"}',
    '{"a":1\\}',
    '{"a":1}//',
    '{"a":/**/1}',
    '\uFEFF{}',
    '{\u00a0}',
    '{\u2028}',
  ])('refuses %j', (text) => {
    expect(isSpliceable(text)).toBe(false);
    expect(scanObject(text, DEPTH_MAX)).toEqual(MALFORMED);
  });

  it.each(['{\n}', '{"a":\t1}', '{"a":1}\r\n', '{"a":"x\ny"}', '{"a":"\u0000"}', '{"\u001f":1}'])(
    'refuses the raw control character in %j, which would end an SSE line',
    (text) => {
      expect(scanObject(text, DEPTH_MAX)).toEqual(MALFORMED);
    },
  );

  it.each([
    '{"a":"\\n\\u000a"}',
    '{"a":"\u007f\u0085\u2028"}',
    '{"a":"x\\ud83d y"}',
    '{"a":"\\\\"}',
    '{"a":"\\\\\\""}',
    '{"a":[[],{},"",0,-0.0e-0]}',
  ])('accepts %j', (text) => {
    expect(isSpliceable(text)).toBe(true);
    expect(scanObject(text, DEPTH_MAX).verdict).toBe('ok');
  });

  it.each([65, 1_000, 20_000, 100_000])('refuses a result nested %i levels without a call stack [B67]', (levels) => {
    const text = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(scanObject(text, DEPTH_MAX)).toEqual({ verdict: 'too_deep', members: [] });
    expect(scanObject(text, levels)).toEqual({ verdict: 'ok', members: ['a'] });
    expect(scanObject(text.slice(0, -1), levels).verdict).toBe('malformed');
  });

  it('reads backslashes by the million in linear time', () => {
    expect(scanObject(`{"a":"${'\\\\'.repeat(1_000_000)}"}`, 1).verdict).toBe('ok');
    expect(scanObject(`{"a":"${'\\"'.repeat(1_000_000)}}`, 1).verdict).toBe('malformed');
  });

  it('accepts exactly what JSON.parse accepts as an object without control characters', () => {
    const object = fc.dictionary(fc.string(), anyJson);
    fc.assert(
      fc.property(object, fc.infiniteStream(fc.nat(7)), (value, choices) => {
        const text = spaced(value, choices, ['', ' ', '  ']);
        expect(scanObject(text, DEPTH_MAX)).toEqual({ verdict: 'ok', members: Object.keys(value) });
      }),
    );
    fc.assert(
      fc.property(
        object.chain((value) => mutated(JSON.stringify(value))),
        (text) => {
          expect(scanObject(text, DEPTH_MAX).verdict).toBe(isSpliceable(text) ? 'ok' : 'malformed');
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
