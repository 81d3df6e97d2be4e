import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyJson, escapedKeys, mutated, parsed, spaced } from '../../test/json-arbitraries.js';
import { scanBody, type BodyScan } from './scan-body.js';

const DEPTH_MAX = 64;

function argumentsText(text: string): string | undefined {
  const { argumentsSpan: span } = scanBody(text, DEPTH_MAX);
  return span && text.slice(span.start, span.end);
}

function paramsText(text: string): string | undefined {
  const { paramsSpan: span } = scanBody(text, DEPTH_MAX);
  return span && text.slice(span.start, span.end);
}

/** What JSON.parse thinks: the spans must cut out text that parses to the very values it found. */
function expectAgreement(text: string): void {
  const scan = scanBody(text, DEPTH_MAX);
  const value = parsed(text);
  if (value === undefined) return;
  expect(scan.verdict).toBe('ok');
  const root = value.json;
  expect(spanValue(text, scan, 'paramsSpan')).toEqual(ownMember(root, 'params'));
  expect(spanValue(text, scan, 'argumentsSpan')).toEqual(ownMember(ownMember(root, 'params')?.json, 'arguments'));
}

function ownMember(value: unknown, key: string): { json: unknown } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  return { json: (value as Record<string, unknown>)[key] };
}

function spanValue(text: string, scan: BodyScan, which: 'paramsSpan' | 'argumentsSpan'): { json: unknown } | undefined {
  const span = scan[which];
  return span && { json: JSON.parse(text.slice(span.start, span.end)) as unknown };
}

describe('scanBody', () => {
  it('finds params and arguments without the whitespace around them', () => {
    const text = '{ "jsonrpc":"2.0", "params" : { "name":"t", "arguments" : {"a": [1, "}"]} , "_meta":{} } , "id":1}';
    expect(argumentsText(text)).toBe('{"a": [1, "}"]}');
    expect(paramsText(text)).toBe('{ "name":"t", "arguments" : {"a": [1, "}"]} , "_meta":{} }');
  });

  it.each([
    ['a string', '"a\\"b,}"'],
    ['a number', '-1.5e3'],
    ['null', 'null'],
    ['an array', '[{"arguments":1}]'],
    ['an empty object', '{}'],
  ])('finds arguments that are %s', (_what, value) => {
    expect(argumentsText(`{"params":{"arguments":${value}}}`)).toBe(value);
    expect(argumentsText(`{"params":{"arguments": ${value} ,"z":1},"id":1}`)).toBe(value);
  });

  it('lets the last of two arguments win', () => {
    expect(argumentsText('{"params":{"arguments":{"a":1},"arguments":{"b":2}}}')).toBe('{"b":2}');
  });

  it('forgets the arguments of params that a later params replaces', () => {
    expect(argumentsText('{"params":{"arguments":1},"params":{"name":"t"}}')).toBeUndefined();
    expect(argumentsText('{"params":{"arguments":1},"params":null}')).toBeUndefined();
    expect(argumentsText('{"params":{"arguments":1},"params":[{"arguments":2}]}')).toBeUndefined();
    expect(argumentsText('{"params":{"arguments":1},"params":{"arguments":2}}')).toBe('2');
  });

  it('knows keys that are written with escapes', () => {
    expect(argumentsText('{"par\\u0061ms":{"\\u0061rguments":7}}')).toBe('7');
    expect(argumentsText('{"params":{"arguments":1,"argum\\u0065nts":2}}')).toBe('2');
  });

  it.each([
    ['in an array at the root', '[{"params":{"arguments":1}}]'],
    ['one level too deep', '{"x":{"params":{"arguments":1}}}'],
    ['below params', '{"params":{"x":{"arguments":1}}}'],
    ['inside a string', '{"x":"{\\"params\\":{\\"arguments\\":1}}"}'],
    ['as a value', '{"x":"params","y":{"arguments":1}}'],
    ['with another case', '{"Params":{"Arguments":1}}'],
    ['with a longer name', '{"params":{"arguments2":1,"argument":2}}'],
    ['with an escape that says something else', '{"params":{"argument\\u0053":1}}'],
  ])('takes nothing for arguments %s', (_where, text) => {
    expect(scanBody(text, DEPTH_MAX).verdict).toBe('ok');
    expect(argumentsText(text)).toBeUndefined();
  });

  it.each([
    ['cut off', '{"a":1'],
    ['an open string', '{"a":"x'],
    ['a string closed by an escaped quote', '{"a":"x\\"}'],
    ['nothing after the key', '{"a"}'],
    ['a key without quotes', '{a:1}'],
    ['a trailing comma', '{"a":1,}'],
    ['two members without a comma', '{"a":1 "b":2}'],
    ['a second document', '{"a":1} {"b":2}'],
    ['a byte order mark [B67]', '\uFEFF{"a":1}'],
    ['a closing bracket too many', '{"a":1}}'],
    ['only an opening brace [B59]', '{'],
    ['an array that stays open', '{"a":[1,{"b":2}'],
    ['a no-break space', '{\u00a0"a":1}'],
  ])('calls %s malformed', (_what, text) => {
    expect(parsed(text)).toBeUndefined();
    expect(scanBody(text, DEPTH_MAX)).toEqual({ verdict: 'malformed' });
  });

  it.each([100, 1_000, 20_000, 100_000])('refuses arguments nested %i levels without a call stack [B67]', (levels) => {
    const nested = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    for (const text of [`{"params":{"arguments":${nested}}}`, `{"params":{"_meta":${nested}}}`, '['.repeat(levels)]) {
      expect(scanBody(text, DEPTH_MAX)).toEqual({ verdict: 'too_deep' });
    }
    expect(scanBody(`{"params":{"arguments":${nested}}}`, levels + 2).verdict).toBe('ok');
  });

  it('counts objects and arrays alike and allows exactly the depth it is given', () => {
    expect(scanBody('[[[1]]]', 3).verdict).toBe('ok');
    expect(scanBody('[[[[]]]]', 3).verdict).toBe('too_deep');
    expect(scanBody('{"params":{"arguments":[]}}', 3).verdict).toBe('ok');
    expect(scanBody('{"params":{"arguments":[]}}', 2).verdict).toBe('too_deep');
    expect(scanBody('{"params":{}}', 1).verdict).toBe('too_deep');
    expect(scanBody('{"a":[],"b":[],"c":[]}', 2).verdict).toBe('ok');
    expect(scanBody('"[[[["', 1).verdict).toBe('ok');
  });

  it('does not count brackets inside strings', () => {
    expect(scanBody(`{"a":"${'['.repeat(1000)}"}`, 2).verdict).toBe('ok');
    expect(scanBody('{"a":"\\\\","b":"]"}', 2).verdict).toBe('ok');
  });

  it('passes a number of 5,000 digits through [B67]', () => {
    const digits = '7'.repeat(5_000);
    expect(argumentsText(`{"params":{"arguments":{"n":${digits}}}}`)).toBe(`{"n":${digits}}`);
  });

  it('agrees with JSON.parse on any document in any spelling', () => {
    const body = fc.record({
      id: fc.integer(),
      params: fc.oneof(anyJson, fc.record({ arguments: anyJson, name: anyJson })),
    });
    fc.assert(
      fc.property(fc.oneof(body, anyJson), fc.infiniteStream(fc.nat(7)), (value, choices) => {
        expectAgreement(escapedKeys(spaced(value, choices), choices));
      }),
    );
  });

  it('agrees with JSON.parse on documents with repeated keys', () => {
    const member = fc.tuple(
      fc.constantFrom('params', 'arguments', 'x', 'par\\u0061ms'),
      fc.constantFrom('1', '{}', '{"arguments":2}', '{"arguments":[3],"y":0}', '[]'),
    );
    const object = fc
      .array(member, { maxLength: 5 })
      .map((members) => `{${members.map(([k, v]) => `"${k}":${v}`).join(',')}}`);
    const nested = fc.array(fc.tuple(fc.constantFrom('params', 'x'), object), { maxLength: 4 });
    fc.assert(
      fc.property(nested, (members) => {
        expectAgreement(`{${members.map(([k, v]) => `"${k}":${v}`).join(',')}}`);
      }),
    );
  });

  it('never calls malformed or misreads what JSON.parse accepts, whatever a mutation did', () => {
    const body = fc.record({ params: fc.record({ arguments: anyJson, name: fc.string() }), id: fc.integer() });
    fc.assert(
      fc.property(
        body.chain((value) => mutated(JSON.stringify(value))),
        expectAgreement,
      ),
      { numRuns: 2_000 },
    );
  });
});
