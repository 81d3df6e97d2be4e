import { describe, expect, it } from '@jest/globals';
import { isDeniedHeader, toOutboundHeaders, type UpstreamCredential } from './outbound-headers.js';

const MARK = 'MARK_inbound';
const url = new URL('https://crm.example/mcp');
const credential: UpstreamCredential = { origin: 'https://crm.example', token: 'upstream' };

const DENIED = [
  ...['authorization', 'Authorization', 'AUTHORIZATION', 'proxy-authorization', 'cookie', 'Cookie', 'dpop', 'DPoP'],
  ...['dpop-nonce', 'mcp-session-id', 'host', 'x-forwarded-for', 'X-Forwarded-Access-Token', 'forwarded', 'x-real-ip'],
  ...['connection', 'transfer-encoding', 'content-length', 'upgrade', 'proxy-connection', 'sec-fetch-site', 'te'],
  ...['', 'a b', 'a\r\nb', 'a:b'],
];

/** B105. */
describe('the headers of a request to an upstream', () => {
  it.each(DENIED)('never hold %j, although somebody asks for it', (name) => {
    expect(isDeniedHeader(name)).toBe(true);
    expect(toOutboundHeaders({ [name]: MARK }, url, { passed: [name], credential: undefined })).toEqual({});
  });

  it('hold nothing that nobody asked for', () => {
    expect(toOutboundHeaders({ 'x-api-key': MARK, accept: 'a' }, url, { passed: ['accept'], credential })).toEqual({
      accept: 'a',
      authorization: 'Bearer upstream',
    });
  });

  it('hold our credential, whatever the caller sent', () => {
    const inbound = { authorization: `Bearer ${MARK}`, accept: 'a' };
    const headers = toOutboundHeaders(inbound, url, { passed: ['authorization', 'accept'], credential });
    expect(headers).toEqual({ accept: 'a', authorization: 'Bearer upstream' });
  });

  it.each([
    'https://evil.example/mcp',
    'http://crm.example/mcp',
    'https://crm.example:8443/mcp',
    'https://crm.example.evil.example/mcp',
    'https://crm.example@evil.example/mcp',
  ])('hold no credential for %s', (other) => {
    expect(toOutboundHeaders({}, new URL(other), { passed: [], credential })).toEqual({});
  });

  it('hold no header that was sent twice', () => {
    expect(toOutboundHeaders({ 'x-a': ['1', '2'] }, url, { passed: ['x-a'], credential: undefined })).toEqual({});
  });
});
