import { beforeEach, describe, expect, it } from '@jest/globals';
import { secretWatch } from './secret-watch.js';
import { watchReply, watchRequest } from './secrets-sent.js';

beforeEach(() => secretWatch.begin());

const bodyWith = (params: object): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const STATE = `v1.${'k'.repeat(11)}${'body-of-a-sealed-state'.repeat(4)}`;

describe('what clients send', () => {
  it.each([
    ['a bearer token', { headers: [['Authorization', 'Bearer opaque-token-1234']], body: '' }, 'opaque-token-1234'],
    [
      'the payload of a token',
      { headers: [['authorization', 'DPoP head.payload-of-it-12.s']], body: '' },
      'payload-of-it-12',
    ],
    ['the signature of a proof', { headers: [['DPoP', 'h.p.signature-of-it-3']], body: '' }, 'signature-of-it-3'],
    ['a cookie', { headers: [['Cookie', 'session-of-somebody']], body: '' }, 'session-of-somebody'],
    ['a principal', { headers: [['X-Roundhouse-Principal', 'somebody-of-note']], body: '' }, 'somebody-of-note'],
    [
      'a token in the address',
      { path: '/mcp?access_token=token-in-address', headers: [], body: '' },
      'token-in-address',
    ],
    [
      'an argument',
      { headers: [], body: bodyWith({ name: 'x', arguments: { a: [{ b: 'deep in arguments' }] } }) },
      'deep in arguments',
    ],
    [
      'an answer',
      {
        headers: [],
        body: bodyWith({ inputResponses: { q: { action: 'accept', content: { a: 'what they said' } } } }),
      },
      'what they said',
    ],
  ] as const)('is watched for: %s', (_what, request, secret) => {
    watchRequest(request);
    secretWatch.hear('a log', `it says ${secret}`);
    expect(secretWatch.leaks()).toHaveLength(1);
  });

  it.each(['', 'no JSON', 'null', '[]', '{"params":null}', '{"params":[1]}'])('may be anything: %s', (body) => {
    watchRequest({ headers: [['Authorization', '']], body });
    secretWatch.hear('a log', body);
    expect(secretWatch.leaks()).toEqual([]);
  });
});

describe('arguments', () => {
  it('may be nested as deep as JSON lets them', () => {
    const depth = 20_000;
    const nested = `${'['.repeat(depth)}"deepest of all"${']'.repeat(depth)}`;
    watchRequest({ headers: [], body: `{"params":{"arguments":${nested}}}` });
    secretWatch.hear('a log', 'deepest of all');
    expect(secretWatch.leaks()).toHaveLength(1);
  });
});

describe('what clients are told', () => {
  it('is watched for sealed states, by what the key id does not tell', () => {
    watchReply(200, JSON.stringify({ result: { requestState: STATE } }));
    secretWatch.hear('a log', STATE.slice(0, 14));
    expect(secretWatch.leaks()).toEqual([]);
    secretWatch.hear('a log', STATE.slice(0, 30));
    expect(secretWatch.leaks()).toEqual(['a sealed state is told in a log']);
  });

  it.each([
    ['a status', 400, '{"message":"MARK of a client"}'],
    ['an error of JSON-RPC', 200, '{"id":1,"error":{"code":-32603,"message":"MARK of a client"}}'],
  ])('is looked at when it is an error, by %s', (_how, status, text) => {
    secretWatch.keep('the mark', 'MARK of a client');
    watchReply(status, text);
    expect(secretWatch.leaks()).toEqual(['the mark is told in an error that a client was told']);
  });

  it('may be their own secret when it is an answer', () => {
    secretWatch.keep('the mark', 'MARK of a client');
    watchReply(200, '{"result":{"content":[{"type":"text","text":"MARK of a client"}]}}');
    expect(secretWatch.leaks()).toEqual([]);
  });
});
