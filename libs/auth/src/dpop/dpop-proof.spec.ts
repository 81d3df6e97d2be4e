import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { createSigningKey, type SigningKey } from '@roundhouse/testing';
import { SignJWT, calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import { DpopProofs, PROOF_BYTES_MAX, PROOF_REMEMBERED_MS, type ProofContext } from './dpop-proof.js';
import { tokenHash } from '../token-verifier.js';

const URL_OF_US = 'https://gw.example.com/mcp';
const NOW_S = 1_800_000_000;

let key: SigningKey;
let other: SigningKey;
let context: ProofContext;
let spent: Map<string, number>;
let proofs: DpopProofs;

beforeAll(async () => {
  [key, other] = [await createSigningKey('k'), await createSigningKey('o')];
  const jkt = await calculateJwkThumbprint(key.publicJwk, 'sha256');
  context = { httpMethod: 'POST', url: URL_OF_US, tokenHash: tokenHash('token'), jkt };
});
beforeEach(() => {
  spent = new Map();
  const spendOnce = async (id: string, rememberMs: number): Promise<boolean> => {
    const isFirst = !spent.has(id);
    spent.set(id, rememberMs);
    return isFirst;
  };
  proofs = new DpopProofs({ store: { spendOnce }, now: () => NOW_S * 1_000 });
});

interface Change {
  readonly claims?: object;
  readonly header?: object;
  readonly signWith?: SigningKey;
}

function bareJwk({ kty, crv, x, y, n, e }: JWK): JWK {
  return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as JWK;
}

function prove({ claims, header, signWith = key }: Change = {}): Promise<string> {
  const usual = { htm: 'POST', htu: URL_OF_US, iat: NOW_S, jti: 'proof-1', ath: context.tokenHash };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({
      typ: 'dpop+jwt',
      jwk: bareJwk(signWith.publicJwk),
      ...header,
      alg: signWith.algorithm,
    } as never)
    .sign(signWith.privateKey);
}

async function reasonOf(proof: string): Promise<Reason> {
  const error: unknown = await proofs.check(proof, context).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RoundhouseError);
  expect((error as RoundhouseError).code).toBe('proof_invalid');
  return (error as RoundhouseError).reason;
}

describe('a proof that is taken', () => {
  it.each([
    ['was made just now', {}],
    ['was made a minute ago', { claims: { iat: NOW_S - 60 } }],
    ['was made by a clock a minute ahead', { claims: { iat: NOW_S + 60 } }],
    ['names the address with a query', { claims: { htu: `${URL_OF_US}?a=b#c` } }],
    ['names the address in another spelling', { claims: { htu: 'HTTPS://GW.example.com:443/x/../mcp' } }],
  ] as [string, Change][])('%s', async (_what, change) => {
    await proofs.check(await prove(change), context);
  });

  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])('may be signed with %s', async (algorithm) => {
    const signWith = await createSigningKey('x', algorithm);
    const jkt = await calculateJwkThumbprint(signWith.publicJwk, 'sha256');
    await proofs.check(await prove({ signWith }), { ...context, jkt });
  });

  it('is remembered by a digest for as long as any router would take it', async () => {
    await proofs.check(await prove(), context);
    expect([...spent.values()]).toEqual([PROOF_REMEMBERED_MS]);
    expect([...spent.keys()][0]).toMatch(/^[\w-]{43}$/);
  });
});

describe('a proof is refused', () => {
  it.each([
    ['was made for another method', 'proof_other_request', { claims: { htm: 'GET' } }],
    ['writes the method otherwise', 'proof_other_request', { claims: { htm: 'post' } }],
    ['was made for another path', 'proof_other_request', { claims: { htu: `${URL_OF_US}/` } }],
    ['was made for another host', 'proof_other_request', { claims: { htu: 'https://evil.example/mcp' } }],
    ['was made for plain http', 'proof_other_request', { claims: { htu: 'http://gw.example.com/mcp' } }],
    ['was made for no address', 'proof_other_request', { claims: { htu: '/mcp' } }],
    ['was made for another token', 'proof_other_token', { claims: { ath: tokenHash('another') } }],
    ['was made for no token', 'proof_other_token', { claims: { ath: undefined } }],
    ['is older than a minute', 'proof_stale', { claims: { iat: NOW_S - 61 } }],
    ['is from the future', 'proof_stale', { claims: { iat: NOW_S + 61 } }],
    ['has no time', 'proof_stale', { claims: { iat: undefined } }],
    ['has no id', 'proof_malformed', { claims: { jti: undefined } }],
    ['has an empty id', 'proof_malformed', { claims: { jti: '' } }],
    ['has too long an id', 'proof_malformed', { claims: { jti: 'j'.repeat(257) } }],
    ['is another kind of JWT', 'proof_malformed', { header: { typ: 'JWT' } }],
    ['is no kind of JWT', 'proof_malformed', { header: { typ: undefined } }],
    ['carries no key', 'proof_malformed', { header: { jwk: undefined } }],
    ['has expired', 'proof_malformed', { claims: { exp: NOW_S - 61 } }],
  ] as [string, Reason, Change][])('that %s', async (_what, reason, change) => {
    expect(await reasonOf(await prove(change))).toBe(reason);
    expect(spent.size).toBe(0);
  });

  it('that is made with another key than the token is bound to', async () => {
    expect(await reasonOf(await prove({ signWith: other }))).toBe('proof_other_key');
  });

  it('that carries the right key and is signed with another', async () => {
    const stolen = await prove({ signWith: other, header: { jwk: bareJwk(key.publicJwk) } });
    expect(await reasonOf(stolen)).toBe('proof_unauthentic');
  });

  it('that carries a private key', async () => {
    const jwk = await exportJWK(key.privateKey);
    expect(await reasonOf(await prove({ header: { jwk } }))).toBe('proof_malformed');
  });

  it('that is signed with a secret', async () => {
    const secret = new TextEncoder().encode('s'.repeat(32));
    const jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
    const proof = await new SignJWT({})
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk } as never)
      .sign(secret);
    expect(await reasonOf(proof)).toBe('proof_malformed');
  });

  it.each(['', 'proof', 'a.b', 'a.b.c, d.e.f', 'a.b.', `${'a'.repeat(PROOF_BYTES_MAX)}.b.c`])(
    'that is no proof at all (%#)',
    async (proof) => {
      expect(await reasonOf(proof)).toBe('proof_malformed');
    },
  );

  it('the second time', async () => {
    const proof = await prove();
    await proofs.check(proof, context);
    expect(await reasonOf(proof)).toBe('proof_replayed');
  });

  it('when it only looks like another by what the id does not cover', async () => {
    await proofs.check(await prove(), context);
    expect(await reasonOf(await prove({ claims: { iat: NOW_S - 1, extra: true } }))).toBe('proof_replayed');
  });

  it('by whatever the store says when it is away', async () => {
    const away = new RoundhouseError('replay_unavailable', { reason: 'replay_unreachable' });
    proofs = new DpopProofs({ store: { spendOnce: () => Promise.reject(away) }, now: () => NOW_S * 1_000 });
    await expect(proofs.check(await prove(), context)).rejects.toBe(away);
  });
});
