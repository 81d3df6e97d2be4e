import { describe, expect, it } from '@jest/globals';
import {
  ASK_MESSAGE_CHARS_MAX,
  ENUM_OPTIONS_MAX,
  ENUM_VALUE_CHARS_MAX,
  FIELD_DESCRIPTION_CHARS_MAX,
  FIELD_NAME_CHARS_MAX,
  FIELD_TITLE_CHARS_MAX,
  FORM_FIELDS_MAX,
  SAMPLING_CHARS_MAX,
  SAMPLING_MESSAGES_MAX,
  SAMPLING_TOKENS_MAX,
  URI_CHARS_MAX,
} from '../limits.js';
import fc from 'fast-check';
import { checkAsk } from './asks.js';

const STRICT = { allowInsecureUrls: false };
const DEVELOPMENT = { allowInsecureUrls: true };

const elicit = (params: Record<string, unknown>) => ({ method: 'elicitation/create', params });
const form = (properties: unknown, more: Record<string, unknown> = {}) =>
  elicit({ message: 'Which one?', requestedSchema: { type: 'object', properties, ...more } });
const field = (schema: unknown) => checkAsk(form({ f: schema }), STRICT);
const url = (address: unknown) => elicit({ mode: 'url', message: 'Please open this', url: address });
const sample = (params: Record<string, unknown>) => ({ method: 'sampling/createMessage', params });
const messages = [{ role: 'user', content: { type: 'text', text: 'x' } }];

describe('checkAsk', () => {
  it.each(['tools/call', 'elicitation/CREATE', 'constructor', '', 'ping'])('refuses the method %j', (method) => {
    expect(checkAsk({ method, params: {} }, STRICT)).toBe('not a method a client can be asked');
  });

  it('needs params for all but roots', () => {
    expect(checkAsk({ method: 'elicitation/create' }, STRICT)).toBe('elicitation without params');
    expect(checkAsk({ method: 'sampling/createMessage' }, STRICT)).toBe('sampling without params');
    expect(checkAsk({ method: 'roots/list' }, STRICT)).toBeUndefined();
    expect(checkAsk({ method: 'roots/list', params: {} }, STRICT)).toBeUndefined();
    expect(checkAsk({ method: 'roots/list', params: [] as never }, STRICT)).toBe(
      'roots/list with params that are no object',
    );
  });
});

describe('a form ask', () => {
  it.each([
    ['text', { type: 'string', title: 'T', description: 'D', minLength: 1, maxLength: 9, default: 'abc' }],
    ['email', { type: 'string', format: 'email', default: 'a@example.com' }],
    ['uri', { type: 'string', format: 'uri' }],
    ['date', { type: 'string', format: 'date', default: '2024-02-29' }],
    ['date-time', { type: 'string', format: 'date-time', default: '2026-08-01T10:00:00Z' }],
    ['number', { type: 'number', minimum: -1.5, maximum: 1.5, default: 0.5 }],
    ['integer', { type: 'integer', minimum: 1, maximum: 1, default: 1 }],
    ['boolean', { type: 'boolean', default: false }],
    ['single select', { type: 'string', enum: ['a', 'b'], default: 'b' }],
    ['single select of 2025', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }],
    ['titled single select', { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'a' }],
    [
      'multi select',
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2, default: ['b', 'a'] },
    ],
    ['titled multi select', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, default: [] }],
    [
      'titled multi select with a type',
      { type: 'array', items: { type: 'string', anyOf: [{ const: 'a', title: 'A' }] } },
    ],
  ])('may have a field of shape %s', (_shape, schema) => {
    expect(field(schema)).toBeUndefined();
  });

  it('may be empty, name its dialect and its required fields', () => {
    expect(checkAsk(form({}), STRICT)).toBeUndefined();
    const more = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'T',
      description: 'D',
      additionalProperties: false,
      required: ['a'],
    };
    expect(checkAsk(form({ a: { type: 'string' }, b: { type: 'boolean' } }, more), STRICT)).toBeUndefined();
    expect(
      checkAsk(
        elicit({ mode: 'form', message: 'm', requestedSchema: { type: 'object', properties: {} }, _meta: {} }),
        STRICT,
      ),
    ).toBeUndefined();
  });

  it.each([
    ['no message', { requestedSchema: { type: 'object', properties: {} } }, 'elicitation without a message'],
    ['a blank message', { message: ' \n' }, 'elicitation without a message'],
    ['a message that is no string', { message: ['m'] }, 'elicitation without a message'],
    [
      'an endless message',
      { message: 'm'.repeat(ASK_MESSAGE_CHARS_MAX + 1) },
      'elicitation with a message that is too long',
    ],
    ['an unknown mode', { message: 'm', mode: 'popup' }, 'elicitation with an unknown mode'],
    ['mode null', { message: 'm', mode: null }, 'elicitation with an unknown mode'],
    ['no schema', { message: 'm' }, 'requestedSchema is not an object schema'],
    ['schema null', { message: 'm', requestedSchema: null }, 'requestedSchema is not an object schema'],
    [
      'a schema of another type',
      { message: 'm', requestedSchema: { type: 'string' } },
      'requestedSchema is not an object schema',
    ],
    [
      'a schema without type',
      { message: 'm', requestedSchema: { properties: {} } },
      'requestedSchema is not an object schema',
    ],
    [
      'a schema without properties',
      { message: 'm', requestedSchema: { type: 'object' } },
      'requestedSchema has no properties',
    ],
    [
      'properties as a list',
      { message: 'm', requestedSchema: { type: 'object', properties: [] } },
      'requestedSchema has no properties',
    ],
    [
      'an elicitationId',
      { message: 'm', elicitationId: 'e' },
      'elicitation with a param it does not have: "elicitationId"',
    ],
    ['a url', { message: 'm', url: 'https://a.example' }, 'elicitation with a param it does not have: "url"'],
  ])('is refused with %s', (_what, params, reason) => {
    expect(checkAsk(elicit(params), STRICT)).toBe(reason);
  });

  it.each([
    ['$ref', { $ref: '#/$defs/x' }],
    ['$defs', { $defs: {} }],
    ['oneOf', { oneOf: [] }],
    ['allOf', { allOf: [] }],
    ['if', { if: {} }],
    ['patternProperties', { patternProperties: {} }],
    ['dependentRequired', { dependentRequired: {} }],
    ['minProperties', { minProperties: 1 }],
    ['__proto__', JSON.parse('{"__proto__":{}}') as Record<string, unknown>],
  ])('is refused when its schema uses %s', (keyword, more) => {
    const schema = Object.defineProperties({ type: 'object', properties: {} }, Object.getOwnPropertyDescriptors(more));
    expect(checkAsk(elicit({ message: 'm', requestedSchema: schema }), STRICT)).toBe(
      `requestedSchema uses "${keyword}"`,
    );
  });

  it.each([
    [{ additionalProperties: true }, 'requestedSchema allows additionalProperties'],
    [{ additionalProperties: { type: 'string' } }, 'requestedSchema allows additionalProperties'],
    [{ $schema: 5 }, '$schema is not a string'],
    [{ title: 5 }, 'requestedSchema has a title that is no string or too long'],
    [{ required: 'a' }, 'required is not a list'],
    [{ required: ['b'] }, 'required names a field that does not exist'],
    [{ required: ['constructor'] }, 'required names a field that does not exist'],
    [{ required: [0] }, 'required names a field that does not exist'],
    [{ required: ['a', 'a'] }, 'required names a field twice'],
  ])('is refused with %j beside its properties', (more, reason) => {
    expect(checkAsk(form({ a: { type: 'string' } }, more), STRICT)).toBe(reason);
  });

  it.each([
    ['pattern', { type: 'string', pattern: '^(a+)+$' }],
    ['const', { type: 'string', const: 'x' }],
    ['contentEncoding', { type: 'string', contentEncoding: 'base64' }],
    ['x-mcp-header', { type: 'string', 'x-mcp-header': 'X' }],
    ['minimum', { type: 'string', minimum: 1 }],
    ['enumNames', { type: 'string', enumNames: ['A'] }],
    ['minLength', { type: 'string', enum: ['a'], minLength: 1 }],
    ['oneOf', { type: 'string', enum: ['a'], oneOf: [{ const: 'a', title: 'A' }] }],
    ['anyOf', { type: 'string', anyOf: [{ const: 'a', title: 'A' }] }],
    ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 0 }],
    ['multipleOf', { type: 'integer', multipleOf: 2 }],
    ['enum', { type: 'integer', enum: [1, 2] }],
    ['minLength', { type: 'boolean', minLength: 1 }],
    ['uniqueItems', { type: 'array', items: { type: 'string', enum: ['a'] }, uniqueItems: true }],
    ['$ref', { type: 'string', $ref: '#' }],
    ['nullable', { type: 'string', nullable: true }],
  ])('is refused when a field uses %s where it does not belong [B74]', (keyword, schema) => {
    expect(field(schema)).toBe(`field "f" uses "${keyword}"`);
  });

  it.each([
    [null, 'is not an object'],
    [true, 'is not an object'],
    [[], 'is not an object'],
    [{}, 'has no type that a form can show'],
    [{ type: 'object', properties: {} }, 'has no type that a form can show'],
    [{ type: 'null' }, 'has no type that a form can show'],
    [{ type: ['string', 'null'] }, 'has no type that a form can show'],
    [{ $ref: '#/properties/a' }, 'has no type that a form can show'],
    [{ enum: ['a'] }, 'has no type that a form can show'],
    [{ type: 'array' }, 'has no items'],
    [{ type: 'array', items: [] }, 'has no items'],
    [{ type: 'array', items: { type: 'string' } }, 'offers no options'],
    [{ type: 'array', items: { type: 'object', properties: {} } }, 'has items that are not strings'],
    [{ type: 'array', items: { type: 'integer', enum: [1] } }, 'has items that are not strings'],
    [{ type: 'array', items: { enum: ['a'] } }, 'has items that are not strings'],
    [{ type: 'array', items: { type: 'string', enum: ['a'], minLength: 1 } }, 'has items that use "minLength"'],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }], enum: ['a'] } }, 'has items that use "enum"'],
    [{ type: 'array', items: { oneOf: [{ const: 'a', title: 'A' }] } }, 'has items that are not strings'],
    [{ type: 'string', enum: [] }, 'offers no options'],
    [{ type: 'string', enum: 'a' }, 'offers no options'],
    [{ type: 'string', enum: [1] }, 'offers an option that is no string or too long'],
    [{ type: 'string', enum: ['a', null] }, 'offers an option that is no string or too long'],
    [{ type: 'string', enum: ['a', 'a'] }, 'offers an option twice'],
    [
      { type: 'string', enum: ['a'.repeat(ENUM_VALUE_CHARS_MAX + 1)] },
      'offers an option that is no string or too long',
    ],
    [
      { type: 'string', enum: Array.from({ length: ENUM_OPTIONS_MAX + 1 }, (_, i) => `${i}`) },
      'offers too many options',
    ],
    [{ type: 'string', enum: ['a'], enumNames: ['A', 'B'] }, 'has enumNames that do not match enum'],
    [{ type: 'string', enum: ['a'], enumNames: 'A' }, 'has enumNames that do not match enum'],
    [{ type: 'string', enum: ['a'], enumNames: [1] }, 'has an enumName that is no string or too long'],
    [{ type: 'string', oneOf: [] }, 'offers no options'],
    [{ type: 'string', oneOf: {} }, 'offers no options'],
    [{ type: 'string', oneOf: [{ const: 'a' }] }, 'offers an option that is not a const and a title'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 1 }] }, 'offers an option that is not a const and a title'],
    [
      { type: 'string', oneOf: [{ const: 'a', title: 'A', description: 'x' }] },
      'offers an option that is not a const and a title',
    ],
    [{ type: 'string', oneOf: [{ title: 'A', type: 'string' }] }, 'offers an option that is no string or too long'],
    [{ type: 'string', oneOf: [{ const: 1, title: 'A' }] }, 'offers an option that is no string or too long'],
    [
      {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'a', title: 'B' },
        ],
      },
      'offers an option twice',
    ],
    [{ type: 'string', title: 5 }, 'has a title that is no string or too long'],
    [{ type: 'string', title: 't'.repeat(FIELD_TITLE_CHARS_MAX + 1) }, 'has a title that is no string or too long'],
    [
      { type: 'string', description: 'd'.repeat(FIELD_DESCRIPTION_CHARS_MAX + 1) },
      'has a description that is no string or too long',
    ],
    [{ type: 'string', format: 'password' }, 'has a format that no form knows'],
    [{ type: 'string', format: 'regex' }, 'has a format that no form knows'],
    [{ type: 'string', format: 'constructor' }, 'has a format that no form knows'],
    [{ type: 'string', format: null }, 'has a format that no form knows'],
    [{ type: 'string', minLength: -1 }, 'has a minLength or maxLength that is not a count'],
    [{ type: 'string', maxLength: 1.5 }, 'has a minLength or maxLength that is not a count'],
    [{ type: 'string', maxLength: '5' }, 'has a minLength or maxLength that is not a count'],
    [{ type: 'string', minLength: 5, maxLength: 4 }, 'has a minLength that nothing can meet'],
    [{ type: 'string', minLength: 10_000_000 }, 'has a minLength that nothing can meet'],
    [{ type: 'number', minimum: '1' }, 'has a bound that is not a number'],
    [{ type: 'number', maximum: null }, 'has a bound that is not a number'],
    [{ type: 'number', maximum: Infinity }, 'has a bound that is not a number'],
    [{ type: 'integer', minimum: 2, maximum: 1 }, 'has a minimum above its maximum'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 2 }, 'has a minItems that nothing can meet'],
    [
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, maxItems: 1 },
      'has a minItems that nothing can meet',
    ],
  ])('is refused for a field that is %j', (schema, reason) => {
    expect(field(schema)).toBe(`field "f" ${reason}`);
  });

  it.each([
    [{ type: 'string', default: 5 }, 'must be a string'],
    [{ type: 'string', default: null }, 'must be a string'],
    [{ type: 'string', minLength: 2, default: 'a' }, 'is shorter than minLength'],
    [{ type: 'string', maxLength: 1, default: 'ab' }, 'is longer than maxLength'],
    [{ type: 'string', format: 'email', default: 'nobody' }, 'is no email'],
    [{ type: 'number', minimum: 1, default: 0 }, 'is less than minimum'],
    [{ type: 'integer', default: 1.5 }, 'must be an integer'],
    [{ type: 'boolean', default: 'true' }, 'must be true or false'],
    [{ type: 'string', enum: ['a'], default: 'b' }, 'must be one of the options'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'A' }, 'must be one of the options'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, default: 'a' }, 'must be a list'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, default: ['b'] }, 'must hold only options'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1, default: [] }, 'holds fewer than minItems'],
  ])('is refused for a default that breaks its own field: %j', (schema, rule) => {
    expect(field(schema)).toBe(`field "f" has a default that ${rule}`);
  });

  it.each(['string', 'number', 'integer'])(
    'is refused when a %s field asks for a secret, by name, title or description',
    (type) => {
      const reason = 'asks for a secret, which no form may: use url mode';
      expect(checkAsk(form({ api_key: { type } }), STRICT)).toBe(`field "api_key" ${reason}`);
      expect(checkAsk(form({ f: { type, title: 'Card number' } }), STRICT)).toBe(`field "f" ${reason}`);
      expect(checkAsk(form({ f: { type, description: 'Paste your API key' } }), STRICT)).toBe(`field "f" ${reason}`);
    },
  );

  it('may offer a choice about secrets, since nothing is typed there', () => {
    expect(
      checkAsk(form({ password: { type: 'boolean' }, token: { type: 'string', enum: ['rotate', 'keep'] } }), STRICT),
    ).toBeUndefined();
  });

  it('is refused with too many fields or a name that is empty or endless', () => {
    const fields = Object.fromEntries(
      Array.from({ length: FORM_FIELDS_MAX + 1 }, (_, i) => [`f${i}`, { type: 'string' }]),
    );
    expect(checkAsk(form(fields), STRICT)).toBe('the form has too many fields');
    for (const name of ['', 'n'.repeat(FIELD_NAME_CHARS_MAX + 1)]) {
      expect(checkAsk(form({ [name]: { type: 'string' } }), STRICT)).toBe('a field name is empty or too long');
    }
  });
});

describe('a url ask', () => {
  it.each([
    'https://login.example.com/a?b=c#d',
    'HTTPS://example.com',
    'https://[2001:db8::1]:8443/',
    'https://xn--bcher-kva.example/%C3%A9',
    'https://example.com/@user',
  ])('may open %s', (address) => {
    expect(checkAsk(url(address), STRICT)).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    5,
    '',
    'example.com',
    '/path',
    '//example.com',
    'https:/example.com',
    'https:example.com',
    'https://',
    'https:// example.com',
    ' https://example.com',
    'https://example.com/a b',
    'https://exa\nmple.com',
    'https:\\\\example.com',
    'https://example.com\\@evil.example',
    'https://ex\u0430mple.com',
    'https://example.com/é',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://example.com',
    'ws://example.com',
    'https://example.com:99999',
    'https://exa%00mple.com',
    'https://[::1',
    `https://example.com/${'a'.repeat(URI_CHARS_MAX)}`,
  ])('may not open %j', (address) => {
    expect(checkAsk(url(address), DEVELOPMENT)).toMatch(
      /^url that is (no string or too long|not an absolute http address)$/,
    );
  });

  it.each([
    'https://user@example.com',
    'https://user:pw@example.com',
    'https://example.com@evil.example/',
    'https://@example.com',
    'https://:@example.com',
  ])('may not carry credentials: %s', (address) => {
    expect(checkAsk(url(address), DEVELOPMENT)).toBe('url with credentials');
  });

  it.each([
    'http://localhost:3000/x',
    'http://127.0.0.1',
    'http://127.1.2.3:80',
    'http://[::1]:8080/',
    'http://LOCALHOST/',
  ])('may open %s in development only', (address) => {
    expect(checkAsk(url(address), DEVELOPMENT)).toBeUndefined();
    expect(checkAsk(url(address), STRICT)).toBe('url without https');
  });

  it.each([
    'http://example.com',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://192.168.0.1',
    'http://0.0.0.0',
    'http://128.0.0.1',
    'http://[::2]',
  ])('may never open %s', (address) => {
    expect(checkAsk(url(address), DEVELOPMENT)).toBe('url without https');
  });

  it.each(['elicitationId', 'requestedSchema', 'task'])('is refused with %s', (name) => {
    const ask = elicit({ mode: 'url', message: 'm', url: 'https://example.com', [name]: {} });
    expect(checkAsk(ask, STRICT)).toBe(`elicitation with a param it does not have: "${name}"`);
  });
});

describe('a sampling ask', () => {
  it('may be made with messages and a positive maxTokens', () => {
    expect(
      checkAsk(sample({ messages, maxTokens: 1, temperature: 0, systemPrompt: 's', tools: [] }), STRICT),
    ).toBeUndefined();
    expect(checkAsk(sample({ messages: [{ role: 'assistant', content: [] }], maxTokens: 10 }), STRICT)).toBeUndefined();
  });

  it.each([
    [{ maxTokens: 1 }, 'sampling without messages'],
    [{ messages: [], maxTokens: 1 }, 'sampling without messages'],
    [{ messages: {}, maxTokens: 1 }, 'sampling without messages'],
    [
      { messages: Array.from({ length: SAMPLING_MESSAGES_MAX + 1 }, () => messages[0]), maxTokens: 1 },
      'sampling with too many messages',
    ],
    [{ messages: [null], maxTokens: 1 }, 'sampling with a message that has no role or content'],
    [
      { messages: [{ role: 'system', content: {} }], maxTokens: 1 },
      'sampling with a message that has no role or content',
    ],
    [
      { messages: [{ role: 'user', content: 'x' }], maxTokens: 1 },
      'sampling with a message that has no role or content',
    ],
    [{ messages }, 'sampling without a positive maxTokens'],
    [{ messages, maxTokens: 0 }, 'sampling without a positive maxTokens'],
    [{ messages, maxTokens: -1 }, 'sampling without a positive maxTokens'],
    [{ messages, maxTokens: 1.5 }, 'sampling without a positive maxTokens'],
    [{ messages, maxTokens: '1' }, 'sampling without a positive maxTokens'],
    [{ messages, maxTokens: SAMPLING_TOKENS_MAX + 1 }, 'sampling with too many maxTokens'],
    [{ messages, maxTokens: 1, systemPrompt: 's'.repeat(SAMPLING_CHARS_MAX) }, 'sampling that is too large'],
  ])('is refused when it is not: case %#', (params, reason) => {
    expect(checkAsk(sample(params), STRICT)).toBe(reason);
  });
});

describe('an ask of any kind', () => {
  /** Words of the forms' own grammar, so that what is drawn gets past the first rule. */
  const keyword = fc.constantFrom(
    ...[
      'type',
      'properties',
      'required',
      'enum',
      'oneOf',
      'anyOf',
      'allOf',
      'items',
      '$ref',
      '$defs',
      'const',
      'title',
    ],
    ...['default', 'format', 'minLength', 'maximum', '__proto__', 'password', 'not', 'if', 'pattern', 'description'],
  );
  const leaf = fc.oneof(
    fc.constantFrom<unknown>('object', 'string', 'array', 'boolean', 'integer', 'email', 'https://evil.example/schema'),
    fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 1e308, '', [], {}),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      leaf,
      fc.dictionary(keyword, tie('schema'), { maxKeys: 5 }),
      fc.array(tie('schema'), { maxLength: 3 }),
    ),
  }));

  it('is passed or refused in words, and never throws, whatever its form is made of', () => {
    fc.assert(
      fc.property(schema, schema, fc.boolean(), (requestedSchema, message, inDevelopment) => {
        const asks = [
          form(requestedSchema),
          elicit({ message: 'm', requestedSchema } as Record<string, unknown>),
          elicit({ message, mode: 'url', url: requestedSchema } as Record<string, unknown>),
          sample({ messages: requestedSchema, maxTokens: message } as Record<string, unknown>),
          { method: 'roots/list', params: requestedSchema as never },
        ];
        for (const ask of asks) {
          const problem = checkAsk(ask, { allowInsecureUrls: inDevelopment });
          expect(problem === undefined || problem.length > 0).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('that composes or refers is refused, however deep: nothing is fetched and nothing is expanded', () => {
    const composed = fc.constantFrom('allOf', 'anyOf', '$ref', '$dynamicRef', 'not', 'if', 'patternProperties');
    fc.assert(
      fc.property(composed, fc.integer({ min: 1, max: 5_000 }), (name, levels) => {
        let inner: unknown = { type: 'string' };
        for (let level = 0; level < levels; level += 1) inner = { [name]: [inner, inner] };
        expect(field({ type: 'string', [name]: inner })).toBeDefined();
        expect(checkAsk(form({}, { [name]: inner }), STRICT)).toBeDefined();
      }),
      { numRuns: 50 },
    );
  });
});
