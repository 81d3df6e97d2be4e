import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { tokenHash } from '@roundhouse/auth';
import { TestIssuer, createSigningKey, type SigningKey, type TokenOverrides } from '@roundhouse/testing';
import { SignJWT, calculateJwkThumbprint, type JWK } from 'jose';
import { routerConfig, type RouterConfig } from '../config.js';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type Answer, type RawRequest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const RESOURCE = 'http://127.0.0.1:3000/mcp';
const METADATA_URL = 'http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp';
const MARK = 'MARK_cookie_51ac';

let issuer: TestIssuer;
let worker: ScriptedWorker;
let router: RouterUnderTest;

beforeAll(async () => {
  issuer = await TestIssuer.start({ audience: RESOURCE });
});
afterAll(() => issuer.stop());

async function start(auth: Partial<RouterConfig['auth']> = {}, more: Partial<RouterConfig> = {}): Promise<void> {
  worker = new ScriptedWorker({
    echo: { script: () => completes('served') },
    asking: {
      entry: { singleUse: true },
      script: ({ answers }) => (answers?.['confirm'] ? completes('done') : asks({ confirm: confirmAsk() })),
    },
  });
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    ...more,
    development: { ...config.development, allowLoopbackIssuers: true },
    auth: {
      ...config.auth,
      mode: 'oauth',
      issuers: issuersFor(issuer.url),
      scopesSupported: ['mcp:read'],
      ...auth,
    },
  }));
}

/** Settings of one issuer with the defaults of the schema. */
function issuersFor(url: string): RouterConfig['auth']['issuers'] {
  const defaults = { algorithms: ['ES256' as const], requireAtJwt: true, scopeClaim: 'scope', claims: [] };
  return [{ issuer: url, ...defaults, clientIdClaim: 'client_id' }];
}

const bearer = (token: string): RawRequest['headers'] => ({ authorization: `Bearer ${token}` });
const withToken = async (overrides: TokenOverrides = {}): Promise<RawRequest['headers']> =>
  bearer(await issuer.sign(overrides));
const call = (headers: RawRequest['headers'], name = 'echo', retry: Record<string, unknown> = {}): Promise<Answer> =>
  router.tool(name, {}, { headers, retry });
const challengeOf = ({ headers }: Answer): unknown => headers['www-authenticate'];

describe('a router that takes access tokens', () => {
  beforeAll(() => start());
  afterAll(() => router.stop());

  it('serves a call with one', async () => {
    expect((await call(await withToken())).body.result).toMatchObject({ content: [{ text: 'served' }] });
    expect(worker.calls.at(-1)?.principal).toEqual({
      kind: 'user',
      issuer: issuer.url,
      subject: 'alice',
      clientId: 'client-1',
    });
  });

  it.each([
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['a scheme that is switched off', { authorization: 'DPoP abc' }],
    ['the header that development believes', { 'x-roundhouse-principal': 'alice' }],
  ])('asks for one without naming an error when there is %s', async (_what, headers) => {
    const answer = await call(headers);
    expect([answer.status, answer.body.error?.code]).toEqual([401, -32600]);
    expect(challengeOf(answer)).toBe(`Bearer resource_metadata="${METADATA_URL}", scope="mcp:read"`);
  });

  it.each([
    ['expired', { claims: { exp: 1_000_000_000 } }],
    ['for another audience', { claims: { aud: 'https://other.example.com' } }],
    ['from another issuer', { claims: { iss: 'https://evil.example' } }],
    ['by an unknown key', { header: { kid: 'unknown' } }],
    ['bound to a key', { claims: { cnf: { jkt: 'x'.repeat(43) } } }],
  ] as [string, TokenOverrides][])('refuses a token that is %s with the same bytes', async (_what, overrides) => {
    const answer = await call(await withToken(overrides));
    expect([answer.status, answer.text]).toEqual([
      401,
      '{"jsonrpc":"2.0","error":{"code":-32600,"message":"The access token is not valid"}}',
    ]);
    expect(challengeOf(answer)).toBe(
      `Bearer error="invalid_token", error_description="The access token is not valid", resource_metadata="${METADATA_URL}", scope="mcp:read"`,
    );
  });

  it.each([
    ['no token in the header', { authorization: 'Bearer' }],
    ['a token with a space', { authorization: 'Bearer a b' }],
    ['two headers', { authorization: ['Bearer a', 'Bearer b'] }],
  ])('refuses a request with %s as malformed', async (_what, headers) => {
    const answer = await call(headers);
    expect(answer.status).toBe(400);
    expect(challengeOf(answer)).toContain('Bearer error="invalid_request"');
  });

  it.each(['access_token', 'access%5Ftoken', 'a=b&access_token'])(
    'refuses a token in the query as %s, a good one in the header or not',
    async (name) => {
      const token = await issuer.sign();
      for (const headers of [{}, bearer(token)]) {
        const answer = await router.send({ path: `/mcp?${name}=${token}`, headers, body: '{}' });
        expect(answer.status).toBe(400);
        expect(challengeOf(answer)).toContain('invalid_request');
        expect(answer.text).not.toContain(token.slice(0, 8));
      }
    },
  );

  it.each(['/elsewhere', '/mcp/', '/.well-known/other'])(
    'names no address back that nobody serves: %s',
    async (path) => {
      const answer = await router.send({ verb: 'GET', path: `${path}?access_token=${MARK}` });
      expect([answer.status, answer.text]).toEqual([404, '{"statusCode":404,"message":"Not Found"}']);
    },
  );

  it('refuses before it reads the body, and after it looked at host, origin and verb', async () => {
    const body = 'x'.repeat(100);
    expect((await router.send({ body })).status).toBe(401);
    expect((await router.send({ body, headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await router.send({ verb: 'GET' })).status).toBe(405);
  });

  it('lets a browser ask which headers it may send, without a token', async () => {
    const answer = await router.send({ verb: 'OPTIONS', headers: { origin: 'http://127.0.0.1:3000' } });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-headers']).toContain('authorization, dpop');
  });

  it('ends a stream, in order, once its token would be refused', async () => {
    // A minute of tolerance, less a moment.
    const exp = Math.floor(Date.now() / 1_000) - 58;
    const headers = await withToken({ claims: { exp } });
    const filter = { notifications: { toolsListChanged: true } };
    const { status, messages } = await router.call('subscriptions/listen', filter, { headers });
    expect([status, messages.map(({ method, result }) => method ?? result?.['resultType'])]).toEqual([
      200,
      ['notifications/subscriptions/acknowledged', 'complete'],
    ]);
    expect(Date.now() / 1_000).toBeGreaterThanOrEqual(exp + 60);
    expect(router.parts.streams.size).toBe(0);
  });

  it('never tells a worker the token, a cookie or a proof', async () => {
    const token = await issuer.sign();
    const headers = { ...bearer(token), cookie: MARK, dpop: MARK, 'proxy-authorization': MARK };
    const before = worker.calls.length;
    await call(headers);
    const state = (await call(headers, 'asking')).body.result?.requestState;
    await call(headers, 'asking', { requestState: state, inputResponses: { confirm: accept({ ok: true }) } });
    await router.call('completion/complete', {}, { headers });
    const seen = JSON.stringify(worker.calls.slice(before));
    expect(worker.calls.length - before).toBe(3);
    expect(seen).toContain('alice');
    const parts = token.split('.');
    for (const secret of [...parts, ...parts.map((part) => part.slice(0, 12)), MARK, btoa(MARK), 'uthorization'])
      expect(seen.includes(secret)).toBe(false);
  });
});

describe('the published metadata of the resource', () => {
  beforeAll(() => start());
  afterAll(() => router.stop());

  const PATHS = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'];
  const raw = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${router.port}${path}`, init);

  it.each(PATHS)('is at %s, for everybody and for an hour', async (path) => {
    const response = await raw(path);
    expect(await response.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: [issuer.url],
      scopes_supported: ['mcp:read'],
      bearer_methods_supported: ['header'],
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('max-age=3600');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each(PATHS)('answers HEAD at %s with the same headers and no body', async (path) => {
    const [head, get] = [await raw(path, { method: 'HEAD' }), await raw(path)];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
  });

  it('may be read by a browser that sends its protocol version along', async () => {
    const response = await raw(PATHS[0]!, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'mcp-protocol-version, content-type, accept',
    ]);
  });

  it.each(['POST', 'PUT', 'DELETE'])('cannot be changed by %s', async (method) => {
    expect((await raw(PATHS[0]!, { method })).status).toBe(405);
  });

  it.each([
    { host: 'evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example;proto=https', 'x-forwarded-prefix': '/evil' },
  ])('says the same whatever a request calls us: %j', async (headers) => {
    const { text } = await router.send({ verb: 'GET', path: PATHS[0]!, headers });
    expect(text).toBe(await (await raw(PATHS[0]!)).text());
    const challenge = challengeOf(await call({ ...headers, host: '127.0.0.1' }));
    expect(challenge).toBe(`Bearer resource_metadata="${METADATA_URL}", scope="mcp:read"`);
  });

  it('is not there where no tokens are taken', async () => {
    const development = await RouterUnderTest.start([]);
    const response = await fetch(`http://127.0.0.1:${development.port}${PATHS[0]}`);
    expect(response.status).toBe(404);
    await development.stop();
  });
});

describe('a scope that every call needs', () => {
  beforeAll(() => start({ requiredScopes: ['mcp:call', 'mcp:read'] }));
  afterAll(() => router.stop());

  it('is asked for from the beginning', async () => {
    expect(challengeOf(await call({}))).toBe(`Bearer resource_metadata="${METADATA_URL}", scope="mcp:read mcp:call"`);
  });

  it('is missed with all that is needed in one challenge', async () => {
    const answer = await call(await withToken({ claims: { scope: 'mcp:read' } }));
    expect([answer.status, answer.body.error?.message]).toEqual([403, 'The access token lacks a scope this needs']);
    expect(challengeOf(answer)).toBe(
      `Bearer error="insufficient_scope", scope="mcp:call mcp:read", resource_metadata="${METADATA_URL}", error_description="The access token lacks a scope this needs"`,
    );
  });

  it.each(['', 'mcp:call', 'mcp:read mcp:cal', 'MCP:CALL MCP:READ', 'mcp:call,mcp:read'])(
    'is not found in %j',
    async (scope) => {
      expect((await call(await withToken({ claims: { scope } }))).status).toBe(403);
    },
  );

  it('is found in any order', async () => {
    expect((await call(await withToken({ claims: { scope: 'other mcp:read mcp:call' } }))).status).toBe(200);
  });

  it('is needed in every round and every time a result is fetched, and its loss spends nothing', async () => {
    const all = { claims: { scope: 'mcp:read mcp:call' } };
    const first = await call(await withToken(all), 'asking');
    const retry = {
      requestState: first.body.result?.requestState,
      inputResponses: { confirm: accept({ ok: true }) },
    };
    const less = await withToken({ claims: { scope: 'mcp:read' } });
    expect((await call(less, 'asking', retry)).status).toBe(403);
    expect((await call(await withToken(all), 'asking', retry)).body.result).toMatchObject({ resultType: 'complete' });
    expect((await call(less, 'asking', retry)).status).toBe(403);
    expect((await call(await withToken(all), 'asking', retry)).body.result).toMatchObject({ resultType: 'complete' });
  });
});

describe('a flow and its tokens', () => {
  beforeAll(() => start({ issuers: [{ ...issuersFor(issuer.url)[0]!, tenantClaim: 'tid' }] }));
  afterAll(() => router.stop());

  const REFUSED = {
    code: -32602,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  };
  const token = (claims: object = {}): Promise<RawRequest['headers']> =>
    withToken({ claims: { tid: 'acme', ...claims } });
  const begin = async (): Promise<unknown> => (await call(await token(), 'asking')).body.result?.requestState;
  const answer = async (requestState: unknown, headers: RawRequest['headers']): Promise<Answer> =>
    call(headers, 'asking', { requestState, inputResponses: { confirm: accept({ ok: true }) } });

  it('goes on with a refreshed token of the same principal, though its scopes be others', async () => {
    const refreshed = await token({ scope: 'mcp:read mcp:write', jti: 'another', iat: 1_700_000_000 });
    expect((await answer(await begin(), refreshed)).body.result).toMatchObject({ resultType: 'complete' });
  });

  it.each([
    ['another subject', { sub: 'bob' }],
    ['another client of the same subject', { client_id: 'client-2' }],
    ['the same subject of another tenant', { tid: 'evil' }],
    ['a subject that only looks the same', { sub: 'alice ' }],
  ])('does not go on with %s, and still does with its own', async (_who, claims) => {
    const state = await begin();
    expect((await answer(state, await token(claims))).body.error).toEqual(REFUSED);
    expect((await answer(state, await token())).body.result).toMatchObject({ resultType: 'complete' });
  });

  it('does not go on without a token, nor with one that has ended', async () => {
    const state = await begin();
    expect((await answer(state, {})).status).toBe(401);
    expect((await answer(state, await token({ exp: 1_000_000_000 }))).status).toBe(401);
    expect((await answer(state, await token())).body.result).toMatchObject({ resultType: 'complete' });
  });
});

describe('an authorization server', () => {
  let own: TestIssuer;
  beforeEach(async () => {
    own = await TestIssuer.start({ audience: RESOURCE });
    await start({ issuers: issuersFor(own.url) });
  });
  afterEach(async () => {
    await router.stop();
    await own.stop();
  });

  it('may be away while its keys are known', async () => {
    expect((await call(bearer(await own.sign()))).status).toBe(200);
    await own.stop();
    expect((await call(bearer(await own.sign()))).status).toBe(200);
    expect((await call(bearer(await own.sign({ header: { kid: 'new' } })))).status).toBe(401);
  });

  it('is asked for its keys when the router starts, and not by each token', async () => {
    await Promise.all(Array.from({ length: 50 }, async () => call(bearer(await own.sign()))));
    for (let at = 0; at < 50; at += 1) await call(bearer(await own.sign({ header: { kid: `random-${at}` } })));
    expect(own.keyFetches).toBe(1);
  });
});

describe('while no key was ever known', () => {
  it('a call is put off, neither served nor told that its token is bad', async () => {
    const gone = await TestIssuer.start({ audience: RESOURCE });
    const token = await gone.sign();
    await gone.stop();
    await start({ issuers: issuersFor(gone.url) });
    const answer = await call(bearer(token));
    expect([answer.status, challengeOf(answer)]).toEqual([503, undefined]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await router.stop();
  });
});

describe('tokens that are bound to a key', () => {
  let key: SigningKey;
  let token: string;

  beforeAll(async () => {
    key = await createSigningKey('client');
    token = await issuer.sign({ claims: { cnf: { jkt: await calculateJwkThumbprint(key.publicJwk, 'sha256') } } });
  });
  beforeEach(() => start({ dpop: 'optional' }));
  afterEach(() => router.stop());

  const prove = (claims: object = {}): Promise<string> => {
    const { kty, crv, x, y } = key.publicJwk as Required<JWK>;
    const payload = { htm: 'POST', htu: RESOURCE, ath: tokenHash(token), jti: `${Math.random()}`, ...claims };
    return new SignJWT(payload)
      .setIssuedAt()
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } })
      .sign(key.privateKey);
  };
  const bound = (proof: string): RawRequest['headers'] => ({ authorization: `DPoP ${token}`, dpop: proof });

  it('are taken with a proof, once each', async () => {
    const proof = await prove();
    expect((await call(bound(proof))).status).toBe(200);
    const again = await call(bound(proof));
    expect([again.status, again.body.error?.message]).toEqual([401, 'The DPoP proof is not valid']);
    expect(challengeOf(again)).toContain('DPoP error="invalid_dpop_proof"');
    expect((await call(bound(await prove()))).status).toBe(200);
  });

  it.each([
    ['for another address', { htu: 'http://127.0.0.1:3000/other' }],
    ['for another method', { htm: 'GET' }],
    ['for another token', { ath: tokenHash('another') }],
  ])('are refused with a proof %s', async (_what, claims) => {
    expect((await call(bound(await prove(claims)))).status).toBe(401);
  });

  it('are refused without a proof, with two, and as bearer tokens', async () => {
    expect((await call({ authorization: `DPoP ${token}` })).status).toBe(401);
    const proofs = [await prove(), await prove()];
    expect((await call({ authorization: `DPoP ${token}`, dpop: proofs })).status).toBe(401);
    const asBearer = await call(bearer(token));
    expect(challengeOf(asBearer)).toContain('error="invalid_token"');
  });

  it('leave other tokens to be bearer tokens, and only that', async () => {
    const plain = await issuer.sign();
    expect((await call(bearer(plain))).status).toBe(200);
    expect((await call({ authorization: `DPoP ${plain}`, dpop: await prove() })).status).toBe(401);
  });

  it('let nobody in while it cannot be told whether a proof was used', async () => {
    await router.replay.close();
    const answer = await call(bound(await prove()));
    expect([answer.status, challengeOf(answer)]).toEqual([503, undefined]);
    expect((await call(await withToken())).status).toBe(200);
  });

  it('may be the only ones', async () => {
    await router.stop();
    await start({ dpop: 'required' });
    const answer = await call(await withToken());
    expect(answer.status).toBe(401);
    expect(challengeOf(answer)).toMatch(/^DPoP error="invalid_token"/);
    expect((await call(bound(await prove()))).status).toBe(200);
  });
});

describe('a source that keeps failing', () => {
  const TRUSTED = { trustedProxies: ['127.0.0.1'] };
  const from = (address: string, headers: RawRequest['headers'] = {}): RawRequest['headers'] => ({
    ...headers,
    'x-forwarded-for': `6.6.6.6, ${address}`,
  });
  const flood = async (address: string, headers: () => RawRequest['headers']): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let at = 0; at < 6; at += 1) answers.push(await call(from(address, headers())));
    return answers;
  };
  beforeEach(() => start({ failuresPerSource: { perMinute: 1, burst: 3 } }, TRUSTED));
  afterEach(() => router.stop());

  it.each<[string, () => RawRequest['headers']]>([
    ['no token', () => ({})],
    ['bad tokens', () => bearer(`${Math.random()}.x.y`.slice(2))],
    ['one bad token', () => bearer('a.b.c')],
    ['malformed headers', () => ({ authorization: 'Bearer' })],
  ])('with %s is told to wait, and nothing else', async (_what, headers) => {
    const answers = await flood('203.0.113.9', headers);
    expect(answers.map(({ status }) => status === 429)).toEqual([false, false, false, true, true, true]);
    const { text, headers: sent } = answers[5] as Answer;
    expect(text).toBe('{"jsonrpc":"2.0","error":{"code":-32603,"message":"Too many requests; send it again later"}}');
    expect(Number(sent['retry-after'])).toBeGreaterThan(30);
    expect(sent['www-authenticate']).toBeUndefined();
  });

  it('is not another one, whatever it writes into X-Forwarded-For', async () => {
    await flood('203.0.113.9', () => ({}));
    expect((await call({ 'x-forwarded-for': '9.9.9.9, 203.0.113.9' })).status).toBe(429);
    expect((await call({ 'x-forwarded-for': '203.0.113.9, 203.0.113.10' })).status).toBe(401);
  });

  it('learns nothing of a token that it brings then, good or bad, and no issuer is asked', async () => {
    await flood('203.0.113.9', () => ({}));
    const fetches = issuer.keyFetches;
    const good = await call(from('203.0.113.9', await withToken({ claims: { sub: 'carol' } })));
    const bad = await call(from('203.0.113.9', bearer('a.b.c')));
    expect([good.status, bad.status, good.text]).toEqual([429, 429, bad.text]);
    expect(issuer.keyFetches).toBe(fetches);
  });

  it('does not keep out who shares its address and was served a moment ago', async () => {
    const token = await withToken();
    expect((await call(from('203.0.113.9', token))).status).toBe(200);
    await flood('203.0.113.9', () => ({}));
    expect((await call(from('203.0.113.9', token))).status).toBe(200);
  });

  it('keeps nobody else out', async () => {
    await flood('203.0.113.9', () => bearer('a.b.c'));
    expect((await call(from('203.0.113.10', await withToken()))).status).toBe(200);
  });

  it('is not one that lacks a scope', async () => {
    await router.stop();
    await start({ failuresPerSource: { perMinute: 1, burst: 1 }, requiredScopes: ['mcp:write'] }, TRUSTED);
    const statuses = (await Promise.all([1, 2, 3].map(async () => call(from('203.0.113.9', await withToken()))))).map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([403, 403, 403]);
  });
});

describe('without any configuration', () => {
  it('nobody is served', () => {
    expect(routerConfig.load({}).auth.mode).toBe('closed');
  });
});

describe('the metadata of the authorization server, for clients of 2025-03-26', () => {
  afterEach(() => router.stop());

  const PATH = '/.well-known/oauth-authorization-server';
  const raw = (init?: RequestInit): Promise<Response> => fetch(`http://127.0.0.1:${router.port}${PATH}`, init);
  const withRevisions = (...revisions: RouterConfig['legacy']['revisions']): Partial<RouterConfig> => ({
    legacy: { ...routerConfig.load({}).legacy, revisions },
  });

  it('is repeated at our own root, for browsers too', async () => {
    await start();
    const response = await raw();
    expect(await response.json()).toMatchObject({ issuer: issuer.url });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const head = await raw({ method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await raw({ method: 'OPTIONS' })).status).toBe(204);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await raw({ method })).status).toBe(405);
  });

  it('leads to a token with which a session of 2025-03-26 is served', async () => {
    await start();
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const head = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    expect((await router.send({ body, headers: head })).status).toBe(401);
    const answer = await router.send({ body, headers: { ...head, ...(await withToken()) } });
    expect(answer.body.result?.['protocolVersion']).toBe('2025-03-26');
  });

  it.each<[string, Partial<RouterConfig>]>([
    ['clients of 2025-03-26 are not served', withRevisions('2025-11-25', '2025-06-18')],
    ['no older clients are served', withRevisions()],
  ])('is not there where %s', async (_where, config) => {
    await start({}, config);
    expect((await raw()).status).toBe(404);
  });

  it('is not there where no tokens are taken', async () => {
    router = await RouterUnderTest.start([]);
    expect((await raw()).status).toBe(404);
  });

  it('cannot be had while the server is away, and says when to come again', async () => {
    await start({ issuers: issuersFor('http://127.0.0.1:9/nobody') });
    const response = await raw();
    expect([response.status, await response.text()]).toEqual([503, '']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
