import { describe, expect, it } from '@jest/globals';
import {
  DESCRIPTION_CHARS_MAX,
  DISPLAY_NAME_CHARS_MAX,
  PROMPT_ARGUMENTS_MAX,
  SCHEMA_CHARS_MAX,
  SCHEMA_DEPTH_MAX,
  SCHEMA_NODES_MAX,
} from '../limits.js';
import {
  checkPromptDefinition,
  checkResourceDefinition,
  checkResourceTemplateDefinition,
  checkToolDefinition,
} from './definitions.js';
import { isPromptName, isToolName } from './names.js';

const BAD_NAME = 'has a name outside [A-Za-z0-9_.-]{1,128}';
const good = { name: 'good', inputSchema: { type: 'object' } };
const tool = (part: Record<string, unknown>) => checkToolDefinition({ ...good, ...part });

function nested(levels: number, wrap: (inner: unknown) => Record<string, unknown>): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

describe('isToolName', () => {
  it.each(['a', 'a.b', 'A-1_z', '0', '.', '__proto__', 'constructor', 'n'.repeat(128)])('takes %s [B79]', (name) => {
    expect(isToolName(name)).toBe(true);
  });

  it.each([
    undefined,
    null,
    5,
    '',
    ' ',
    'has space',
    'a/b',
    'búsqueda',
    'a\n',
    'a\0',
    'a:b',
    'a,b',
    'n'.repeat(129),
    ['a'],
  ])('refuses %j [B79]', (name) => {
    expect(isToolName(name)).toBe(false);
  });
});

describe('isPromptName', () => {
  it.each(['a', 'Plan a trip', 'búsqueda', 'a/b', '🙂'])('takes %s', (name) => {
    expect(isPromptName(name)).toBe(true);
  });

  it.each([undefined, null, 5, '', '  ', 'a\nb', 'a\0', 'a\u0085', 'a\u2028', '\ud83d', 'n'.repeat(129)])(
    'refuses %j',
    (name) => {
      expect(isPromptName(name)).toBe(false);
    },
  );
});

describe('checkToolDefinition', () => {
  it('is content with a name and an inputSchema of type object, properties or not [B69]', () => {
    expect(checkToolDefinition(good)).toBeUndefined();
  });

  it('is content with everything a tool may have', () => {
    const full = {
      title: 'T',
      description: 'D',
      annotations: { destructiveHint: true },
      icons: [{ src: 'data:,' }],
      _meta: { 'com.example/x': 1 },
      outputSchema: { type: 'array' },
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        anyOf: [{}],
      },
      vendorMember: 1,
    };
    expect(tool(full)).toBeUndefined();
  });

  it.each([
    [
      'by a pointer',
      {
        type: 'object',
        properties: {
          nodes: {
            type: 'array',
            items: {
              type: 'object',
              properties: { children: { type: 'array', items: { $ref: '#/properties/nodes/items' } } },
            },
          },
        },
      },
    ],
    [
      'by $defs',
      {
        type: 'object',
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        properties: { a: { $ref: '#/$defs/a' } },
      },
    ],
    ['at the root', { type: 'object', properties: { self: { $ref: '#' } } }],
  ])('lets a schema refer to itself %s [B68]', (_how, inputSchema) => {
    expect(tool({ inputSchema })).toBeUndefined();
  });

  it.each([
    [undefined, 'is not an object'],
    [null, 'is not an object'],
    [[], 'is not an object'],
    ['good', 'is not an object'],
    [{}, BAD_NAME],
    [{ ...good, name: '' }, BAD_NAME],
    [{ ...good, name: 'has space' }, BAD_NAME],
    [{ ...good, name: null }, BAD_NAME],
    [{ name: 'x' }, 'has no inputSchema'],
    [{ name: 'x', inputSchema: null }, 'has no inputSchema'],
    [{ name: 'x', inputSchema: [] }, 'has no inputSchema'],
    [{ name: 'x', inputSchema: true }, 'has no inputSchema'],
    [{ name: 'x', inputSchema: {} }, 'has an inputSchema whose root type is not object'],
    [{ name: 'x', inputSchema: { type: 'string' } }, 'has an inputSchema whose root type is not object'],
    [{ name: 'x', inputSchema: { type: ['object'] } }, 'has an inputSchema whose root type is not object'],
    [{ name: 'x', inputSchema: { anyOf: [{ type: 'object' }] } }, 'has an inputSchema whose root type is not object'],
    [{ ...good, description: 5 }, 'has a description that is no string or too long'],
    [{ ...good, description: null }, 'has a description that is no string or too long'],
    [
      { ...good, description: 'd'.repeat(DESCRIPTION_CHARS_MAX + 1) },
      'has a description that is no string or too long',
    ],
    [{ ...good, title: 5 }, 'has a title that is no string or too long'],
    [{ ...good, title: 't'.repeat(DISPLAY_NAME_CHARS_MAX + 1) }, 'has a title that is no string or too long'],
    [{ ...good, annotations: null }, 'has annotations that are no object'],
    [{ ...good, annotations: [] }, 'has annotations that are no object'],
    [{ ...good, icons: {} }, 'has icons that are no list of objects'],
    [{ ...good, icons: ['x'] }, 'has icons that are no list of objects'],
    [{ ...good, _meta: null }, 'has a _meta that is no object'],
    [{ ...good, outputSchema: null }, 'has an outputSchema that is not an object'],
    [{ ...good, outputSchema: true }, 'has an outputSchema that is not an object'],
  ])('leaves %j out [B69]', (definition, reason) => {
    expect(checkToolDefinition(definition)).toBe(reason);
  });

  it.each([
    [{ type: 'number', 'x-mcp-header': 'Region' }, 'needs type string, integer or boolean'],
    [
      { type: 'array', items: { type: 'string', 'x-mcp-header': 'Region' } },
      'stands where properties alone do not lead',
    ],
    [{ type: 'string', 'x-mcp-header': '' }, 'is not a header name'],
  ])('leaves a tool with the annotation in %j out [B75]', (property, reason) => {
    expect(tool({ inputSchema: { type: 'object', properties: { property } } })).toBe(
      `has an inputSchema whose x-mcp-header ${reason}`,
    );
  });

  it('leaves schemas out that would stall a validator, at once [B68] [B74]', () => {
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, {}]));
    const deep = nested(10_000, (inner) => ({ not: inner }));
    const branching = nested(20, (inner) => ({ anyOf: [inner, inner, inner] }));
    for (const [part, reason] of [
      [fields, 'has too many nodes'],
      [deep, 'is nested too deeply'],
      [branching, 'has too many nodes'],
      ['x'.repeat(SCHEMA_CHARS_MAX), 'is too long'],
    ] as const) {
      const schema = { type: 'object', properties: part === fields ? fields : {}, description: part };
      expect(tool({ inputSchema: schema })).toBe(`has an inputSchema that ${reason}`);
      expect(tool({ outputSchema: schema })).toBe(`has an outputSchema that ${reason}`);
    }
  });

  it('lets a schema be as deep and as wide as the limits say', () => {
    const deep = nested(SCHEMA_DEPTH_MAX - 2, (inner) => ({ not: inner }));
    expect(tool({ inputSchema: { type: 'object', not: deep } })).toBeUndefined();
    expect(tool({ inputSchema: { type: 'object', not: { not: deep } } })).toBe(
      'has an inputSchema that is nested too deeply',
    );
    const wide = Object.fromEntries(Array.from({ length: SCHEMA_NODES_MAX - 2 }, (_, i) => [i.toString(36), {}]));
    expect(tool({ inputSchema: { type: 'object', properties: wide } })).toBeUndefined();
    expect(tool({ inputSchema: { type: 'object', properties: { ...wide, one: {} } } })).toBe(
      'has an inputSchema that has too many nodes',
    );
  });
});

describe('checkPromptDefinition', () => {
  const prompt = (part: Record<string, unknown>) => checkPromptDefinition({ name: 'p', ...part });

  it('is content with a name, and with well-formed arguments', () => {
    expect(prompt({})).toBeUndefined();
    expect(
      prompt({ title: 'T', arguments: [{ name: 'a', title: 'A', description: 'D', required: true }, { name: 'b' }] }),
    ).toBeUndefined();
  });

  it.each([
    [null, 'is not an object'],
    [{}, 'has a name that is empty, too long or unprintable'],
    [{ name: 'a\nb' }, 'has a name that is empty, too long or unprintable'],
    [{ name: 'p', description: [] }, 'has a description that is no string or too long'],
    [{ name: 'p', arguments: {} }, 'has arguments that are no list or too many'],
    [{ name: 'p', arguments: null }, 'has arguments that are no list or too many'],
    [
      { name: 'p', arguments: Array.from({ length: PROMPT_ARGUMENTS_MAX + 1 }, (_, i) => ({ name: `a${i}` })) },
      'has arguments that are no list or too many',
    ],
    [{ name: 'p', arguments: ['a'] }, 'has an argument without a name'],
    [{ name: 'p', arguments: [{}] }, 'has an argument without a name'],
    [{ name: 'p', arguments: [{ name: 'a', required: 'yes' }] }, 'has an argument whose required is not a boolean'],
    [
      { name: 'p', arguments: [{ name: 'a', description: 5 }] },
      'has an argument that has a description that is no string or too long',
    ],
    [{ name: 'p', arguments: [{ name: 'a' }, { name: 'a' }] }, 'has two arguments of one name'],
  ])('leaves %j out', (definition, reason) => {
    expect(checkPromptDefinition(definition)).toBe(reason);
  });
});

describe('checkResourceDefinition', () => {
  const resource = (part: Record<string, unknown>) =>
    checkResourceDefinition({ uri: 'crm://accounts/1', name: 'account', ...part });

  it('is content with an absolute uri and a name', () => {
    expect(resource({})).toBeUndefined();
    expect(
      resource({ title: 'T', description: 'D', mimeType: 'text/plain', size: 0, annotations: { audience: ['user'] } }),
    ).toBeUndefined();
  });

  it.each([
    [null, 'is not an object'],
    [{ name: 'n' }, 'has no absolute uri'],
    [{ uri: 'accounts/1', name: 'n' }, 'has no absolute uri'],
    [{ uri: '/accounts/1', name: 'n' }, 'has no absolute uri'],
    [{ uri: 'crm://a b', name: 'n' }, 'has no absolute uri'],
    [{ uri: 5, name: 'n' }, 'has no absolute uri'],
    [{ uri: 'x:y' }, 'has no name'],
    [{ uri: 'x:y', name: '' }, 'has no name'],
    [{ uri: 'x:y', name: 5 }, 'has no name'],
    [{ uri: 'x:y', name: 'n', mimeType: 5 }, 'has a mimeType that is no string'],
    [{ uri: 'x:y', name: 'n', size: -1 }, 'has a size that is no count of bytes'],
    [{ uri: 'x:y', name: 'n', size: '5' }, 'has a size that is no count of bytes'],
    [{ uri: 'x:y', name: 'n', annotations: [] }, 'has annotations that are no object'],
  ])('leaves %j out', (definition, reason) => {
    expect(checkResourceDefinition(definition)).toBe(reason);
  });
});

describe('checkResourceTemplateDefinition', () => {
  it('is content with a template that can be matched and a name', () => {
    expect(
      checkResourceTemplateDefinition({ uriTemplate: 'crm://accounts/{id}', name: 'account', mimeType: 'text/plain' }),
    ).toBeUndefined();
  });

  it.each([
    [null, 'is not an object'],
    [{ name: 'n' }, 'uriTemplate is not a string'],
    [
      { uriTemplate: 'crm://{?q}', name: 'n' },
      'uriTemplate uses more of RFC 6570 than {name} and {+name}, or is malformed',
    ],
    [{ uriTemplate: 'crm://{id}' }, 'has no name'],
    [{ uriTemplate: 'crm://{id}', name: 'n', title: 5 }, 'has a title that is no string or too long'],
  ])('leaves %j out', (definition, reason) => {
    expect(checkResourceTemplateDefinition(definition)).toBe(reason);
  });
});
