import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeClaims, encodeClaims, type FlowClaims } from './flow-claims.js';

const CLAIMS: FlowClaims = {
  v: 1,
  issuedAtMs: 1_788_220_800_000,
  expiresAtMs: 1_788_221_100_000,
  nonce: 'N'.repeat(21) + 'A',
  flowId: 'F'.repeat(21) + 'A',
  flowStartedAtMs: 1_788_220_700_000,
  round: 3,
  method: 'tools/call',
  target: 'notes_delete',
  argumentsDigest: 'a'.repeat(43),
  principal: 'p'.repeat(43),
  group: 'notes',
  catalogueHash: 'h1',
  asks: {
    choice: { method: 'elicitation/create', params: { message: 'Which?', nested: { a: [1, null] } } },
    where: { method: 'roots/list' },
  },
  continuation: 'opaque \u0000 \ud83d\ude00 text',
  answers: { first: { action: 'accept', content: { yes: true } } },
  owner: '10.0.0.7:9000',
  singleUse: true,
  epochs: { answer: 'A'.repeat(22), cancel: 'C'.repeat(22) },
  handle: 'h'.repeat(22),
  trace: { previous: 't'.repeat(34), origin: 'o'.repeat(34) },
  rpcIds: { previous: 7, origin: 'seven' },
};
const wire = JSON.parse(encodeClaims(CLAIMS)) as Record<string, unknown>;
const decodeWith = (change: object) => decodeClaims(JSON.stringify({ ...wire, ...change }));

describe('claims', () => {
  it('come back as they were', () => {
    expect(decodeClaims(encodeClaims(CLAIMS))).toEqual(CLAIMS);
  });

  it.each(['owner', 'epochs', 'handle', 'trace', 'rpcIds'] as const)('come back without %s', (member) => {
    const claims = { ...CLAIMS, [member]: undefined };
    expect(decodeClaims(encodeClaims(claims))).toEqual(claims);
    expect(decodeClaims(encodeClaims(claims))?.[member]).toBeUndefined();
  });

  it.each([{ previous: 0 }, { previous: '' }, { origin: 1.5 }, { previous: 'a', origin: 2 }])(
    'keep rpc ids as they are: %j',
    (rpcIds) => {
      expect(decodeClaims(encodeClaims({ ...CLAIMS, rpcIds }))?.rpcIds).toEqual(rpcIds);
    },
  );

  it('come back from the first moment of all clocks', () => {
    const claims = { ...CLAIMS, issuedAtMs: 0, expiresAtMs: 0, flowStartedAtMs: 0 };
    expect(decodeClaims(encodeClaims(claims))).toEqual(claims);
  });

  it('keep a continuation exact, lone surrogates included', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
        (continuation) => {
          const text = encodeClaims({ ...CLAIMS, continuation });
          expect(text.isWellFormed()).toBe(true);
          expect(decodeClaims(text)?.continuation).toBe(continuation);
        },
      ),
    );
  });

  it('keep keys that name prototype members as ordinary keys', () => {
    const asks = JSON.parse(
      '{"__proto__":{"method":"roots/list"},"constructor":{"method":"roots/list"}}',
    ) as FlowClaims['asks'];
    const answers = JSON.parse('{"__proto__":{"polluted":true},"toString":{}}') as FlowClaims['answers'];
    const decoded = decodeClaims(encodeClaims({ ...CLAIMS, asks, answers }));
    expect(Object.keys(decoded?.asks ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.keys(decoded?.answers ?? {})).toEqual(['__proto__', 'toString']);
    expect(Object.getPrototypeOf(decoded?.answers)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuse a bad ask or answer under __proto__ as under any key', () => {
    expect(decodeClaims(JSON.stringify(wire).replace('"where":{', '"__proto__":{'))).toBeDefined();
    expect(
      decodeClaims(JSON.stringify(wire).replace('"where":{"method":"roots/list"', '"__proto__":{"method":"x"')),
    ).toBeUndefined();
    expect(decodeClaims(JSON.stringify(wire).replace('"first":{', '"__proto__":7,"first":{'))).toBeUndefined();
  });

  it('pass over members that a newer release added', () => {
    expect(decodeWith({ zz: { later: true } })).toEqual(CLAIMS);
  });

  it.each([
    ['fail-empty', ''],
    ['fail-not-json', '{'],
    ['fail-null', 'null'],
    ['fail-list', '[]'],
    ['fail-text', '"claims"'],
    ['fail-empty-object', '{}'],
    ['fail-trailing-text', `${JSON.stringify(wire)}{}`],
  ])('refuse %s', (_name, text) => {
    expect(decodeClaims(text)).toBeUndefined();
  });

  it.each([
    'v',
    'i',
    'e',
    'n',
    'f',
    's',
    'r',
    'm',
    't',
    'a',
    'p',
    'g',
    'h',
    'q',
    'c',
    'w',
    'u',
    'ea',
    'ec',
    'tp',
    'to',
  ])('refuse to be without %s', (member) => {
    expect(Object.keys(wire)).toContain(member);
    expect(decodeWith({ [member]: undefined })).toBeUndefined();
  });

  it.each(Object.keys(wire))('refuse null as %s', (member) => {
    expect(decodeWith({ [member]: null })).toBeUndefined();
  });

  it.each([
    ['fail-next-version', { v: 2 }],
    ['fail-version-text', { v: '1' }],
    ['fail-time-text', { e: '1788221100000' }],
    ['fail-time-negative', { i: -1 }],
    ['fail-time-fraction', { i: 0.5 }],
    ['fail-time-beyond-exact-numbers', { e: 1e18 }],
    ['fail-flow-start-boolean', { s: true }],
    ['fail-round-1', { r: 1 }],
    ['fail-round-text', { r: '2' }],
    ['fail-nonce-short', { n: 'N'.repeat(21) }],
    ['fail-nonce-long', { n: 'N'.repeat(23) }],
    ['fail-nonce-alphabet', { n: 'N'.repeat(21) + '=' }],
    ['fail-nonce-newline', { n: 'N'.repeat(22) + '\n' }],
    ['fail-flow-id-list', { f: ['F'.repeat(22)] }],
    ['fail-method-list', { m: ['tools/call'] }],
    ['fail-target-number', { t: 1 }],
    ['fail-digest-short', { a: 'a'.repeat(42) }],
    ['fail-principal-long', { p: 'p'.repeat(44) }],
    ['fail-group-number', { g: 1 }],
    ['fail-asks-list', { q: [{ method: 'roots/list' }] }],
    ['fail-ask-null', { q: { a: null } }],
    ['fail-ask-other-method', { q: { a: { method: 'tools/call' } } }],
    ['fail-ask-inherited-method', { q: { a: { method: 'constructor' } } }],
    ['fail-ask-params-list', { q: { a: { method: 'roots/list', params: [] } } }],
    ['fail-ask-params-null', { q: { a: { method: 'roots/list', params: null } } }],
    ['fail-continuation-object', { c: {} }],
    ['fail-answers-text', { w: 'yes' }],
    ['fail-answer-text', { w: { a: 'yes' } }],
    ['fail-answer-list', { w: { a: [] } }],
    ['fail-owner-number', { o: 9000 }],
    ['fail-single-use-number', { u: 1 }],
    ['fail-epoch-short', { ea: 'A'.repeat(21) }],
    ['fail-epoch-number', { ec: 7 }],
    ['fail-handle-long', { hd: 'h'.repeat(23) }],
    ['fail-trace-short', { tp: 't'.repeat(33) }],
    ['fail-trace-long', { tp: 't'.repeat(35) }],
    ['fail-trace-alphabet', { to: `${'o'.repeat(34)}=` }],
    ['fail-trace-number', { to: 7 }],
    ['fail-rpc-id-object', { ip: {} }],
    ['fail-rpc-id-boolean', { io: true }],
  ])('refuse %s', (_name, change) => {
    expect(decodeWith(change)).toBeUndefined();
  });

  it('never throw on any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(fc.constantFrom(...Object.keys(wire)), fc.jsonValue()).map((o) => JSON.stringify(o)),
    );
    fc.assert(
      fc.property(text, (any) => expect(decodeClaims(any)).toBeUndefined()),
      { numRuns: 3000 },
    );
  });
});
