import { describe, expect, it } from '@jest/globals';
import { checkClaims, type ExpectedClaims } from './check-claims.js';
import { argumentsDigest, principalDigest, type DigestedPrincipal } from './claim-digests.js';
import type { FlowClaims } from './flow-claims.js';

const T0 = Date.UTC(2026, 8, 1);
const LIFE = 300_000;
const SKEW = 60_000;
const FLOW_LIFE = 3_600_000;
const FLOW_ID = 'F'.repeat(21) + 'A';
const ALICE: DigestedPrincipal = { kind: 'user', issuer: 'https://id.example', subject: 'alice' };
const as = (principal: DigestedPrincipal) => (salt: string) => principalDigest(principal, salt);

const CLAIMS: FlowClaims = {
  v: 1,
  issuedAtMs: T0,
  expiresAtMs: T0 + LIFE,
  nonce: 'N'.repeat(21) + 'A',
  flowId: FLOW_ID,
  flowStartedAtMs: T0 - 1000,
  round: 2,
  method: 'tools/call',
  target: 'transfer',
  argumentsDigest: argumentsDigest('tools/call', 'transfer', '{"amount":1}'),
  principal: principalDigest(ALICE, FLOW_ID),
  group: 'payments',
  catalogueHash: 'h1',
  asks: {},
  continuation: '',
  answers: {},
  singleUse: true,
};
const EXPECTED: ExpectedClaims = {
  nowMs: T0 + 1000,
  skewMs: SKEW,
  method: 'tools/call',
  target: 'transfer',
  argumentsDigest: CLAIMS.argumentsDigest,
  principal: as(ALICE),
  group: 'payments',
};
const check = (expected: Partial<ExpectedClaims>, claims: Partial<FlowClaims> = {}) =>
  checkClaims({ ...CLAIMS, ...claims }, { ...EXPECTED, ...expected });

describe('checkClaims', () => {
  it.each<[string, Partial<ExpectedClaims>, Partial<FlowClaims>]>([
    ['good-same-request', {}, {}],
    ['good-at-once', { nowMs: T0 }, {}],
    ['good-issuer-30-s-ahead', { nowMs: T0 - 30_000 }, {}],
    ['good-issuer-ahead-by-all-of-the-skew', { nowMs: T0 - SKEW }, {}],
    ['good-last-instant', { nowMs: T0 + LIFE + SKEW - 1 }, {}],
    ['good-route-not-compared', { group: undefined }, {}],
    [
      'good-last-instant-of-the-flow',
      { nowMs: T0 + FLOW_LIFE + SKEW - 1 },
      { flowStartedAtMs: T0, expiresAtMs: T0 + 2 * FLOW_LIFE },
    ],
    [
      'good-anonymous-both-times',
      { principal: as({ kind: 'anonymous' }) },
      { principal: principalDigest({ kind: 'anonymous' }, FLOW_ID) },
    ],
  ])('accepts %s', (_name, expected, claims) => {
    expect(check(expected, claims)).toBeUndefined();
  });

  it.each<[string, string, Partial<ExpectedClaims>, Partial<FlowClaims>]>([
    ['fail-expired', 'state_expired', { nowMs: T0 + LIFE + SKEW }, {}],
    ['fail-expired-without-skew', 'state_expired', { nowMs: T0 + LIFE, skewMs: 0 }, {}],
    ['fail-now-nan', 'state_expired', { nowMs: NaN }, {}],
    ['fail-skew-nan', 'state_expired', { skewMs: NaN }, {}],
    ['fail-expiry-nan', 'state_expired', {}, { expiresAtMs: NaN }],
    ['fail-expiry-undefined', 'state_expired', {}, { expiresAtMs: undefined as unknown as number }],
    ['fail-issued-beyond-the-skew', 'state_from_the_future', { nowMs: T0 - SKEW - 1 }, {}],
    ['fail-issued-in-10-min', 'state_from_the_future', {}, { issuedAtMs: T0 + 600_000 }],
    ['fail-issued-nan', 'state_from_the_future', {}, { issuedAtMs: NaN }],
    ['fail-flow-too-old', 'state_flow_expired', {}, { flowStartedAtMs: T0 + 1000 - FLOW_LIFE - SKEW }],
    ['fail-flow-start-nan', 'state_flow_expired', {}, { flowStartedAtMs: NaN }],
    ['fail-flow-life-nan', 'state_flow_expired', { flowLifeMs: NaN }, {}],
    ['fail-flow-life-shortened', 'state_flow_expired', { flowLifeMs: 1000, skewMs: 0 }, {}],
    ['fail-other-method', 'state_other_method', { method: 'prompts/get' }, {}],
    ['fail-other-target', 'state_other_target', { target: 'delete_all' }, {}],
    [
      'fail-other-arguments',
      'state_other_arguments',
      { argumentsDigest: argumentsDigest('tools/call', 'transfer', '{"amount":1000}') },
      {},
    ],
    ['fail-no-arguments-digest', 'state_other_arguments', { argumentsDigest: '' }, {}],
    ['fail-other-user', 'state_other_principal', { principal: as({ ...ALICE, subject: 'bob' }) }, {}],
    ['fail-other-client', 'state_other_principal', { principal: as({ ...ALICE, clientId: 'other' }) }, {}],
    ['fail-other-tenant', 'state_other_principal', { principal: as({ ...ALICE, tenant: 'other' }) }, {}],
    ['fail-user-became-anonymous', 'state_other_principal', { principal: as({ kind: 'anonymous' }) }, {}],
    [
      'fail-anonymous-became-user',
      'state_other_principal',
      {},
      { principal: principalDigest({ kind: 'anonymous' }, FLOW_ID) },
    ],
    ['fail-digest-of-another-flow', 'state_other_principal', {}, { principal: principalDigest(ALICE, 'G'.repeat(22)) }],
    ['fail-other-route', 'state_other_route', { group: 'notes' }, {}],
    ['fail-empty-route', 'state_other_route', { group: '' }, {}],
  ])('refuses %s as %s', (...[, reason, expected, claims]) => {
    expect(check(expected, claims)).toBe(reason);
  });

  it('names the first of several faults, times before bindings', () => {
    const wrong = { method: 'x', target: 'x', argumentsDigest: 'x', principal: () => 'x', group: 'x' };
    expect(check({ ...wrong, nowMs: T0 + LIFE + SKEW })).toBe('state_expired');
    expect(check(wrong)).toBe('state_other_method');
    expect(check({ ...wrong, method: 'tools/call' })).toBe('state_other_target');
    expect(check({ ...wrong, method: 'tools/call', target: 'transfer' })).toBe('state_other_arguments');
    expect(check({ principal: () => 'x', group: 'x' })).toBe('state_other_principal');
  });
});
