import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { argumentsDigest, isSameDigest, principalDigest, type DigestedPrincipal } from './claim-digests.js';

const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const ALICE = { kind: 'user', issuer: 'https://id.example', subject: 'alice' } as const;
const part = fc.string({ unit: fc.constantFrom('a', '1', ':', ''), maxLength: 4 });

describe('argumentsDigest', () => {
  it('is 43 characters of base64url', () => {
    expect(argumentsDigest('tools/call', 'notes', '{}')).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['method', ['prompts/get', 'transfer', '{"amount":1}']],
    ['target', ['tools/call', 'delete_all', '{"amount":1}']],
    ['arguments', ['tools/call', 'transfer', '{"amount":1000}']],
    ['boundary', ['tools/calltransfer', '', '{"amount":1}']],
  ] as const)('changes with the %s', (_name, [method, target, canonical]) => {
    expect(argumentsDigest(method, target, canonical)).not.toBe(
      argumentsDigest('tools/call', 'transfer', '{"amount":1}'),
    );
  });

  it('is never the same for two different requests', () => {
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (a, b) => {
        expect(argumentsDigest(...a) === argumentsDigest(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 3000 },
    );
  });

  it('tells apart targets that UTF-8 would make equal', () => {
    expect(argumentsDigest('tools/call', '\ud800', '{}')).not.toBe(argumentsDigest('tools/call', '\ufffd', '{}'));
  });
});

describe('principalDigest', () => {
  it('is the same for the same principal, and hides who it is', () => {
    expect(principalDigest({ ...ALICE }, SALT)).toBe(principalDigest(ALICE, SALT));
    expect(principalDigest(ALICE, SALT)).toMatch(/^[\w-]{43}$/);
  });

  it.each<[string, DigestedPrincipal]>([
    ['anonymous', { kind: 'anonymous' }],
    ['another subject', { ...ALICE, subject: 'bob' }],
    ['another letter case', { ...ALICE, subject: 'Alice' }],
    ['another issuer', { ...ALICE, issuer: 'https://id.example/' }],
    ['a client', { ...ALICE, clientId: 'web' }],
    ['an empty client', { ...ALICE, clientId: '' }],
    ['a tenant', { ...ALICE, tenant: 'web' }],
    ['an empty tenant', { ...ALICE, tenant: '' }],
    ['issuer and subject with the boundary moved', { ...ALICE, issuer: 'https://id.examplea', subject: 'lice' }],
    ['a user called absent', { ...ALICE, subject: 'aliceabsent' }],
  ])('differs from that of %s', (_name, other) => {
    expect(principalDigest(other, SALT)).not.toBe(principalDigest(ALICE, SALT));
  });

  it('differs between a client and a tenant of one name', () => {
    expect(principalDigest({ ...ALICE, clientId: 'x' }, SALT)).not.toBe(
      principalDigest({ ...ALICE, tenant: 'x' }, SALT),
    );
  });

  it('differs in every flow', () => {
    expect(principalDigest(ALICE, 'BBBBBBBBBBBBBBBBBBBBBB')).not.toBe(principalDigest(ALICE, SALT));
    expect(principalDigest({ kind: 'anonymous' }, 'BBBBBBBBBBBBBBBBBBBBBB')).not.toBe(
      principalDigest({ kind: 'anonymous' }, SALT),
    );
  });

  it('is never the same for two principals', () => {
    const text = fc.oneof(part, fc.constantFrom('absent', 'present', 'user', 'anonymous'));
    const user = fc.record(
      { kind: fc.constant('user' as const), issuer: text, subject: text, clientId: text, tenant: text },
      { requiredKeys: ['kind', 'issuer', 'subject'], noNullPrototype: true },
    );
    const principal = fc.oneof(
      { weight: 9, arbitrary: user },
      { weight: 1, arbitrary: fc.constant({ kind: 'anonymous' as const }) },
    );
    const spell = (p: DigestedPrincipal) =>
      p.kind === 'user' ? JSON.stringify([p.issuer, p.subject, p.clientId ?? 0, p.tenant ?? 0]) : '';
    fc.assert(
      fc.property(principal, principal, (a, b) => {
        expect(principalDigest(a, SALT) === principalDigest(b, SALT)).toBe(spell(a) === spell(b));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('isSameDigest', () => {
  it.each([
    ['one character differs', 'abc', 'abd', false],
    ['one is longer', 'abc', 'abcd', false],
    ['one is empty', '', 'a', false],
    ['equal length in characters, not in bytes', 'ab', 'aé', false],
    ['both are the same', 'abc', 'abc', true],
  ])('compares without throwing: %s', (...[, a, b, same]) => {
    expect(isSameDigest(a, b)).toBe(same);
  });
});
