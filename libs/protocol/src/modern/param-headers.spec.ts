import { describe, expect, it } from '@jest/globals';
import { PARAM_HEADERS_MAX, SCHEMA_NODES_MAX } from '../limits.js';
import { checkParamHeaders, scanParamHeaders, type ParamHeader } from './param-headers.js';

const region = { type: 'string', 'x-mcp-header': 'Region' };
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  ...more,
});
const headersOf = (schema: unknown) => {
  const scan = scanParamHeaders(schema);
  return scan.ok ? scan.headers : scan.reason;
};

describe('scanParamHeaders', () => {
  it('finds annotated parameters at any depth of properties', () => {
    const schema = object({
      region,
      count: { type: 'integer', 'x-mcp-header': 'Count', default: 1 },
      a: object({ b: object({ flag: { type: 'boolean', 'x-mcp-header': "x!#$%&'*+-.^_`|~9" } }) }),
    });
    expect(headersOf(schema)).toEqual([
      { header: 'mcp-param-region', path: ['region'], type: 'string' },
      { header: 'mcp-param-count', path: ['count'], type: 'integer' },
      { header: "mcp-param-x!#$%&'*+-.^_`|~9", path: ['a', 'b', 'flag'], type: 'boolean' },
    ]);
  });

  it.each([
    [{ type: 'object' }],
    [{}],
    [true],
    [undefined],
    [null],
    [[]],
    [object({ a: true, b: { type: 'string' } })],
  ])('finds none in %j', (schema) => {
    expect(headersOf(schema)).toEqual([]);
  });

  it.each([
    ['number', { ...region, type: 'number' }],
    ['object', { ...region, type: 'object' }],
    ['array', { ...region, type: 'array' }],
    ['null', { ...region, type: 'null' }],
    ['a list of types', { ...region, type: ['string', 'null'] }],
    ['no type', { 'x-mcp-header': 'Region' }],
    ['no type but a reference', { $ref: '#/$defs/r', 'x-mcp-header': 'Region' }],
  ])('refuses the tool for an annotation on %s [B75]', (_type, property) => {
    expect(headersOf(object({ ok: { ...region, 'x-mcp-header': 'Ok' }, property }))).toBe(
      'x-mcp-header needs type string, integer or boolean',
    );
  });

  it.each([
    ['empty', ''],
    ['a space', 'Bad Name'],
    ['a line end', 'Authorization\r\nX: 1'],
    ['a colon', 'A:B'],
    ['a parenthesis', 'A(B)'],
    ['a letter beyond ASCII', 'Régïon'],
    ['a number', 5],
    ['null', null],
    ['a list', ['Region']],
    ['trailing line feed', 'Region\n'],
  ])('refuses the tool for a header name that is or has %s [B75]', (_what, name) => {
    expect(headersOf(object({ region: { type: 'string', 'x-mcp-header': name } }))).toBe(
      'x-mcp-header is not a header name',
    );
  });

  it('refuses the tool when two names differ only in case, at whatever depth [B75]', () => {
    const twice = object({ region, nested: object({ region: { ...region, 'x-mcp-header': 'rEGION' } }) });
    expect(headersOf(twice)).toBe('x-mcp-header is used twice');
  });

  it.each([
    ['the root', { type: 'string', 'x-mcp-header': 'Region' }],
    ['items', object({ list: { type: 'array', items: region } })],
    ['properties below items', object({ list: { type: 'array', items: object({ region }) } })],
    ['prefixItems', object({ list: { type: 'array', prefixItems: [region] } })],
    ['contains', object({ list: { type: 'array', contains: region } })],
    ['additionalProperties', object({}, { additionalProperties: region })],
    ['patternProperties', object({}, { patternProperties: { '^r': region } })],
    ['propertyNames', object({}, { propertyNames: region })],
    ['oneOf', object({}, { oneOf: [object({ region })] })],
    ['anyOf of a property', object({ region: { anyOf: [region, { type: 'null' }] } })],
    ['allOf', object({}, { allOf: [object({ region })] })],
    ['not', object({}, { not: object({ region }) })],
    ['if', object({}, { if: object({ region }) })],
    ['then', object({}, { then: object({ region }) })],
    ['else', object({}, { else: object({ region }) })],
    ['$defs', object({ region: { $ref: '#/$defs/region' } }, { $defs: { region } })],
    ['definitions', object({}, { definitions: { region } })],
    ['dependentSchemas', object({}, { dependentSchemas: { x: object({ region }) } })],
    ['unevaluatedProperties', object({}, { unevaluatedProperties: region })],
    ['a keyword nobody knows', object({}, { 'x-vendor': { deep: [region] } })],
  ])('refuses the tool for an annotation under %s [B75]', (_where, schema) => {
    expect(headersOf(schema)).toBe('x-mcp-header stands where properties alone do not lead');
  });

  it('tells an annotation from data and from names that look like one', () => {
    const schema = object({
      'x-mcp-header': {
        type: 'string',
        default: { 'x-mcp-header': 'A' },
        enum: [{ 'x-mcp-header': 'B' }],
        const: { 'x-mcp-header': 'C' },
      },
      properties: { type: 'string', examples: [{ 'x-mcp-header': 'D' }] },
      list: { type: 'array', items: object({ 'x-mcp-header': { type: 'string' } }) },
    });
    expect(headersOf(schema)).toEqual([]);
  });

  it('stops at a schema too large, too deep or with too many headers', () => {
    const wide = object(
      Object.fromEntries(Array.from({ length: SCHEMA_NODES_MAX }, (_, i) => [`p${i}`, { type: 'string' }])),
    );
    expect(headersOf(wide)).toBe('schema has too many nodes');
    let deep: Record<string, unknown> = region;
    for (let level = 0; level < 10_000; level += 1) deep = object({ a: deep });
    expect(headersOf(deep)).toBe('schema is nested too deeply');
    const many = Object.fromEntries(
      Array.from({ length: PARAM_HEADERS_MAX + 1 }, (_, i) => [`p${i}`, { type: 'string', 'x-mcp-header': `P${i}` }]),
    );
    expect(headersOf(object(many))).toBe('x-mcp-header is used too often');
    expect(headersOf(object({ region: { ...region, 'x-mcp-header': 'R'.repeat(65) } }))).toBe(
      'x-mcp-header is too long',
    );
  });
});

describe('checkParamHeaders', () => {
  const headers: readonly ParamHeader[] = [
    { header: 'mcp-param-region', path: ['where', 'region'], type: 'string' },
    { header: 'mcp-param-count', path: ['count'], type: 'integer' },
    { header: 'mcp-param-flag', path: ['flag'], type: 'boolean' },
  ];
  const check = (args: unknown, sent: Record<string, string>) =>
    checkParamHeaders(headers, args, (name) => (Object.hasOwn(sent, name) ? sent[name] : undefined));

  it('is content when every present argument is mirrored', () => {
    const args = { where: { region: 'eu west' }, count: 42, flag: false };
    expect(
      check(args, { 'mcp-param-region': ' eu west ', 'mcp-param-count': '42.0', 'mcp-param-flag': 'false' }),
    ).toBeUndefined();
  });

  it.each([
    [undefined],
    [null],
    ['x'],
    [[]],
    [{}],
    [{ where: null, count: null }],
    [{ where: { region: null } }],
    [{ where: 'x' }],
    [{ where: ['region'] }],
  ])('expects nothing for absent or null values in %j, and ignores stray headers', (args) => {
    expect(check(args, {})).toBeUndefined();
    expect(check(args, { 'mcp-param-region': 'eu', 'mcp-param-count': '=?base64?!?=' })).toBeUndefined();
  });

  it.each([
    [{ count: 0 }, 'mcp-param-count'],
    [{ flag: false }, 'mcp-param-flag'],
    [{ where: { region: '' } }, 'mcp-param-region'],
  ])('misses the header of %j', (args, header) => {
    expect(check(args, {})).toEqual({ header, reason: 'header_missing' });
  });

  it.each([
    ['eu', 'us'],
    ['eu', 'EU'],
    ['eu', ''],
    ['', 'eu'],
    ['Hello', 'SGVsbG8='],
    ['42', '42.0'],
    ['null', 'undefined'],
    ['é', '=?base64?ZcyB?='],
  ])('tells the region %j from the header %j', (region, header) => {
    expect(check({ where: { region } }, { 'mcp-param-region': header })).toEqual({
      header: 'mcp-param-region',
      reason: 'header_differs',
    });
  });

  it.each([
    ['Hello', '=?base64?SGVsbG8=?='],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
    ['', ''],
    ['', '=?base64??='],
  ])('finds the region %j in the header %j', (region, header) => {
    expect(check({ where: { region } }, { 'mcp-param-region': header })).toBeUndefined();
  });

  it.each(['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', 'Hell\u00f6', 'a\r\nb'])(
    'calls the header %j malformed',
    (header) => {
      expect(check({ where: { region: 'Hello' } }, { 'mcp-param-region': header })).toEqual({
        header: 'mcp-param-region',
        reason: 'header_malformed',
      });
    },
  );

  it.each([
    [42, '43'],
    [42, 'abc'],
    [42, ''],
    [42, '42.5'],
    [42, '0x2a'],
    [42, '4.2e1'],
    [42, '42 0'],
    [0, ''],
    [2 ** 53, '9007199254740992'],
    [9007199254740993, '9007199254740993'],
    [1e300, '1e+300'],
    [1.5, '1'],
  ])('tells the count %d from the header %j', (count, header) => {
    expect(check({ count }, { 'mcp-param-count': header })).toEqual({
      header: 'mcp-param-count',
      reason: 'header_differs',
    });
  });

  it.each([
    [42, '42'],
    [42, '042'],
    [0, '-0'],
    [-7, '-7.00'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('finds the count %d in the header %j', (count, header) => {
    expect(check({ count }, { 'mcp-param-count': header })).toBeUndefined();
  });

  it.each([
    [true, 'TRUE'],
    [true, '1'],
    [false, ''],
    [true, 'false'],
  ])('tells the flag %j from the header %j', (flag, header) => {
    expect(check({ flag }, { 'mcp-param-flag': header })).toEqual({
      header: 'mcp-param-flag',
      reason: 'header_differs',
    });
  });

  it('leaves an object to the tool’s own validation but lets no header stand for it', () => {
    const args = { where: { region: { x: 1 } }, count: [1] };
    expect(check(args, {})).toBeUndefined();
    expect(check(args, { 'mcp-param-region': '[object Object]' })).toEqual({
      header: 'mcp-param-region',
      reason: 'header_differs',
    });
  });

  it('never reads inherited members [B66]', () => {
    const inherited: ParamHeader[] = [{ header: 'mcp-param-x', path: ['constructor', 'name'], type: 'string' }];
    expect(checkParamHeaders(inherited, {}, () => undefined)).toBeUndefined();
  });
});
