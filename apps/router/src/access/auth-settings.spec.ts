import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONFIG_FILE_ENV } from '@roundhouse/config';
import { RoundhouseError } from '@roundhouse/errors';
import { routerConfig, type RouterConfig } from '../config.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'router-auth-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ISSUER = { issuer: 'https://login.example.com/realms/acme' };
const BASE = { publicUrl: 'https://gw.example.com/mcp', auth: { mode: 'oauth', issuers: [ISSUER] } };

function load(section: object): RouterConfig {
  const file = join(folder, 'router.yaml');
  writeFileSync(file, JSON.stringify({ router: section }));
  return routerConfig.load({ [CONFIG_FILE_ENV]: file });
}

function problemsOf(section: object): unknown {
  try {
    load(section);
  } catch (error) {
    return (error as RoundhouseError).facts['problems'];
  }
  return undefined;
}

const withAuth = (auth: object): object => ({ ...BASE, auth: { ...BASE.auth, ...auth } });
const withIssuer = (change: object): object => withAuth({ issuers: [{ ...ISSUER, ...change }] });
const introspection = { clientId: 'gateway', clientSecretFile: '/run/secrets/gateway' };

describe('the settings of mode oauth', () => {
  it('need little more than an issuer', () => {
    expect(load(BASE).auth.issuers).toEqual([
      {
        ...ISSUER,
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
        requireAtJwt: true,
        scopeClaim: 'scope',
        clientIdClaim: 'client_id',
        claims: [],
      },
    ]);
  });

  it.each([
    ['no issuer', withAuth({ issuers: [] }), 'router.auth.issuers: must not be empty'],
    ['the same issuer twice', withAuth({ issuers: [ISSUER, ISSUER] }), 'must differ by issuer'],
    ['an issuer in plain http', withIssuer({ issuer: 'http://login.example.com' }), 'must be https'],
    ['an issuer on loopback', withIssuer({ issuer: 'http://127.0.0.1:9' }), 'must be https'],
    ['an issuer with a query', withIssuer({ issuer: 'https://login.example.com?x=1' }), 'must have no query'],
    [
      'keys in plain http',
      withIssuer({ jwksUri: 'http://login.example.com/keys' }),
      'issuers[0].jwksUri: must be https',
    ],
    [
      'introspection in plain http',
      withIssuer({ introspection: { ...introspection, endpoint: 'http://login.example.com/ask' } }),
      'must be https',
    ],
    ['introspection without a secret', withIssuer({ introspection: { clientId: 'gateway' } }), 'clientSecretFile'],
    [
      'a secret in the file itself',
      withIssuer({ introspection: { ...introspection, clientSecret: 'MARK' } }),
      'this key is unknown',
    ],
    [
      'two issuers that could be asked about one token',
      withAuth({
        issuers: [
          { ...ISSUER, introspection },
          { issuer: 'https://other.example.com', introspection },
        ],
      }),
      'only one may have introspection',
    ],
    ['a symmetric algorithm', withIssuer({ algorithms: ['HS256'] }), 'algorithms'],
    ['no algorithm', withIssuer({ algorithms: [] }), 'algorithms'],
    ['two scopes in one', withAuth({ requiredScopes: ['a b'] }), 'must be one scope'],
    ['a scope that is for clients', withAuth({ scopesSupported: ['offline_access'] }), 'is for clients to ask'],
    ['proofs and nowhere to remember them', withAuth({ dpop: 'optional' }), 'router.auth.dpop: needs replay'],
    ['an address in plain http', { ...BASE, publicUrl: 'http://gw.example.com/mcp' }, 'publicUrl: must be https'],
    ['an address with a query', { ...BASE, publicUrl: 'https://gw.example.com/mcp?a' }, 'must have no query'],
    [
      'an address that ends in a slash',
      { ...BASE, publicUrl: 'https://gw.example.com/mcp/' },
      'must not end in a slash',
    ],
  ])('are refused with %s', (_what, section, problem) => {
    expect(problemsOf(section)).toContain(problem);
    expect(problemsOf(section)).not.toContain('MARK');
  });

  it('allow loopback in development only', () => {
    const section = { ...withIssuer({ issuer: 'http://127.0.0.1:9' }), development: { allowLoopbackIssuers: true } };
    expect(problemsOf(section)).toBeUndefined();
    expect(problemsOf({ ...section, ...withIssuer({ issuer: 'http://10.0.0.1:9' }) })).toContain('must be https');
  });

  it('are not judged in another mode', () => {
    expect(problemsOf({ publicUrl: 'http://gw.example.com/mcp', auth: { mode: 'closed' } })).toBeUndefined();
  });
});
