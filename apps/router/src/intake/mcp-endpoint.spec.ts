import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { META } from '@roundhouse/protocol';
import { of } from 'rxjs';
import { RouterUnderTest, modernMessage, standardHeaders, type RawRequest } from '../testing/router-under-test.js';
import { completes } from '../testing/replies.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const worker = new ScriptedWorker({
  echo: { script: (request) => completes(request.body ?? 'none') },
  routed: {
    definition: {
      inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    },
    script: () => completes('routed'),
  },
  needy: { entry: { needs: { sampling: {} } }, script: () => completes('sampled') },
  odd: {
    script: () =>
      of({ kind: 'complete', body: '{"content":[{"type":"text","text":"a\\u2028b"}]}'.replace('\\u2028', '\u2028') }),
  },
});
let router: RouterUnderTest;

beforeAll(async () => {
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    allowedHosts: ['127.0.0.1', 'mcp.example.com'],
    allowedOrigins: ['https://app.example.com'],
    limits: { ...config.limits, bodyBytesMax: 64 * 1024 },
  }));
});
afterAll(() => router.stop());

const LIST = modernMessage('tools/list', {});
const LIST_HEADERS = standardHeaders('tools/list', {});
const CALL = modernMessage('tools/call', { name: 'echo', arguments: {} });
const CALL_HEADERS = standardHeaders('tools/call', { name: 'echo' });
const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

interface Row {
  readonly rule: string;
  readonly raw: RawRequest;
  readonly status: number;
  readonly code: number;
  readonly id?: unknown;
}

const list = (headers: RawRequest['headers'], body: unknown = LIST): RawRequest => ({
  headers: { ...LIST_HEADERS, ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const call = (headers: RawRequest['headers'], body: unknown = CALL): RawRequest =>
  list({ ...CALL_HEADERS, ...headers }, body);
const withMeta = (meta: unknown): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
const CAPABLE = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };

const ROWS: Row[] = [
  { rule: 'GET is not served', raw: { verb: 'GET' }, status: 405, code: -32600 },
  { rule: 'DELETE is not served', raw: { verb: 'DELETE' }, status: 405, code: -32600 },
  { rule: 'PUT is not served', raw: { verb: 'PUT', body: '{}' }, status: 405, code: -32600 },
  { rule: 'a foreign Host is refused', raw: list({ host: 'evil.example.com' }), status: 403, code: -32600 },
  {
    rule: 'a Host that only begins like ours is refused',
    raw: list({ host: 'mcp.example.com.evil.example' }),
    status: 403,
    code: -32600,
  },
  { rule: 'a foreign Origin is refused', raw: list({ origin: 'https://evil.example.com' }), status: 403, code: -32600 },
  { rule: 'Origin null is refused', raw: list({ origin: 'null' }), status: 403, code: -32600 },
  {
    rule: 'a foreign Host is refused before the verb is judged',
    raw: { verb: 'GET', headers: { host: 'evil.example.com' } },
    status: 403,
    code: -32600,
  },
  { rule: 'JSON must be acceptable', raw: list({ accept: 'text/event-stream' }), status: 406, code: -32600 },
  {
    rule: 'JSON refused by quality is not acceptable',
    raw: list({ accept: 'application/json;q=0' }),
    status: 406,
    code: -32600,
  },
  { rule: 'text/plain is not parsed', raw: list({ 'content-type': 'text/plain' }), status: 415, code: -32600 },
  {
    rule: 'application/jsonp is not JSON',
    raw: list({ 'content-type': 'application/jsonp' }),
    status: 415,
    code: -32600,
  },
  {
    rule: 'UTF-16 is not served',
    raw: list({ 'content-type': 'application/json; charset=utf-16' }),
    status: 415,
    code: -32600,
  },
  { rule: 'a missing Content-Type is refused', raw: list({ 'content-type': undefined }), status: 415, code: -32600 },
  { rule: 'a compressed body is refused', raw: list({ 'content-encoding': 'gzip' }), status: 415, code: -32600 },
  { rule: 'a body over the limit is refused', raw: list({}, `"${'x'.repeat(64 * 1024)}"`), status: 413, code: -32600 },
  { rule: 'half a body is not JSON', raw: list({}, '{'), status: 400, code: -32700 },
  { rule: 'an empty body is not JSON', raw: list({}, ''), status: 400, code: -32700 },
  { rule: 'a byte order mark is not JSON', raw: list({}, `\ufeff${JSON.stringify(LIST)}`), status: 400, code: -32700 },
  {
    rule: 'bytes that are not UTF-8 are not JSON',
    raw: { headers: LIST_HEADERS, body: Buffer.from([0x7b, 0xff, 0x7d]) },
    status: 400,
    code: -32700,
  },
  { rule: 'a batch is refused', raw: list({}, [LIST, LIST]), status: 400, code: -32600 },
  { rule: 'an empty batch is refused', raw: list({}, ' [ ]'), status: 400, code: -32600 },
  { rule: 'a string is no message', raw: list({}, '"x"'), status: 400, code: -32600 },
  { rule: 'a number is no message', raw: list({}, '1'), status: 400, code: -32600 },
  { rule: 'null is no message', raw: list({}, 'null'), status: 400, code: -32600 },
  { rule: 'jsonrpc 1.0 is refused', raw: list({}, { ...LIST, jsonrpc: '1.0' }), status: 400, code: -32600, id: 1 },
  {
    rule: 'a missing jsonrpc is refused',
    raw: list({}, { ...LIST, jsonrpc: undefined }),
    status: 400,
    code: -32600,
    id: 1,
  },
  {
    rule: 'a method that is not a string is refused',
    raw: list({}, { ...LIST, method: 5 }),
    status: 400,
    code: -32600,
    id: 1,
  },
  { rule: 'id null is refused', raw: list({}, { ...LIST, id: null }), status: 400, code: -32600 },
  { rule: 'an object as id is refused', raw: list({}, { ...LIST, id: {} }), status: 400, code: -32600 },
  { rule: 'an array as id is refused', raw: list({}, { ...LIST, id: [1] }), status: 400, code: -32600 },
  { rule: 'a boolean as id is refused', raw: list({}, { ...LIST, id: true }), status: 400, code: -32600 },
  { rule: 'a fraction as id is refused', raw: list({}, { ...LIST, id: 1.5 }), status: 400, code: -32600 },
  {
    rule: 'a response is refused',
    raw: list({}, { jsonrpc: '2.0', id: 1, result: {} }),
    status: 400,
    code: -32600,
    id: 1,
  },
  { rule: 'params as a list is refused', raw: list({}, { ...LIST, params: [] }), status: 400, code: -32600, id: 1 },
  {
    rule: 'arguments nested 100 levels deep are refused',
    raw: call({}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${nested(100)}}}`),
    status: 400,
    code: -32602,
  },
  {
    rule: 'arguments nested 10,000 levels deep are refused',
    raw: call({}, `{"params":{"arguments":${nested(10_000)}}}`),
    status: 400,
    code: -32602,
  },
  {
    rule: 'a _meta nested too deeply is refused',
    raw: list({}, `{"params":{"_meta":${nested(1_000)}}}`),
    status: 400,
    code: -32602,
  },
  {
    rule: 'the envelope is required',
    raw: list({}, { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    status: 400,
    code: -32602,
    id: 1,
  },
  { rule: 'a null envelope counts as missing', raw: list({}, withMeta(null)), status: 400, code: -32602, id: 1 },
  {
    rule: 'the version in the envelope is required',
    raw: list({}, withMeta({ [META.clientCapabilities]: {} })),
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    rule: 'the version in the envelope is a string',
    raw: list({}, withMeta({ ...CAPABLE, [META.protocolVersion]: 5 })),
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    rule: 'the capabilities in the envelope are required',
    raw: list({}, withMeta({ [META.protocolVersion]: '2026-07-28' })),
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    rule: 'capabilities as a list count as missing',
    raw: list({}, withMeta({ ...CAPABLE, [META.clientCapabilities]: [] })),
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    rule: 'an unknown log level is refused',
    raw: list({}, withMeta({ ...CAPABLE, [META.logLevel]: 'loud' })),
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    rule: 'an older initialize must say what its client can do',
    raw: {
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}',
    },
    status: 200,
    code: -32602,
    id: 0,
  },
  {
    rule: 'an older client without a session is told to initialize',
    raw: {
      headers: { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    },
    status: 400,
    code: -32600,
    id: 1,
  },
  {
    rule: 'the version header must say what the envelope says',
    raw: list({ 'mcp-protocol-version': '2026-07-28' }, withMeta({ ...CAPABLE, [META.protocolVersion]: 'v999.0.0' })),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'a version nobody serves is named',
    raw: list({ 'mcp-protocol-version': 'v999.0.0' }, withMeta({ ...CAPABLE, [META.protocolVersion]: 'v999.0.0' })),
    status: 400,
    code: -32022,
    id: 1,
  },
  {
    rule: 'a version nobody serves wins over a missing method header',
    raw: list(
      { 'mcp-protocol-version': '1900-01-01', 'mcp-method': undefined },
      withMeta({ ...CAPABLE, [META.protocolVersion]: '1900-01-01' }),
    ),
    status: 400,
    code: -32022,
    id: 1,
  },
  {
    rule: 'a legacy version inside an envelope is not served',
    raw: list({ 'mcp-protocol-version': '2025-11-25' }, withMeta({ ...CAPABLE, [META.protocolVersion]: '2025-11-25' })),
    status: 400,
    code: -32022,
    id: 1,
  },
  {
    rule: 'the version header is required',
    raw: list({ 'mcp-protocol-version': undefined }),
    status: 400,
    code: -32020,
    id: 1,
  },
  { rule: 'the method header is required', raw: list({ 'mcp-method': undefined }), status: 400, code: -32020, id: 1 },
  {
    rule: 'the method header must say what the body says',
    raw: call({ 'mcp-method': 'tools/list' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'the method header is case-sensitive',
    raw: list({ 'mcp-method': 'TOOLS/LIST' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  { rule: 'the name header is required', raw: call({ 'mcp-name': undefined }), status: 400, code: -32020, id: 1 },
  {
    rule: 'the name header must say what the body says',
    raw: call({ 'mcp-name': 'routed' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'a name header that is bad base64 is refused',
    raw: call({ 'mcp-name': '=?base64?e!!!?=' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'a repeated name header is refused',
    raw: call({ 'mcp-name': ['echo', 'echo'] }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'a repeated version header is refused',
    raw: list({ 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] }),
    status: 400,
    code: -32020,
    id: 1,
  },
  ...[
    'ping',
    'initialize',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
    'unknown/method',
    'constructor',
  ].map((method) => ({
    rule: `${method} is not served in a modern envelope`,
    raw: list({ 'mcp-method': method }, { ...LIST, method }),
    status: 404,
    code: -32601,
    id: 1,
  })),
  {
    rule: 'a capability that the tool needs must be declared',
    raw: call({ 'mcp-name': 'needy' }, modernMessage('tools/call', { name: 'needy' })),
    status: 400,
    code: -32021,
    id: 1,
  },
  {
    rule: 'a mirrored argument needs its header',
    raw: call({ 'mcp-name': 'routed' }, modernMessage('tools/call', { name: 'routed', arguments: { region: 'eu' } })),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'a mirrored argument must equal its header',
    raw: call(
      { 'mcp-name': 'routed', 'mcp-param-region': 'us' },
      modernMessage('tools/call', { name: 'routed', arguments: { region: 'eu' } }),
    ),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'a repeated parameter header is refused',
    raw: call(
      { 'mcp-name': 'routed', 'mcp-param-region': ['eu', 'eu'] },
      modernMessage('tools/call', { name: 'routed', arguments: { region: 'eu' } }),
    ),
    status: 400,
    code: -32020,
    id: 1,
  },
  ...['nope', '__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => ({
    rule: `${name} is no tool`,
    raw: call({ 'mcp-name': name }, modernMessage('tools/call', { name })),
    status: 200,
    code: -32602,
    id: 1,
  })),
  {
    rule: 'a tool name must be a string',
    raw: call({ 'mcp-name': undefined }, modernMessage('tools/call', { name: 5 })),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    rule: 'arguments must be an object',
    raw: call({}, modernMessage('tools/call', { name: 'echo', arguments: [1] })),
    status: 200,
    code: -32602,
    id: 1,
  },
  {
    rule: 'null is not arguments',
    raw: call({}, modernMessage('tools/call', { name: 'echo', arguments: null })),
    status: 200,
    code: -32602,
    id: 1,
  },
  {
    rule: 'a prompt nobody serves is unknown',
    raw: list({ 'mcp-method': 'prompts/get', 'mcp-name': 'p' }, modernMessage('prompts/get', { name: 'p' })),
    status: 200,
    code: -32602,
    id: 1,
  },
  {
    rule: 'a cursor nobody gave is refused',
    raw: list({}, modernMessage('tools/list', { cursor: '' })),
    status: 200,
    code: -32602,
    id: 1,
  },
  {
    rule: 'a listen without a filter is refused',
    raw: list({ 'mcp-method': 'subscriptions/listen' }, modernMessage('subscriptions/listen', {})),
    status: 200,
    code: -32602,
    id: 1,
  },
  {
    rule: 'a completion without a reference is refused',
    raw: list({ 'mcp-method': 'completion/complete' }, modernMessage('completion/complete', {})),
    status: 200,
    code: -32602,
    id: 1,
  },
];

describe('the ladder', () => {
  it.each(ROWS)('$rule', async ({ raw, status, code, id }) => {
    const before = worker.calls.length;
    const answer = await router.send(raw);
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([status, code, id]);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.text).not.toContain('\n');
    expect(worker.calls).toHaveLength(before);
  });

  it('goes on serving after every refusal', async () => {
    expect((await router.call('tools/list', {})).status).toBe(200);
  });

  it('names the verb it serves', async () => {
    expect((await router.send({ verb: 'GET' })).headers.allow).toBe('POST');
  });

  it('names what is supported and what was asked for', async () => {
    const answer = await router.send(
      list({ 'mcp-protocol-version': 'v9' }, withMeta({ ...CAPABLE, [META.protocolVersion]: 'v9' })),
    );
    expect(answer.body.error?.data).toEqual({ supported: ['2026-07-28'], requested: 'v9' });
  });

  it('names the missing capability as an object', async () => {
    const answer = await router.tool('needy', {});
    expect(answer.body.error?.data).toEqual({ requiredCapabilities: { sampling: {} } });
  });

  it('names the resource that is not there', async () => {
    const answer = await router.call('resources/read', { uri: 'test://nope' });
    expect([answer.status, answer.body.error?.code, answer.body.error?.data]).toEqual([
      200,
      -32602,
      { uri: 'test://nope' },
    ]);
  });

  it('accepts a notification and does nothing', async () => {
    const answer = await router.send(
      list({}, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    );
    expect([answer.status, answer.text]).toEqual([202, '']);
  });
});

describe('a well-formed request', () => {
  it.each([
    ['a charset in Content-Type', { 'content-type': 'application/json; charset=utf-8' }],
    ['a quoted charset', { 'content-type': 'application/json;charset="UTF-8"' }],
    ['Content-Type in capitals', { 'content-type': 'Application/JSON' }],
    ['any Accept', { accept: '*/*' }],
    ['no Accept', { accept: undefined }],
    ['JSON alone in Accept', { accept: 'application/json' }],
    ['Accept with qualities', { accept: 'text/event-stream;q=0.1, application/json' }],
    ['a padded method header', { 'mcp-method': '  tools/list ' }],
    ['header names in capitals', { 'MCP-METHOD': 'tools/list', 'mcp-method': undefined }],
    ['a listed Host', { host: 'mcp.example.com' }],
    ['a listed Host with a port', { host: 'mcp.example.com:443' }],
    ['a listed Host in capitals', { host: 'MCP.EXAMPLE.COM' }],
    ['a listed Origin', { origin: 'https://app.example.com' }],
    ['a stray session id', { 'mcp-session-id': 'abc' }],
    ['a stray Last-Event-ID', { 'last-event-id': '7' }],
    ['a forwarded host of somebody else', { 'x-forwarded-host': 'evil.example' }],
    ['a header for a parameter nobody knows', { 'mcp-param-unknown': '=?base64?!!?=' }],
  ])('is served with %s', async (_what, headers) => {
    expect((await router.send(list(headers))).status).toBe(200);
  });

  it('is served without client info', async () => {
    expect((await router.send(list({}, withMeta(CAPABLE)))).status).toBe(200);
  });

  it('gets its own id back, whatever others use at the same time', async () => {
    const ids = [1, 1, 1, 'a', '', 0, -5, Number.MAX_SAFE_INTEGER];
    const answers = await Promise.all(ids.map((id, at) => router.tool('echo', { at }, { id })));
    expect(answers.map(({ body }) => [body.id, body.result?.content?.[0]?.text])).toEqual(
      ids.map((id, at) => [id, `{"at":${at}}`]),
    );
  });

  it('reaches the worker with its arguments as they were written', async () => {
    const text = '{ "big": 12345678901234567890, "x": 1.0, "s": "\\udc00", "__proto__": {"admin": true} }';
    const body = JSON.stringify(modernMessage('tools/call', { name: 'echo', arguments: 'HERE' })).replace(
      '"HERE"',
      text,
    );
    const answer = await router.send(call({}, body));
    expect(answer.body.result?.content?.[0]?.text).toBe(text);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('without arguments reaches the worker without any', async () => {
    expect((await router.call('tools/call', { name: 'echo' })).body.result?.content?.[0]?.text).toBe('none');
  });

  it('takes a mirrored argument in either spelling', async () => {
    const encoded = { 'mcp-param-region': '=?base64?w6k=?=' };
    const answer = await router.tool('routed', { region: 'é' }, { headers: encoded });
    expect(answer.body.result?.content?.[0]?.text).toBe('routed');
  });

  it('gets whole text back even with line separators in it', async () => {
    expect((await router.tool('odd', {})).body.result?.content?.[0]?.text).toBe('a\u2028b');
  });

  it('says who the router is in every result', async () => {
    for (const method of [
      'server/discover',
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]) {
      const { body } = await router.call(method, {});
      expect(body.result).toMatchObject({
        resultType: 'complete',
        ttlMs: expect.any(Number),
        _meta: { [META.serverInfo]: { name: 'roundhouse' } },
      });
    }
  });

  it('answers a preflight of a listed origin, and names it on the answer itself', async () => {
    const origin = 'https://app.example.com';
    const preflight = await router.send({
      verb: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'content-type, mcp-param-region, x-evil' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, origin]);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/mcp-name, mcp-param-region$/);
    expect((await router.send(list({ origin }))).headers['access-control-allow-origin']).toBe(origin);
  });

  it('is refused to everybody while access is closed', async () => {
    const closed = await RouterUnderTest.start([], (config) => ({
      ...config,
      auth: { ...config.auth, mode: 'closed' },
    }));
    const answer = await closed.call('tools/list', {}, { principal: 'alice' });
    await closed.stop();
    expect([answer.status, answer.body.id]).toEqual([401, undefined]);
  });

  it('is refused with a principal that no header may carry', async () => {
    expect((await router.call('tools/list', {}, { headers: { 'x-roundhouse-principal': 'two words' } })).status).toBe(
      401,
    );
  });
});
