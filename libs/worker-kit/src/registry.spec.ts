import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { catalogueSchema } from '@roundhouse/contracts';
import { Complete, Prompt, Resource, Tool, type ToolOptions } from './declarations.js';
import { WORKER_LIMITS } from './limits.js';
import { Registry } from './registry.js';

const worker = { name: 'spec', version: '1.0.0', title: 'Spec' };
const registryOf = (...providers: object[]) => new Registry(providers, { worker, limits: WORKER_LIMITS });

function toolOf(options: Partial<ToolOptions> & { headers?: Record<string, string> }): object {
  class One {
    @Tool({ name: 'one', description: 'One', ...options })
    one() {
      return 'x';
    }
  }
  return new One();
}

class Offers {
  @Tool({
    name: 'order',
    title: 'Order',
    description: 'Orders',
    input: z.object({ region: z.string().optional(), count: z.int().default(1) }),
    output: z.object({ id: z.string() }),
    headers: { region: 'Region' },
    requiredScopes: ['orders'],
    timeoutMs: 5_000,
    needs: { sampling: {} },
    singleUse: true,
    onDisconnect: 'finish',
    annotations: { destructiveHint: true },
  })
  order() {
    return 'x';
  }

  @Prompt({ name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }] })
  greet() {
    return 'x';
  }

  @Complete({ prompt: 'greet', argument: 'who' })
  who() {
    return [];
  }

  @Resource({ uri: 'test://a', name: 'a' })
  a() {
    return 'x';
  }

  @Resource({ uriTemplate: 'test://{id}/b', name: 'b', mimeType: 'text/plain' })
  b() {
    return 'x';
  }
}

let warn: jest.SpiedFunction<typeof Logger.prototype.warn>;
beforeEach(() => {
  warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});
afterEach(() => warn.mockRestore());

describe('the catalogue', () => {
  it('is what the contract describes', () => {
    const { catalogue } = registryOf(new Offers());
    expect(catalogueSchema.parse(catalogue)).toEqual(catalogue);
    expect(catalogue.tools).toEqual([
      {
        name: 'order',
        json: JSON.stringify({
          name: 'order',
          title: 'Order',
          description: 'Orders',
          inputSchema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            properties: {
              region: { type: 'string', 'x-mcp-header': 'Region' },
              count: {
                default: 1,
                type: 'integer',
                minimum: Number.MIN_SAFE_INTEGER,
                maximum: Number.MAX_SAFE_INTEGER,
              },
            },
          },
          outputSchema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            properties: { id: { type: 'string' } },
            required: ['id'],
            additionalProperties: false,
          },
          annotations: { destructiveHint: true },
        }),
        requiredScopes: ['orders'],
        timeoutMs: 5_000,
        needs: { sampling: {} },
        singleUse: true,
        onDisconnect: 'finish',
      },
    ]);
    expect(catalogue.resources.map(({ name }) => name)).toEqual(['test://a']);
    expect(catalogue.resourceTemplates.map(({ name }) => name)).toEqual(['test://{id}/b']);
    expect(catalogue.prompts.map(({ json }) => JSON.parse(json) as unknown)).toEqual([
      { name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true }] },
    ]);
  });

  it('has the same hash for the same entries and another for others', () => {
    const hash = registryOf(new Offers()).catalogue.hash;
    expect(registryOf(new Offers()).catalogue.hash).toBe(hash);
    expect(registryOf(new Offers(), toolOf({})).catalogue.hash).not.toBe(hash);
  });

  it('publishes a raw schema as it stands', () => {
    const rawInputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { a: { $anchor: 'a' } },
      allOf: [{}],
    };
    const [entry] = registryOf(toolOf({ rawInputSchema })).catalogue.tools;
    expect(JSON.parse(entry?.json ?? '')).toMatchObject({ inputSchema: rawInputSchema });
  });
});

describe('a worker does not boot with', () => {
  it.each<[string, Partial<ToolOptions>, RegExp]>([
    ['an empty name', { name: '' }, /name/],
    ['a space in a name', { name: 'a b' }, /name/],
    ['a name outside ASCII', { name: 'búsqueda' }, /name/],
    ['a name of 129 characters', { name: 'x'.repeat(129) }, /name/],
    ['no description', { description: '' }, /description/],
    ['two input schemas', { input: z.object({}), rawInputSchema: { type: 'object' } }, /not both/],
    ['a raw schema that is no object schema', { rawInputSchema: { type: 'string' } }, /object/],
    ['a raw schema that does not compile', { rawInputSchema: { type: 'object', $ref: '#/nowhere' } }, /nowhere/],
    ['a header for a field that does not exist', { headers: { region: 'Region' } }, /region/],
    [
      'a header on a field that is no primitive',
      { input: z.object({ a: z.array(z.string()) }), headers: { a: 'A' } },
      /x-mcp-header|header/i,
    ],
    ['a header name that is none', { input: z.object({ a: z.string() }), headers: { a: 'Bad Name' } }, /header/i],
    [
      'two fields with one header',
      { input: z.object({ a: z.string(), b: z.string() }), headers: { a: 'X', b: 'x' } },
      /header/i,
    ],
    ['open answers and singleUse', { answers: 'open', singleUse: true }, /open/],
    ['open answers and destructiveHint', { answers: 'open', annotations: { destructiveHint: true } }, /open/],
    ['onDisconnect without singleUse', { onDisconnect: 'abort' }, /onDisconnect/],
  ])('%s', (_, options, message) => {
    expect(() => registryOf(toolOf(options))).toThrow(message);
  });

  it('a raw schema that refers to another address, which nobody asks', async () => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const rawInputSchema = { type: 'object', properties: { a: { $ref: `http://127.0.0.1:${port}/schema.json` } } };
    expect(() => registryOf(toolOf({ rawInputSchema }))).toThrow('schema.json');
    server.close();
    await once(server, 'close');
    expect(asked).toEqual([]);
  });

  it('two tools of one name', () => {
    expect(() => registryOf(toolOf({}), toolOf({}))).toThrow('declared twice');
  });

  it('a completion of something it does not have', () => {
    class Lost {
      @Complete({ prompt: 'nowhere', argument: 'x' })
      complete() {
        return [];
      }
    }
    expect(() => registryOf(new Lost())).toThrow('nowhere');
  });
});

describe('a destructive tool', () => {
  it('warns when it is not singleUse', () => {
    registryOf(toolOf({ annotations: { destructiveHint: true } }));
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('destructive but not singleUse'));
  });

  it('is silent when it is', () => {
    registryOf(toolOf({ annotations: { destructiveHint: true }, singleUse: true }));
    expect(warn).not.toHaveBeenCalled();
  });
});
