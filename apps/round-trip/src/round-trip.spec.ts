import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WrongUsage, parseTask } from './command-line.js';
import { makeRoundTrip } from './round-trip.js';

const TOKEN = 'token-marker';
const STATE = 'state-marker';

interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly hasToken: boolean;
}
type Answer = { readonly status: number; readonly result?: unknown; readonly code?: number; readonly stream?: boolean };

let folder: string;
let tokenFile: string;
let servers: Server[];
let addresses: string[];
let asked: (Asked & { readonly router: number })[];
let lines: string[];
/** What one router does instead of what it should. */
let instead: (request: Asked & { readonly router: number }) => Answer | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'round-trip-'));
  tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  [servers, addresses, asked, lines, instead] = [[], [], [], [], () => undefined];
  for (const router of [0, 1]) addresses.push(await startRouter(router));
});
afterEach(() => {
  for (const server of servers) server.close();
});

/** What a router answers, as far as the check can tell. */
function answerTo({ method, params, hasToken }: Asked): Answer {
  if (!hasToken) return { status: 401 };
  if (method === 'server/discover') return { status: 200, result: { resultType: 'complete' } };
  if (method === 'tools/list') {
    const first = params['cursor'] === undefined;
    return {
      status: 200,
      result: first ? { tools: [{ name: 'echo' }], nextCursor: '2' } : { tools: [{ name: 'confirm_echo' }] },
    };
  }
  const complete = { status: 200, result: { resultType: 'complete', content: [{ text: 'round trip' }] } };
  if (params['name'] === 'echo') return complete;
  const inputRequests = { confirm: { method: 'elicitation/create' } };
  if (params['requestState'] === undefined)
    return { status: 200, result: { resultType: 'input_required', requestState: STATE, inputRequests } };
  return { ...complete, stream: true };
}

async function startRouter(router: number): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
      const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: Asked['params'] };
      const { host, authorization } = request.headers;
      const what = { router, method, params, host, path: request.url, hasToken: authorization === `Bearer ${TOKEN}` };
      asked.push(what);
      const { status, result, code, stream = false } = instead(what) ?? answerTo(what);
      const message = JSON.stringify({ jsonrpc: '2.0', id, ...(code ? { error: { code, message: '' } } : { result }) });
      response.writeHead(status, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      response.end(
        stream
          ? `: alive\n\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\ndata: ${message}\n\n`
          : message,
      );
    })();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const lookup = async (): Promise<readonly string[]> => ['127.0.0.1'];
const usual = (): string[] => [
  '--url=https://mcp.example.com/tools/mcp',
  '--wait=0',
  ...addresses.map((each) => `--router=${each}`),
];
function check(...args: readonly string[]): Promise<void> {
  const task = parseTask([...usual(), ...args]);
  return makeRoundTrip(task!, { lookup, print: (line) => lines.push(line) });
}

describe('the round trip', () => {
  it('asks every router by itself, as a client of the public address', async () => {
    await check(`--token-file=${tokenFile}`);
    expect(lines.at(-1)).toBe('ok  confirm_echo completes after 2 rounds, each on another router than the one before');
    expect(new Set(asked.map(({ host, path }) => `${host} ${path}`))).toEqual(new Set(['mcp.example.com /tools/mcp']));
    const steps = ['server/discover', 'tools/list', 'tools/call'];
    for (const router of [0, 1]) {
      const methods = asked.filter((each) => each.router === router && each.hasToken).map(({ method }) => method);
      expect(methods).toEqual(expect.arrayContaining(steps));
    }
  });

  it('answers on one router what another one asked', async () => {
    await check(`--token-file=${tokenFile}`);
    const rounds = asked.filter(({ params }) => params['name'] === 'confirm_echo');
    expect(rounds.map(({ router }) => router)).toEqual([0, 1]);
    expect(rounds[1]?.params).toMatchObject({
      requestState: STATE,
      inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
    });
  });

  it('without a token makes sure of the refusal and says that it did nothing else', async () => {
    await check();
    expect(lines.at(-1)).toBe('--  no token was given: nothing else was checked');
    expect(asked.filter(({ method }) => method === 'tools/call')).toEqual([]);
  });

  it('prints no token and no state', async () => {
    await check(`--token-file=${tokenFile}`);
    expect(lines.join()).not.toMatch(/marker/);
  });

  it('finds routers by name', async () => {
    const [, port] = addresses[0]!.split(':');
    const task = parseTask(['--url=http://a/mcp', '--wait=0', '--routers-min=1', `--routers-dns=routers:${port}`]);
    await makeRoundTrip(task!, { lookup, print: (line) => lines.push(line) });
    expect(lines[0]).toBe(`ok  1 routers answer: ${addresses[0]}`);
  });
});

describe('fails when', () => {
  const second = (condition: (request: Asked) => boolean, answer: Answer) => (request: Asked & { router: number }) =>
    request.router === 1 && condition(request) ? answer : undefined;
  const called =
    (name: string) =>
    ({ params }: Asked) =>
      params['name'] === name;

  it.each<[string, typeof instead, string]>([
    [
      'a router serves without a token',
      second(({ hasToken }) => !hasToken, { status: 200, result: {} }),
      'with 200 instead of 401',
    ],
    [
      'a router refuses the token',
      second(({ hasToken }) => hasToken, { status: 401 }),
      'server/discover with status 401',
    ],
    [
      'a router does not list a tool',
      second(({ params }) => params['cursor'] !== undefined, { status: 200, result: { tools: [] } }),
      'does not list confirm_echo',
    ],
    [
      'a router does not answer a call',
      second(called('echo'), { status: 503, code: -32603 }),
      'echo with status 503, error -32603',
    ],
    [
      'a tool fails',
      second(called('echo'), { status: 200, result: { resultType: 'complete', isError: true } }),
      'with an error of the tool',
    ],
    [
      'a call is answered with a question',
      second(called('echo'), { status: 200, result: { resultType: 'input_required' } }),
      'does not complete the call',
    ],
    [
      'another router refuses the state',
      second(called('confirm_echo'), { status: 200, code: -32602 }),
      'confirm_echo with status 200, error -32602',
    ],
    [
      'a flow never ends',
      (request) =>
        called('confirm_echo')(request)
          ? { status: 200, result: { resultType: 'input_required', inputRequests: {} } }
          : undefined,
      'asks more than 8 times',
    ],
    [
      'a flow asks something else',
      (request) =>
        called('confirm_echo')(request)
          ? { status: 200, result: { resultType: 'input_required', inputRequests: { other: {} } } }
          : undefined,
      'asks other, for which there is no answer',
    ],
    [
      'a flow does not ask',
      (request) => (called('confirm_echo')(request) ? { status: 200, result: { resultType: 'complete' } } : undefined),
      'is not asked back',
    ],
    ['a proxy answers instead', second(({ hasToken }) => hasToken, { status: 502 }), 'status 502'],
  ])('%s', async (_name, deviation, words) => {
    instead = deviation;
    await expect(check(`--token-file=${tokenFile}`)).rejects.toThrow(words);
  });

  it('there are fewer routers than there should be', async () => {
    await expect(check('--routers-min=3')).rejects.toThrow('2 routers were found, 3 are needed');
  });

  it('one router is away', async () => {
    await expect(check('--router=127.0.0.1:1')).rejects.toThrow('127.0.0.1:1 cannot be reached');
  });

  it('the name of the routers has no addresses', async () => {
    const task = parseTask(['--url=http://a/mcp', '--wait=0', '--routers-dns=routers:3000']);
    const nowhere = { lookup: async () => Promise.reject(new Error('ENOTFOUND')), print: () => undefined };
    await expect(makeRoundTrip(task!, nowhere)).rejects.toThrow('0 routers were found');
  });
});

describe('the command line refuses', () => {
  it.each<[string, string[], string]>([
    ['no address', ['--router=a:1'], '--url is'],
    ['an address of another kind', ['--url=ftp://a', '--router=a:1'], '--url is'],
    ['no router', ['--url=http://a'], '--router or --routers-dns is missing'],
    ['a router without a port', ['--url=http://a', '--router=a'], 'a is not host:port'],
    ['a call that is no JSON', ['--url=http://a', '--router=a:1', '--call=echo'], '--call is a JSON object'],
    ['a call without a name', ['--url=http://a', '--router=a:1', '--flow={}'], '--flow is {"name", "arguments"}'],
    ['a negative wait', ['--url=http://a', '--router=a:1', '--wait=-1'], '--wait is a number'],
    [
      'a token that is not there',
      ['--url=http://a', '--router=a:1', '--token-file=/nowhere'],
      '--token-file cannot be read',
    ],
    ['what it does not know', ['--url=http://a', '--router=a:1', '--tokn=x'], "Unknown option '--tokn'"],
  ])('%s', (_name, args, words) => {
    expect(() => parseTask(args)).toThrow(WrongUsage);
    expect(() => parseTask(args)).toThrow(words);
  });
});
