import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoundhouseError } from '@roundhouse/errors';
import { z } from 'zod';
import { defineConfig } from './define-config.js';
import { printConfigProblem } from './config-problem.js';

const schema = z.strictObject({
  publicUrl: z.url().describe('Where clients reach us.'),
  listen: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
      port: z.int().min(0).max(65_535).default(3000).describe('Port to listen on.'),
    })
    .prefault({}),
  origins: z.array(z.string()).default([]).describe('Allowed origins.'),
  ports: z.array(z.int()).default([]),
  sampling: z.number().min(0).max(1).default(0.1),
  secure: z.boolean().default(true),
  level: z.enum(['debug', 'info']).default('info'),
  token: z.string().max(3).optional(),
  discovery: z
    .discriminatedUnion('driver', [
      z.strictObject({ driver: z.literal('static'), workers: z.record(z.string(), z.strictObject({ port: z.int() })) }),
      z.strictObject({ driver: z.literal('dns'), name: z.string() }),
    ])
    .optional()
    .describe('How workers are found.'),
});
const router = defineConfig({
  name: 'router',
  schema,
  env: {
    publicUrl: 'RH_PUBLIC_URL',
    'listen.port': 'RH_LISTEN_PORT',
    origins: 'RH_ORIGINS',
    ports: 'RH_PORTS',
    sampling: 'RH_SAMPLING',
    secure: 'RH_SECURE',
    token: 'RH_TOKEN',
    'discovery.driver': 'RH_DISCOVERY_DRIVER',
    'discovery.name': 'RH_DISCOVERY_NAME',
  },
});
const PUBLIC_URL = 'https://mcp.example/mcp';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function withFile(text: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, text);
  return { ...env, ROUNDHOUSE_CONFIG_FILE: path };
}

function refusalOf(env: NodeJS.ProcessEnv): RoundhouseError {
  try {
    router.load(env);
  } catch (thrown) {
    const error = RoundhouseError.from(thrown);
    expect(error).toMatchObject({ code: 'config_invalid', reason: 'config_malformed' });
    return error;
  }
  throw new Error('nothing was refused');
}

const problemsOf = (env: NodeJS.ProcessEnv) => String(refusalOf(env).facts['problems']).split('\n');

describe('loading', () => {
  it('fills in the defaults of nested objects', () => {
    expect(router.load({ RH_PUBLIC_URL: PUBLIC_URL })).toEqual({
      publicUrl: PUBLIC_URL,
      listen: { host: '127.0.0.1', port: 3000 },
      origins: [],
      ports: [],
      sampling: 0.1,
      secure: true,
      level: 'info',
    });
  });

  it('takes the section of its own name and ignores those of other processes', () => {
    const env = withFile(`router:\n  publicUrl: ${PUBLIC_URL}\n  listen: { port: 8080 }\nreplay:\n  anything: goes\n`);
    expect(router.load(env).listen).toEqual({ host: '127.0.0.1', port: 8080 });
  });

  it('lets the environment override the file', () => {
    const env = withFile(`router: { publicUrl: ${PUBLIC_URL}, listen: { host: '::', port: 1 } }`, {
      RH_LISTEN_PORT: '2',
    });
    expect(router.load(env).listen).toEqual({ host: '::', port: 2 });
  });

  it('makes a variable what the schema expects', () => {
    const env = {
      RH_PUBLIC_URL: PUBLIC_URL,
      RH_LISTEN_PORT: ' 8080 ',
      RH_ORIGINS: 'https://a.example, https://b.example,',
      RH_PORTS: '1,2',
      RH_SAMPLING: '0.25',
      RH_SECURE: 'false',
      RH_TOKEN: '123',
    };
    expect(router.load(env)).toMatchObject({
      listen: { port: 8080 },
      origins: ['https://a.example', 'https://b.example'],
      ports: [1, 2],
      sampling: 0.25,
      secure: false,
      token: '123',
    });
  });

  it('counts an empty variable as not set', () => {
    expect(router.load({ RH_PUBLIC_URL: PUBLIC_URL, RH_LISTEN_PORT: '', RH_ORIGINS: ' ' }).listen.port).toBe(3000);
    expect(router.load({ RH_PUBLIC_URL: PUBLIC_URL, ROUNDHOUSE_CONFIG_FILE: '' }).secure).toBe(true);
  });

  it('fills a branch of a union from the environment', () => {
    const env = { RH_PUBLIC_URL: PUBLIC_URL, RH_DISCOVERY_DRIVER: 'dns', RH_DISCOVERY_NAME: 'workers' };
    expect(router.load(env).discovery).toEqual({ driver: 'dns', name: 'workers' });
  });

  it('reads nothing but the environment it is given', () => {
    process.env['RH_PUBLIC_URL'] = PUBLIC_URL;
    try {
      expect(problemsOf({})).toHaveLength(1);
    } finally {
      delete process.env['RH_PUBLIC_URL'];
    }
  });
});

describe('parsing a text', () => {
  it('gives what the schema makes of the section', () => {
    expect(router.parse(`router:\n  publicUrl: ${PUBLIC_URL}\n`)).toMatchObject({ secure: true });
  });

  it('names the line of what is wrong', () => {
    const text = `router:\n  publicUrl: ${PUBLIC_URL}\n  ports: [1, x]\n`;
    expect(() => router.parse(text)).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ problems: expect.stringMatching(/line 3 of the/) }) }),
    );
  });
});

describe('refusing', () => {
  it.each([
    [
      'RH_LISTEN_PORT',
      'tcp://10.0.0.1:80',
      'router.listen.port: Invalid input: expected number, received string (RH_LISTEN_PORT)',
    ],
    ['RH_LISTEN_PORT', '80.5', 'router.listen.port: Invalid input: expected int, received number (RH_LISTEN_PORT)'],
    ['RH_LISTEN_PORT', '65536', 'router.listen.port: Too big: expected number to be <=65535 (RH_LISTEN_PORT)'],
    ['RH_LISTEN_PORT', '0x50', 'router.listen.port: Invalid input: expected number, received string (RH_LISTEN_PORT)'],
    ['RH_LISTEN_PORT', '1e3', 'router.listen.port: Invalid input: expected number, received string (RH_LISTEN_PORT)'],
    ['RH_SAMPLING', '1.5', 'router.sampling: Too big: expected number to be <=1 (RH_SAMPLING)'],
    ['RH_SAMPLING', 'NaN', 'router.sampling: Invalid input: expected number, received string (RH_SAMPLING)'],
    ['RH_SECURE', 'yes', 'router.secure: Invalid input: expected boolean, received string (RH_SECURE)'],
    ['RH_SECURE', '0', 'router.secure: Invalid input: expected boolean, received string (RH_SECURE)'],
    ['RH_PORTS', '1,x', 'router.ports[1]: Invalid input: expected number, received string (RH_PORTS)'],
    ['RH_PUBLIC_URL', 'nowhere', 'router.publicUrl: Invalid URL (RH_PUBLIC_URL)'],
    ['RH_DISCOVERY_DRIVER', 'etcd', 'router.discovery.driver: expected one of "static", "dns" (RH_DISCOVERY_DRIVER)'],
  ])('names the variable and the rule for %s=%s', (name, value, problem) => {
    expect(problemsOf({ RH_PUBLIC_URL: PUBLIC_URL, [name]: value })).toContain(problem);
  });

  it('tells which variable would set what is missing', () => {
    expect(problemsOf({})).toEqual(['router.publicUrl: is required (not set; RH_PUBLIC_URL or the file can set it)']);
  });

  it('tells what is missing and only the file can set', () => {
    const env = withFile('router:\n  discovery: { driver: static, workers: { a: {} } }\n', {
      RH_PUBLIC_URL: PUBLIC_URL,
    });
    expect(problemsOf(env)).toEqual(['router.discovery.workers.a.port: is required (not set)']);
  });

  it.each([
    ['an unknown key', 'router:\n  publicURL: x\n', 'router.publicURL: this key is unknown (line 2 of the file)'],
    [
      'an unknown nested key',
      'router:\n  listen:\n    prot: 1\n',
      'router.listen.prot: this key is unknown (line 3 of the file)',
    ],
    [
      'a wrong type',
      'router:\n  secure: "no"\n',
      'router.secure: Invalid input: expected boolean, received string (line 2 of the file)',
    ],
    [
      'a wrong list entry',
      'router:\n  ports:\n    - 1\n    - x\n',
      'router.ports[1]: Invalid input: expected number, received string (line 4 of the file)',
    ],
    [
      'an unknown word',
      'router:\n  level: loud\n',
      'router.level: Invalid option: expected one of "debug"|"info" (line 2 of the file)',
    ],
    [
      'a section that is text',
      'router: hello\n',
      'router: Invalid input: expected object, received string (line 1 of the file)',
    ],
    [
      'a section that is a list',
      'router: [a]\n',
      'router: Invalid input: expected object, received array (line 1 of the file)',
    ],
    [
      'an object that is text',
      'router:\n  listen: x\n',
      'router.listen: Invalid input: expected object, received string (line 2 of the file)',
    ],
    [
      'an object left empty',
      'router:\n  listen:\n',
      'router.listen: Invalid input: expected object, received null (line 2 of the file)',
    ],
    [
      'a driver not known',
      'router:\n  discovery:\n    driver: x\n',
      'router.discovery.driver: expected one of "static", "dns" (line 3 of the file)',
    ],
  ])('names the line and the rule for %s', (_what, text, problem) => {
    expect(problemsOf(withFile(text, { RH_PUBLIC_URL: PUBLIC_URL }))).toEqual([problem]);
  });

  it('does not let a variable hide that the file has text where an object belongs', () => {
    const env = withFile('router:\n  listen: x\n', { RH_PUBLIC_URL: PUBLIC_URL, RH_LISTEN_PORT: '1' });
    expect(problemsOf(env)).toEqual([
      'router.listen: Invalid input: expected object, received string (line 2 of the file)',
    ]);
  });

  it('does not take a default for a variable that cannot be read', () => {
    expect(problemsOf({ RH_PUBLIC_URL: PUBLIC_URL, RH_SECURE: 'tru' })).toHaveLength(1);
  });

  it('tells all problems at once, of the file and of the environment', () => {
    const env = withFile('router:\n  listen: { prot: 1 }\n  level: loud\n', { RH_SAMPLING: '7' });
    expect(problemsOf(env)).toHaveLength(4);
    expect(refusalOf(env).facts['problemCount']).toBe(4);
  });

  it('tells at most fifty problems and how many more there are', () => {
    const keys = Array.from({ length: 60 }, (_none, index) => `  key${index}: 1`).join('\n');
    const problems = problemsOf(withFile(`router:\n${keys}\n`, { RH_PUBLIC_URL: PUBLIC_URL }));
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toBe('and 10 more');
  });

  it('never tells a value', () => {
    const env = withFile('router:\n  token: [hunter2]\n  secure: hunter2\n  origins: hunter2\n  level: hunter2\n', {
      RH_PUBLIC_URL: 'hunter2',
      RH_LISTEN_PORT: 'hunter2',
      RH_DISCOVERY_DRIVER: 'hunter2',
    });
    const error = refusalOf(env);
    expect(error.facts['problemCount']).toBe(7);
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify([error.message, error.facts, error.data])).not.toContain('hunter2');
    expect(printConfigProblem(error)).not.toContain('hunter2');
  });

  it('keeps a key name short and on one line', () => {
    const problems = problemsOf(withFile(`router:\n  "a\\nb${'x'.repeat(500)}": 1\n`, { RH_PUBLIC_URL: PUBLIC_URL }));
    expect(problems).toHaveLength(1);
    expect(problems[0]!.length).toBeLessThan(130);
  });

  it('keeps the words of a rule that the schema adds itself, at the field it names', () => {
    const tls = defineConfig({
      name: 'router',
      schema: z
        .strictObject({ certificateFile: z.string().optional(), keyFile: z.string().optional() })
        .refine((tls) => (tls.certificateFile === undefined) === (tls.keyFile === undefined), {
          path: ['keyFile'],
          error: 'belongs with certificateFile',
        }),
      env: { certificateFile: 'RH_CERTIFICATE_FILE', keyFile: 'RH_KEY_FILE' },
    });
    expect(() => tls.load({ RH_CERTIFICATE_FILE: 'x' })).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({
          problems: 'router.keyFile: belongs with certificateFile (not set; RH_KEY_FILE or the file can set it)',
        }),
      }),
    );
  });
});

describe('defining', () => {
  const define = (spec: { schema?: z.ZodType; env?: Record<string, string> }) => () =>
    defineConfig({ name: 'router', schema, env: {}, ...spec });

  it('refuses a schema that would let a typo pass', () => {
    expect(define({ schema: z.object({ a: z.string() }) })).toThrow('router must be a strict object');
    expect(define({ schema: z.strictObject({ a: z.object({ b: z.string() }) }) })).toThrow('router.a must be');
    expect(define({ schema: z.strictObject({ a: z.array(z.looseObject({ b: z.string() })) }) })).toThrow('router.a[]');
    expect(define({ schema: z.strictObject({ a: z.record(z.string(), z.object({ b: z.string() })) }) })).toThrow(
      'router.a.<name>',
    );
  });

  it('refuses a variable for a field that the schema does not have', () => {
    expect(define({ env: { 'listen.prot': 'RH_PORT' } })).toThrow('no field listen.prot');
    expect(define({ env: { 'listen.toString': 'RH_PORT' } })).toThrow('no field listen.toString');
  });

  it('refuses one variable for two fields, and the name of the file', () => {
    expect(define({ env: { secure: 'RH_A', sampling: 'RH_A' } })).toThrow('RH_A is used twice');
    expect(define({ env: { secure: 'ROUNDHOUSE_CONFIG_FILE' } })).toThrow('ROUNDHOUSE_CONFIG_FILE is used twice');
  });

  it('refuses a variable for what does not fit into one', () => {
    expect(define({ env: { listen: 'RH_LISTEN' } })).toThrow('cannot be written as one environment variable');
    expect(define({ env: { 'discovery.workers': 'RH_WORKERS' } })).toThrow('cannot be written');
  });

  it('refuses a variable name that a shell cannot export', () => {
    expect(define({ env: { secure: 'rh.secure' } })).toThrow('not a name for an environment variable');
  });
});

describe('documenting', () => {
  it('lists each field with type, default, variable and description', () => {
    expect(router.document()).toEqual([
      {
        path: 'router.publicUrl',
        type: 'URL',
        required: true,
        env: 'RH_PUBLIC_URL',
        description: 'Where clients reach us.',
      },
      {
        path: 'router.listen.host',
        type: 'string',
        required: false,
        default: '"127.0.0.1"',
        description: 'Address to listen on.',
      },
      {
        path: 'router.listen.port',
        type: 'integer, 0 to 65535',
        required: false,
        default: '3000',
        env: 'RH_LISTEN_PORT',
        description: 'Port to listen on.',
      },
      {
        path: 'router.origins',
        type: 'list of string',
        required: false,
        default: '[]',
        env: 'RH_ORIGINS',
        description: 'Allowed origins.',
      },
      {
        path: 'router.ports',
        type: 'list of integer',
        required: false,
        default: '[]',
        env: 'RH_PORTS',
        description: '',
      },
      {
        path: 'router.sampling',
        type: 'number, 0 to 1',
        required: false,
        default: '0.1',
        env: 'RH_SAMPLING',
        description: '',
      },
      { path: 'router.secure', type: 'boolean', required: false, default: 'true', env: 'RH_SECURE', description: '' },
      { path: 'router.level', type: '"debug" | "info"', required: false, default: '"info"', description: '' },
      { path: 'router.token', type: 'string', required: false, env: 'RH_TOKEN', description: '' },
      { path: 'router.discovery', type: 'object', required: false, description: 'How workers are found.' },
      {
        path: 'router.discovery.driver',
        type: '"static" | "dns"',
        required: false,
        requiredWithin: 'router.discovery',
        env: 'RH_DISCOVERY_DRIVER',
        description: '',
      },
      {
        path: 'router.discovery.workers',
        type: 'map of name to object',
        required: false,
        requiredWithin: 'router.discovery',
        description: '',
      },
      {
        path: 'router.discovery.workers.<name>.port',
        type: 'integer',
        required: false,
        requiredWithin: 'router.discovery.workers',
        description: '',
      },
      {
        path: 'router.discovery.name',
        type: 'string',
        required: false,
        requiredWithin: 'router.discovery',
        env: 'RH_DISCOVERY_NAME',
        description: '',
      },
    ]);
  });
});
