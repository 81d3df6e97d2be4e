import { KeyObject, createHmac, createPublicKey, sign as signBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { TestIssuer, createSigningKey, type SigningKey, type TokenOverrides } from '@roundhouse/testing';
import type { JWK } from 'jose';
import { GuardedFetch } from '../http/guarded-fetch.js';
import type { IssuerSettings } from '../issuer-settings.js';
import { openTokenVerifier } from '../open-token-verifier.js';
import { TOKEN_BYTES_MAX, type TokenVerifier } from '../token-verifier.js';

const RESOURCE = 'https://gw.example.com/mcp';
const NOW_S = 1_800_000_000;
const now = (): number => NOW_S * 1_000;

let issuer: TestIssuer;
let other: TestIssuer;
let lax: TestIssuer;
let verifier: TokenVerifier;
const keys: Record<string, SigningKey> = {};

beforeAll(async () => {
  const options = { audience: RESOURCE, now };
  [issuer, other, lax] = [
    await TestIssuer.start(options),
    await TestIssuer.start(options),
    await TestIssuer.start(options),
  ];
  for (const algorithm of ['RS256', 'PS256', 'ES256', 'EdDSA', 'PS512', 'ES384'])
    keys[algorithm] = await createSigningKey(`key-${algorithm}`, algorithm);
  keys['stranger'] = await createSigningKey('key-ES256');
  const named = (name: string): SigningKey => keys[name] as SigningKey;
  keys['second'] = await createSigningKey('second');
  issuer.publish(...['ES256', 'RS256', 'PS256', 'EdDSA', 'ES384', 'second'].map(named));
  keys['other'] = await createSigningKey('key-ES256');
  other.publish(named('other'));
  lax.publish(named('ES256'));
  verifier = openTokenVerifier({
    issuers: [
      settingsOf(issuer, { tenantClaim: 'tid', claims: ['groups', 'constructor'] }),
      settingsOf(other),
      settingsOf(lax, { requireAtJwt: false, algorithms: ['RS256'], audiences: ['api://gateway'] }),
    ],
    fetch: new GuardedFetch({ allowLoopback: true, privateHosts: [] }),
    now,
  }).verifier;
});
afterAll(async () => {
  await Promise.all([issuer.stop(), other.stop(), lax.stop()]);
});

function settingsOf({ url }: TestIssuer, change: Partial<IssuerSettings> = {}): IssuerSettings {
  return {
    issuer: url,
    audiences: [RESOURCE],
    algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    jwksUri: undefined,
    introspection: undefined,
    requireAtJwt: true,
    scopeClaim: 'scope',
    clientIdClaim: 'client_id',
    tenantClaim: undefined,
    claims: [],
    ...change,
  };
}

/** The private reason of the refusal; fails when there is none, or when it is not a refusal of the token. */
async function reasonOf(token: string): Promise<Reason> {
  try {
    await verifier.verify(token);
  } catch (error) {
    expect(error).toBeInstanceOf(RoundhouseError);
    const { code, reason, facts, cause } = error as RoundhouseError;
    expect([code, facts, cause]).toEqual(['token_invalid', {}, undefined]);
    return reason;
  }
  throw new Error('the token was taken');
}

const sign = ({ claims, ...rest }: TokenOverrides = {}): Promise<string> =>
  issuer.sign({ ...rest, claims: { tid: 'acme', ...claims } });

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token that is taken', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('may be signed with %s', async (algorithm) => {
    const token = await sign({ key: keys[algorithm]! });
    expect((await verifier.verify(token)).principal).toEqual({
      kind: 'user',
      issuer: issuer.url,
      subject: 'alice',
      clientId: 'client-1',
      tenant: 'acme',
    });
  });

  it.each([
    ['has the long media type', { header: { typ: 'application/at+jwt' } }],
    ['has its media type in capitals', { header: { typ: 'AT+JWT' } }],
    ['names us among others', { claims: { aud: ['https://other.example.com', RESOURCE] } }],
    ['was made by a clock 59 s ahead', { claims: { iat: NOW_S + 59, nbf: NOW_S + 59 } }],
    ['ended less than a minute ago', { claims: { exp: NOW_S - 59 } }],
    ['points at keys of its own', { header: { jku: 'https://evil.example/k', x5u: 'https://evil.example/x' } }],
  ] as [string, TokenOverrides][])('%s', async (_what, overrides) => {
    expect((await verifier.verify(await sign(overrides))).principal.subject).toBe('alice');
  });

  it('tells scopes, the configured claims that it has, and its end', async () => {
    const claims = { scope: 'mcp:write  mcp:read mcp:read "bad"', groups: ['a'], email: 'MARK@example.com' };
    const access = await verifier.verify(await sign({ claims }));
    expect([...access.scopes]).toEqual(['mcp:read', 'mcp:write']);
    expect(access.claims).toEqual({ groups: ['a'] });
    expect(access.expiresAtMs).toBe((NOW_S + 600) * 1_000);
    expect(access.confirmation).toBeUndefined();
  });

  it('shares its set of scopes with every token that has the same', async () => {
    const [one, two] = [{ scope: 'a b' }, { scope: 'b a', sub: 'bob' }];
    const access = await verifier.verify(await sign({ claims: one }));
    expect((await verifier.verify(await sign({ claims: two }))).scopes).toBe(access.scopes);
  });

  it('may lack the media type, and be for another audience, where its issuer is configured so', async () => {
    lax.publish(keys['RS256']!);
    const claims = { aud: 'api://gateway' };
    for (const typ of ['JWT', undefined])
      expect((await verifier.verify(await lax.sign({ header: { typ }, claims }))).principal.issuer).toBe(lax.url);
  });
});

/** Audiences B98, algorithms and headers B102, clocks B107. */
describe('a token is refused', () => {
  const aud = (value: unknown): TokenOverrides => ({ claims: { aud: value } });

  it.each([
    ['is signed by a key that nobody published under its id', 'token_unauthentic', { header: {}, key: 'stranger' }],
    ['has an id of no key', 'token_unknown_key', { header: { kid: 'nobody' } }],
    ['has an id that looks like a path', 'token_unknown_key', { header: { kid: '../../dev/null' } }],
    ['has no key id where there is a choice', 'token_unknown_key', { header: { kid: undefined } }],
    ['is signed with an algorithm beside the allowed ones', 'token_algorithm_refused', { key: 'PS512' }],
    ['is signed with a curve beside the allowed one', 'token_algorithm_refused', { key: 'ES384' }],
    ['is a plain JWT', 'token_type_refused', { header: { typ: 'JWT' } }],
    ['has no media type', 'token_type_refused', { header: { typ: undefined } }],
    ['is a logout token', 'token_type_refused', { header: { typ: 'logout+jwt' } }],
    ['has a media type that only begins right', 'token_type_refused', { header: { typ: 'at+jwt2' } }],
    ['is for a realm’s default audience', 'token_other_audience', aud('account')],
    ['is for another service', 'token_other_audience', aud('https://other.example.com/mcp')],
    ['is for nobody', 'token_other_audience', aud(undefined)],
    ['is for an empty list', 'token_other_audience', aud([])],
    ['is for us with a slash', 'token_other_audience', aud(`${RESOURCE}/`)],
    ['is for our origin', 'token_other_audience', aud('https://gw.example.com')],
    ['is for us in capitals', 'token_other_audience', aud(RESOURCE.toUpperCase())],
    ['is for a number', 'token_other_audience', aud(7)],
    ['is for an object', 'token_other_audience', aud({ [RESOURCE]: true })],
    ['ended more than a minute ago', 'token_expired', { claims: { exp: NOW_S - 60 } }],
    ['never ends', 'token_claims_refused', { claims: { exp: undefined } }],
    ['ends at a text', 'token_claims_refused', { claims: { exp: String(NOW_S + 60) } }],
    ['ends in another age of the world', 'token_claims_refused', { claims: { exp: 1e18 } }],
    ['ends in more than a year', 'token_claims_refused', { claims: { exp: NOW_S + 400 * 86_400 } }],
    ['begins in ten minutes', 'token_from_the_future', { claims: { nbf: NOW_S + 600 } }],
    ['was made in ten minutes', 'token_from_the_future', { claims: { iat: NOW_S + 600 } }],
    ['was made at a text', 'token_claims_refused', { claims: { iat: 'now' } }],
    ['begins at a text', 'token_claims_refused', { claims: { nbf: 'now' } }],
    ['has no subject', 'token_claims_refused', { claims: { sub: undefined } }],
    ['has an empty subject', 'token_claims_refused', { claims: { sub: '' } }],
    ['has a number for a subject', 'token_claims_refused', { claims: { sub: 42 } }],
    ['has a line break in its subject', 'token_claims_refused', { claims: { sub: 'alice\nbob' } }],
    ['has too long a subject', 'token_claims_refused', { claims: { sub: 's'.repeat(513) } }],
    ['has no client', 'token_claims_refused', { claims: { client_id: undefined } }],
    ['has a list of clients', 'token_claims_refused', { claims: { client_id: ['a'] } }],
    ['has no tenant where tenants are told apart', 'token_claims_refused', { claims: { tid: undefined } }],
    ['has too long a tenant', 'token_claims_refused', { claims: { tid: 't'.repeat(257) } }],
    ['has a configured claim that is too large', 'token_claims_refused', { claims: { groups: 'g'.repeat(3_000) } }],
    ['is from an issuer that nobody configured', 'token_unknown_issuer', { claims: { iss: 'https://evil.example' } }],
    ['names no issuer', 'token_unknown_issuer', { claims: { iss: undefined } }],
    ['names an inherited member as issuer', 'token_unknown_issuer', { claims: { iss: 'constructor' } }],
    ['is bound to a client certificate', 'token_bound_elsewhere', { claims: { cnf: { 'x5t#S256': 'x'.repeat(43) } } }],
    ['is bound to nothing that is known', 'token_bound_elsewhere', { claims: { cnf: {} } }],
    ['has a binding that is none', 'token_bound_elsewhere', { claims: { cnf: null } }],
    ['has a thumbprint of another length', 'token_bound_elsewhere', { claims: { cnf: { jkt: 'short' } } }],
    ['has a number for a key id', 'token_malformed', { header: { kid: 7 } }],
    ['has too long a key id', 'token_malformed', { header: { kid: 'k'.repeat(257) } }],
  ] as [string, Reason, Omit<TokenOverrides, 'key'> & { key?: string }][])(
    'that %s',
    async (_what, reason, { key = 'ES256', ...rest }) => {
      expect(await reasonOf(await sign({ ...rest, key: keys[key]! }))).toBe(reason);
    },
  );

  it.each([
    ['with a slash', (url: string) => `${url}/`],
    ['in capitals', (url: string) => url.toUpperCase()],
    ['in a list', (url: string) => [url]],
    ['among others', (url: string) => [url, 'https://evil.example']],
  ])('that names its issuer %s', async (_how, issOf) => {
    expect(await reasonOf(await sign({ claims: { iss: issOf(issuer.url) } }))).toBe('token_unknown_issuer');
  });

  it.each([
    ['a header extension that nobody knows', { crit: ['exp2'], exp2: 1 }],
    ['a header extension that is not there', { crit: ['exp2'] }],
    ['an empty list of header extensions', { crit: [] }],
    ['a payload that is not encoded', { crit: ['b64'], b64: false }],
  ])('that has %s', async (_what, header) => {
    const [, payload = ''] = (await sign()).split('.');
    const signed = `${base64url({ typ: 'at+jwt', alg: 'ES256', kid: 'key-ES256', ...header })}.${payload}`;
    const key = KeyObject.from(keys['ES256']!.privateKey as never);
    const signature = signBytes('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    expect(await reasonOf(`${signed}.${signature.toString('base64url')}`)).toBe('token_malformed');
  });

  it('that carries its own key, which is not used', async () => {
    const stranger = keys['stranger']!;
    expect(await reasonOf(await sign({ key: stranger, header: { jwk: stranger.publicJwk } }))).toBe(
      'token_unauthentic',
    );
    expect(issuer.requests.concat(other.requests).every((path) => !path.includes('evil'))).toBe(true);
  });

  it.each(['none', 'None', 'NONE'])('that is signed with %s', async (alg) => {
    const [, payload] = (await sign()).split('.');
    const header = base64url({ typ: 'at+jwt', alg, kid: 'key-ES256' });
    expect(await reasonOf(`${header}.${payload}.`)).toBe('token_algorithm_refused');
    expect(await reasonOf(`${header}.${payload}.AAAA`)).toBe('token_algorithm_refused');
  });

  it.each([
    [
      'PEM',
      (jwk: JWK) => createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' }),
    ],
    ['JWK', (jwk: JWK) => JSON.stringify(jwk)],
  ])('that is signed with HS256 and the public key as %s', async (_form, secretOf) => {
    const [, payload] = (await sign()).split('.');
    const signed = `${base64url({ typ: 'at+jwt', alg: 'HS256', kid: 'key-RS256' })}.${payload}`;
    const mac = createHmac('sha256', secretOf(keys['RS256']!.publicJwk)).update(signed).digest('base64url');
    expect(await reasonOf(`${signed}.${mac}`)).toBe('token_algorithm_refused');
  });

  it('that is signed with an algorithm which its key is not for', async () => {
    const [, payload, signature] = (await sign({ key: keys['RS256']! })).split('.');
    const header = base64url({ typ: 'at+jwt', alg: 'PS256', kid: 'key-RS256' });
    expect(await reasonOf(`${header}.${payload}.${signature}`)).toBe('token_unknown_key');
  });

  it('whose payload was changed', async () => {
    const [header, payload = '', signature] = (await sign()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    expect(await reasonOf(`${header}.${base64url({ ...claims, sub: 'bob' })}.${signature}`)).toBe('token_unauthentic');
  });

  it.each([
    ['two parts', 'YQ.YQ'],
    ['four parts', 'YQ.YQ.YQ.YQ'],
    ['five parts', 'YQ.YQ.YQ.YQ.YQ'],
    ['a header that is no JSON', 'YQ.YQ.YQ'],
    ['a header that is a list', `${base64url([])}.${base64url({})}.YQ`],
    ['a payload that is a text', `${base64url({ alg: 'ES256' })}.${base64url('x')}.YQ`],
  ])('that has %s', async (_what, token) => {
    expect(await reasonOf(token)).toBe('token_malformed');
  });

  it('that is longer than 8 KiB, before anything is looked at', async () => {
    expect(await reasonOf('a'.repeat(TOKEN_BYTES_MAX + 1))).toBe('token_too_large');
  });

  it.each(['a b', 'a,b', 'tök', 'a"b', 'a\tb', '='])('as a malformed request when it is %j', async (token) => {
    await expect(async () => verifier.verify(token)).rejects.toMatchObject({ code: 'authorization_malformed' });
  });
});

describe('an issuer’s keys', () => {
  it('never verify a token that names another issuer, though the key id be the same', async () => {
    const stolen = await other.sign({ key: keys['ES256']!, claims: { tid: 'acme' } });
    expect(await reasonOf(stolen)).toBe('token_unauthentic');
    const reversed = await issuer.sign({ key: keys['other']!, claims: { tid: 'acme' } });
    expect(await reasonOf(reversed)).toBe('token_unauthentic');
  });

  it('verify only with the algorithms that this issuer is allowed', async () => {
    const token = await lax.sign({ key: keys['ES256']!, claims: { aud: 'api://gateway' } });
    expect(await reasonOf(token)).toBe('token_algorithm_refused');
  });

  it('never verify an ID token where media types are not required', async () => {
    expect(
      await reasonOf(await lax.sign({ key: keys['RS256']!, header: { typ: 'JWT' }, claims: { aud: 'client-1' } })),
    ).toBe('token_other_audience');
    const logout = { key: keys['RS256']!, header: { typ: 'logout+jwt' }, claims: { aud: 'api://gateway' } };
    expect(await reasonOf(await lax.sign(logout))).toBe('token_type_refused');
  });
});
