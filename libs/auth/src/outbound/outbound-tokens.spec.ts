import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { FakeClock } from '@roundhouse/testing';
import { GuardedFetch } from '../http/guarded-fetch.js';
import { RENEW_BEFORE_MS } from './outbound-cache.js';
import { OutboundTokens, type OutboundCaller, type OutboundMode } from './outbound-tokens.js';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const SUBJECT_TOKEN = 'MARK_caller_token';
const SECRET = 'MARK_client_secret';

let clock: FakeClock;
let server: Server;
let tokenEndpoint: URL;
let seen: { form: Record<string, string>; authorization: string | undefined }[];
let answer: { status: number; body: unknown; location?: string };
let release: (() => void) | undefined;
let isHeld: boolean;

beforeEach(async () => {
  clock = new FakeClock();
  [seen, release, isHeld] = [[], undefined, false];
  answer = { status: 200, body: undefined };
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      seen.push({ form: Object.fromEntries(new URLSearchParams(text)), authorization: request.headers.authorization });
      const body = answer.body ?? good({ access_token: `upstream-${seen.length}` });
      const send = (): void => {
        const headers = answer.location === undefined ? {} : { location: answer.location };
        response.writeHead(answer.status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      if (isHeld) release = send;
      else send();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  tokenEndpoint = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/token`);
});
afterEach(() => {
  server.close().closeAllConnections();
});

const good = (change: object = {}): object => ({
  access_token: 'upstream-token',
  issued_token_type: ACCESS_TOKEN,
  token_type: 'Bearer',
  expires_in: 600,
  ...change,
});

function open(change: Partial<Extract<OutboundMode, { mode: 'token_exchange' }>> = {}): OutboundTokens {
  const settings: OutboundMode = {
    ...{ mode: 'token_exchange', tokenEndpoint, clientId: 'gateway', readSecret: async () => SECRET },
    ...{ resource: 'https://crm.example/mcp', scopes: ['crm:read'] },
    ...change,
  };
  return new OutboundTokens({ settings, fetch: fetcher(), now: clock.now });
}
const fetcher = (): GuardedFetch => new GuardedFetch({ allowLoopback: true, privateHosts: [] });

const caller = (change: object = {}, access: object = {}): OutboundCaller => ({
  token: SUBJECT_TOKEN,
  access: {
    principal: { kind: 'user', issuer: 'https://login.example', subject: 'alice', clientId: 'app', ...change },
    confirmation: undefined,
    expiresAtMs: clock.now() + 3_600_000,
    ...access,
  },
});
async function failureOf(work: Promise<unknown>): Promise<RoundhouseError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RoundhouseError);
  return error as RoundhouseError;
}

describe('a token for an upstream, exchanged for the caller’s', () => {
  it('is asked for as RFC 8693 says, narrowed to one upstream and its scopes', async () => {
    expect(await open().tokenFor(caller())).toBe('upstream-1');
    expect(seen).toEqual([
      {
        form: {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: SUBJECT_TOKEN,
          subject_token_type: ACCESS_TOKEN,
          requested_token_type: ACCESS_TOKEN,
          resource: 'https://crm.example/mcp',
          scope: 'crm:read',
        },
        authorization: `Basic ${Buffer.from(`gateway:${SECRET}`).toString('base64')}`,
      },
    ]);
  });

  it('names who acts, and the audience, where that is set', async () => {
    await open({ audience: 'crm', readActorToken: async () => 'actor' }).tokenFor(caller());
    expect(seen[0]?.form).toMatchObject({ audience: 'crm', actor_token: 'actor', actor_token_type: ACCESS_TOKEN });
  });

  it('is kept until a minute before it ends, a refreshed token of the caller or not', async () => {
    const tokens = open();
    await tokens.tokenFor(caller());
    clock.advance(600_000 - RENEW_BEFORE_MS - 1);
    expect(await tokens.tokenFor({ ...caller(), token: 'refreshed' })).toBe('upstream-1');
    clock.advance(1);
    expect(await tokens.tokenFor(caller())).toBe('upstream-2');
  });

  it('is kept no longer than what it was exchanged for', async () => {
    const tokens = open();
    await tokens.tokenFor(caller({}, { expiresAtMs: clock.now() + RENEW_BEFORE_MS + 1_000 }));
    clock.advance(1_000);
    expect(await tokens.tokenFor(caller())).toBe('upstream-2');
  });

  it.each<[string, object, object]>([
    ['another subject', { subject: 'bob' }, {}],
    ['another issuer', { issuer: 'https://other.example' }, {}],
    ['another client', { clientId: 'other' }, {}],
    ['another tenant', { tenant: 'acme' }, {}],
    ['another key', {}, { confirmation: { jkt: 'x'.repeat(43) } }],
  ])('is never given to %s', async (_what, principal, access) => {
    const tokens = open();
    await tokens.tokenFor(caller());
    expect(await tokens.tokenFor(caller(principal, access))).toBe('upstream-2');
  });

  it('is asked for once, however many calls wait', async () => {
    isHeld = true;
    const tokens = open();
    const all = Array.from({ length: 20 }, () => tokens.tokenFor(caller()));
    while (release === undefined) await new Promise((resolve) => setImmediate(resolve));
    release();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['upstream-1']));
    expect(seen).toHaveLength(1);
  });
});

describe('a token that cannot be had', () => {
  it.each<[string, number, unknown]>([
    ['a refusal', 400, { error: 'invalid_grant' }],
    ['an outage', 503, 'busy'],
    ['no JSON', 200, 'MARK_answer {'],
    ['an array', 200, []],
    ['no token', 200, good({ access_token: undefined })],
    ['a token with a line break', 200, good({ access_token: 'a\r\nx-evil: 1' })],
    ['a token of another kind', 200, good({ issued_token_type: 'urn:ietf:params:oauth:token-type:id_token' })],
    ['a token of no kind', 200, good({ issued_token_type: undefined })],
    ['a token that is bound', 200, good({ token_type: 'DPoP' })],
    ['more scopes than asked for', 200, good({ scope: 'crm:read crm:admin' })],
    ['a life below zero', 200, good({ expires_in: -1 })],
    ['a life without end', 200, good({ expires_in: 1e12 })],
    ['a life that is a word', 200, good({ expires_in: '600' })],
    ['a very long answer', 200, 'x'.repeat(100_000)],
  ])('because of %s is an error, and the caller’s own is not sent instead', async (_what, status, body) => {
    answer = { status, body };
    const error = await failureOf(open().tokenFor(caller()));
    expect([error.code, error.row.status, error.row.rpcCode, error.challenge]).toEqual([
      'upstream_unauthorized',
      502,
      -32603,
      undefined,
    ]);
    const told = JSON.stringify([error.message, error.facts, error.reason, String(error.cause)]);
    for (const secret of ['MARK_', 'invalid_grant']) expect(told).not.toContain(secret);
  });

  it('because the server sends us elsewhere is an error: nothing follows', async () => {
    answer = { status: 307, body: '', location: '/elsewhere' };
    expect((await failureOf(open().tokenFor(caller()))).code).toBe('upstream_unauthorized');
    expect(seen).toHaveLength(1);
  });

  it('because there is no server, or none that may be asked, is an error', async () => {
    for (const url of ['http://127.0.0.1:1/token', 'http://login.example/token', 'https://169.254.169.254/token']) {
      const failed = await failureOf(open({ tokenEndpoint: new URL(url) }).tokenFor(caller()));
      expect([failed.code, failed.reason]).toEqual(['upstream_unauthorized', 'outbound_token_failed']);
    }
  });

  it('is asked for again the next time: failures are not kept', async () => {
    const tokens = open();
    answer = { status: 503, body: '' };
    await failureOf(tokens.tokenFor(caller()));
    answer = { status: 200, body: undefined };
    expect(await tokens.tokenFor(caller())).toBe('upstream-2');
  });
});

describe('a token that all callers share', () => {
  it('is fetched for ourselves, once, and nothing of the caller is sent', async () => {
    const settings: OutboundMode = {
      ...{ mode: 'client_credentials', tokenEndpoint, clientId: 'gateway', readSecret: async () => SECRET },
      scopes: ['crm:read'],
    };
    answer.body = good({ issued_token_type: undefined });
    const tokens = new OutboundTokens({ settings, fetch: fetcher(), now: clock.now });
    await tokens.tokenFor(caller());
    await tokens.tokenFor(caller({ subject: 'bob' }));
    expect(seen.map(({ form }) => form)).toEqual([{ grant_type: 'client_credentials', scope: 'crm:read' }]);
    expect(tokens.isShared).toBe(true);
  });

  it('is a fixed one, read each time', async () => {
    let secret = 'first';
    const settings: OutboundMode = { mode: 'static', readSecret: async () => secret };
    const tokens = new OutboundTokens({ settings, fetch: fetcher(), now: clock.now });
    expect(await tokens.tokenFor(caller())).toBe('first');
    secret = 'second';
    expect(await tokens.tokenFor(caller())).toBe('second');
    secret = 'bad\nsecret';
    expect((await failureOf(tokens.tokenFor(caller()))).code).toBe('upstream_unauthorized');
    expect([tokens.isShared, open().isShared]).toEqual([true, false]);
  });
});
