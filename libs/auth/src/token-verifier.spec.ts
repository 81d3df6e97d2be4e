import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, TestIssuer, createSigningKey } from '@roundhouse/testing';
import { GuardedFetch } from './http/guarded-fetch.js';
import type { IssuerSettings } from './issuer-settings.js';
import { openTokenVerifier, type OpenVerifier } from './open-token-verifier.js';
import { TokenCache, UNCHANGING } from './token-cache.js';
import {
  INTROSPECTION_CACHED_MS,
  JWT_CACHED_MS,
  REFUSAL_CACHED_MS,
  tokenHash,
  type TokenVerifier,
} from './token-verifier.js';

const RESOURCE = 'https://gw.example.com/mcp';

let clock: FakeClock;
let issuer: TestIssuer;
let opened: OpenVerifier;
let verifier: TokenVerifier;

beforeEach(async () => {
  clock = new FakeClock();
  issuer = await TestIssuer.start({ audience: RESOURCE, now: clock.now });
  open();
});
afterEach(() => issuer.stop());

function open(change: Partial<IssuerSettings> = {}): void {
  const settings: IssuerSettings = {
    issuer: issuer.url,
    audiences: [RESOURCE],
    algorithms: ['ES256'],
    jwksUri: undefined,
    introspection: { endpoint: undefined, clientId: 'gate way', readSecret: async () => 's:e cret' },
    requireAtJwt: true,
    scopeClaim: 'scope',
    clientIdClaim: 'client_id',
    tenantClaim: undefined,
    claims: [],
    ...change,
  };
  const fetch = new GuardedFetch({ allowLoopback: true, privateHosts: [] });
  opened = openTokenVerifier({ issuers: [settings], fetch, now: clock.now, steadyNow: clock.now });
  verifier = opened.verifier;
}

const describes = (claims: object = {}): object => ({
  active: true,
  sub: 'alice',
  client_id: 'client-1',
  aud: RESOURCE,
  scope: 'mcp:read',
  exp: clock.now() / 1_000 + 600,
  ...claims,
});

const codeOf = async (token: string): Promise<string> => {
  try {
    await verifier.verify(token);
    return 'taken';
  } catch (error) {
    return (error as { code: string }).code;
  }
};
/** Introspection requests so far. */
const asked = (): number => issuer.requests.filter((path) => path === '/introspect').length;

describe('a JWT that was verified', () => {
  it('is found again at once, as the same object', async () => {
    const token = await issuer.sign();
    const access = await verifier.verify(token);
    expect(verifier.verify(token)).toBe(access);
  });

  it.each([
    ['a minute', JWT_CACHED_MS, 600],
    ['its own end, when that is sooner', 30_000, 30],
  ])('is found again until %s', async (_until, lifeMs, exp) => {
    const token = await issuer.sign({ claims: { exp: clock.now() / 1_000 + exp } });
    const access = await verifier.verify(token);
    clock.advance(lifeMs - 1);
    expect(verifier.verify(token)).toBe(access);
    clock.advance(1);
    expect(verifier.verify(token)).toBeInstanceOf(Promise);
  });

  it('is verified again once the issuer has other keys, and refused when its own is gone', async () => {
    const token = await issuer.sign();
    await verifier.verify(token);
    issuer.publish(await createSigningKey('key-2'));
    clock.advance(50_000);
    expect(verifier.verify(token)).not.toBeInstanceOf(Promise);
    await verifier.verify(await issuer.sign());
    expect(await codeOf(token)).toBe('token_invalid');
  });

  it('is verified once, however many calls bring it at the same time', async () => {
    const token = await issuer.sign();
    const works = Array.from({ length: 100 }, () => verifier.verify(token));
    expect(new Set(works).size).toBe(1);
    await works[0];
  });

  it('costs no fetch when the keys were fetched before', async () => {
    await opened.warm();
    await issuer.stop();
    expect(await codeOf(await issuer.sign())).toBe('taken');
  });

  it('is not told from a refusal while nobody knows any key', async () => {
    await issuer.stop();
    expect(await codeOf(await issuer.sign())).toBe('authorization_unavailable');
  });
});

describe('where the keys are', () => {
  it('is read from the metadata of an issuer with a path', async () => {
    await issuer.stop();
    issuer = await TestIssuer.start({ audience: RESOURCE, now: clock.now, path: '/realms/acme' });
    open();
    expect(await codeOf(await issuer.sign())).toBe('taken');
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server/realms/acme', '/realms/acme/jwks']);
  });

  it('is read from OpenID’s form when the other is not there', async () => {
    issuer.answers.set('/.well-known/oauth-authorization-server', (_request, response) =>
      response.writeHead(404).end(),
    );
    issuer.answers.set('/.well-known/openid-configuration', (_request, response) =>
      response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: issuer.jwksUri })),
    );
    expect(await codeOf(await issuer.sign())).toBe('taken');
  });

  it('is taken from the settings without asking for metadata', async () => {
    open({ jwksUri: issuer.jwksUri });
    expect(await codeOf(await issuer.sign())).toBe('taken');
    expect(issuer.requests).toEqual(['/jwks']);
  });

  it.each([
    ['another issuer', (url: string) => ({ issuer: `${url}/`, jwks_uri: `${url}/jwks` })],
    ['no issuer', (url: string) => ({ jwks_uri: `${url}/jwks` })],
    ['no keys', (url: string) => ({ issuer: url })],
    ['keys at no address', (url: string) => ({ issuer: url, jwks_uri: 'jwks' })],
    ['keys in a private network', (url: string) => ({ issuer: url, jwks_uri: 'https://10.0.0.1/jwks' })],
    ['keys in a file', (url: string) => ({ issuer: url, jwks_uri: 'file:///etc/passwd' })],
  ])('is not believed from metadata that names %s', async (_what, documentOf) => {
    issuer.answers.set('/.well-known/oauth-authorization-server', (_request, response) =>
      response.end(JSON.stringify(documentOf(issuer.url))),
    );
    expect(await codeOf(await issuer.sign())).toBe('authorization_unavailable');
    expect(issuer.keyFetches).toBe(0);
  });
});

describe('a token that is no JWT', () => {
  it('is described by its issuer, who knows us by our secret', async () => {
    issuer.introspected.set('opaque', describes());
    expect((await verifier.verify('opaque')).principal).toEqual({
      kind: 'user',
      issuer: issuer.url,
      subject: 'alice',
      clientId: 'client-1',
    });
    expect(issuer.credentials).toEqual([`Basic ${Buffer.from('gate+way:s%3Ae+cret').toString('base64')}`]);
  });

  it.each([
    ['half a minute', INTROSPECTION_CACHED_MS, 600],
    ['its end, when that is sooner', 10_000, 10],
  ])('is asked about again after %s', async (_when, lifeMs, exp) => {
    issuer.introspected.set('opaque', describes({ exp: clock.now() / 1_000 + exp }));
    await verifier.verify('opaque');
    clock.advance(lifeMs - 1);
    await verifier.verify('opaque');
    expect(asked()).toBe(1);
    clock.advance(1);
    await codeOf('opaque');
    expect(asked()).toBe(2);
  });

  it('is asked about once, however many calls bring it at the same time', async () => {
    issuer.introspected.set('opaque', describes());
    await Promise.all(Array.from({ length: 100 }, () => codeOf('opaque')));
    expect(asked()).toBe(1);
  });

  it('stays refused for five seconds without another question', async () => {
    expect(await codeOf('opaque')).toBe('token_invalid');
    issuer.introspected.set('opaque', describes());
    clock.advance(REFUSAL_CACHED_MS - 1);
    expect(await codeOf('opaque')).toBe('token_invalid');
    expect(asked()).toBe(1);
    clock.advance(1);
    expect(await codeOf('opaque')).toBe('taken');
  });

  it.each([
    ['is active by a text', { active: 'true' }],
    ['is from another issuer', { iss: 'https://evil.example' }],
    ['is for another service', { aud: 'https://other.example.com' }],
    ['is for nobody in particular', { aud: undefined }],
    ['ended', { exp: 1 }],
    ['never ends', { exp: undefined }],
    ['has no subject', { sub: undefined }],
    ['has no client', { client_id: undefined }],
    ['is bound to a certificate', { cnf: { 'x5t#S256': 'x'.repeat(43) } }],
  ])('is refused when it %s', async (_what, claims) => {
    issuer.introspected.set('opaque', describes(claims));
    expect(await codeOf('opaque')).toBe('token_invalid');
  });

  it.each([
    ['an error', 500, '{}'],
    ['no JSON', 200, 'active'],
    ['a redirect', 302, ''],
    ['nothing', 404, ''],
  ])('is neither taken nor refused when the issuer answers with %s', async (_what, status, text) => {
    issuer.answers.set('/introspect', (_request, response) =>
      response.writeHead(status, { location: '/other' }).end(text),
    );
    expect(await codeOf('opaque')).toBe('authorization_unavailable');
  });

  it('is not passed on beyond a number of questions at once', async () => {
    issuer.answers.set('/introspect', () => undefined);
    const codes = Array.from({ length: 70 }, (_, at) => codeOf(`opaque${at}`));
    expect(await Promise.race(codes.slice(64))).toBe('overloaded');
    await issuer.stop();
    await Promise.all(codes);
  });

  it('is refused without a question where nobody can be asked', async () => {
    open({ introspection: undefined });
    expect(await codeOf('opaque')).toBe('token_invalid');
    expect(issuer.requests).toEqual([]);
  });

  it('is never asked about when it has the form of a JWT', async () => {
    expect(await codeOf(await issuer.sign({ claims: { iss: 'https://evil.example' } }))).toBe('token_invalid');
    expect(asked()).toBe(0);
  });
});

describe('the cache of tokens', () => {
  const entry = (value: string) => ({ value, fromMs: 100, untilMs: 200, source: UNCHANGING, version: 0 });

  it('forgets the oldest when it is full', () => {
    const cache = new TokenCache<string>(2);
    for (const id of ['a', 'b', 'c']) cache.keep(id, entry(id));
    expect(['a', 'b', 'c'].map((id) => cache.find(id, 150))).toEqual([undefined, 'b', 'c']);
    expect(cache.size).toBe(2);
  });

  it('finds nothing from the future, where a clock was set back', () => {
    const cache = new TokenCache<string>();
    cache.keep('a', entry('a'));
    expect(cache.find('a', 99)).toBeUndefined();
  });

  it('keeps nothing that has ended', () => {
    const cache = new TokenCache<string>();
    cache.keep('a', { ...entry('a'), untilMs: 100 });
    expect(cache.size).toBe(0);
  });

  it('knows a token by its SHA-256', () => {
    expect(tokenHash('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});
