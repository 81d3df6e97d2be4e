import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestIssuer } from '@roundhouse/testing';
import { GuardedFetch } from '../http/guarded-fetch.js';
import { PublishedIssuer } from './published-issuer.js';

const METADATA = '/.well-known/oauth-authorization-server';
const HOUR_MS = 3_600_000;

let issuer: TestIssuer;
let published: PublishedIssuer;
let nowMs: number;

beforeEach(async () => {
  nowMs = 0;
  issuer = await TestIssuer.start({ audience: 'https://gw.example.com/mcp' });
  const fetch = new GuardedFetch({ allowLoopback: true, privateHosts: [] });
  published = new PublishedIssuer({ issuer: issuer.url, fetch, now: () => nowMs });
});
afterEach(() => issuer.stop());

const says = (status: number, body = ''): void =>
  void issuer.answers.set(METADATA, (_request, response) => response.writeHead(status).end(body));
const codeOf = (): Promise<string> =>
  published.read().then(
    () => 'read',
    (error: { code: string }) => error.code,
  );

describe('the metadata of an issuer, as it is repeated', () => {
  it('is all that the issuer says, and is asked for once an hour', async () => {
    expect(JSON.parse(await published.read())).toMatchObject({ issuer: issuer.url, jwks_uri: issuer.jwksUri });
    nowMs = HOUR_MS - 1;
    await published.read();
    expect(issuer.requests).toHaveLength(1);
    nowMs = HOUR_MS;
    await published.read();
    expect(issuer.requests).toHaveLength(2);
  });

  it('is fetched once for however many ask at the same moment', async () => {
    await Promise.all(Array.from({ length: 50 }, () => published.read()));
    expect(issuer.requests).toHaveLength(1);
  });

  it.each<[string, number, string]>([
    ['names another issuer', 200, '{"issuer":"https://evil.example"}'],
    ['is no object', 200, '[]'],
    ['is no JSON', 200, '<html>'],
    ['is an error', 500, ''],
    ['is too large', 200, `{"issuer":"${'x'.repeat(70_000)}"}`],
  ])('is not repeated when it %s', async (_what, status, body) => {
    says(status, body);
    expect(await codeOf()).toBe('authorization_unavailable');
  });

  it('that cannot be had is not asked for again for five seconds, whoever asks', async () => {
    says(500);
    for (let times = 0; times < 20; times += 1) expect(await codeOf()).toBe('authorization_unavailable');
    expect(issuer.requests).toHaveLength(1);
    issuer.answers.delete(METADATA);
    nowMs = 4_999;
    expect(await codeOf()).toBe('authorization_unavailable');
    nowMs = 5_000;
    expect(await codeOf()).toBe('read');
  });

  it('stays good while the issuer is away', async () => {
    const before = await published.read();
    await issuer.stop();
    nowMs = HOUR_MS;
    expect(await published.read()).toBe(before);
  });
});
