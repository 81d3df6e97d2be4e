/**
 * Freezes what crosses a rolling upgrade: the sealed string, the claims' text and every digest inside. When a test here
 * fails, replicas of two releases no longer understand each other; give the format a new prefix instead of a new pin.
 */
import { describe, expect, it } from '@jest/globals';
import { argumentsDigest, principalDigest } from './claim-digests.js';
import { decodeClaims, encodeClaims, type FlowClaims } from './flow-claims.js';
import { Keyset } from './keyset.js';
import { PURPOSES, SealingKey } from './sealing-key.js';
import { StateSealer } from './state-sealer.js';

const T0 = Date.UTC(2026, 8, 1);
const FLOW_ID = 'AQIDBAUGBwgJCgsMDQ4PEA';
const CONTEXT = ['tenant-a', 'notes'];

// Bytes 0 to 31: published here, and of a kind that parseKeyset refuses.
const key = new SealingKey({
  kid: '0011223344556677',
  material: Uint8Array.from({ length: 32 }, (_, at) => at),
  createdAtMs: T0,
  activateAtMs: T0,
  retireAtMs: Infinity,
  destroyAtMs: Infinity,
  enabled: true,
});
const keyset = new Keyset([key]);
const sealer = new StateSealer({
  keyset: () => keyset,
  audience: 'https://mcp.example/mcp',
  clock: () => T0,
  randomBytes: (length) => Buffer.alloc(length, 'ABCDEFGHIJKLMNOPQRSTUVWX'),
});

const CLAIMS: FlowClaims = {
  v: 1,
  issuedAtMs: T0,
  expiresAtMs: T0 + 300_000,
  nonce: 'EA8ODQwLCgkIBwYFBAMCAQ',
  flowId: FLOW_ID,
  flowStartedAtMs: T0 - 5000,
  round: 2,
  method: 'tools/call',
  target: 'notes_delete',
  argumentsDigest: 'J3-LJnTXdfoW6TzHArEz2YqybFzaQBSgsLR5ALl-VWQ',
  principal: '_rKtUhA1e8WwXBfvuF-aiSx_Zg3JpXhg9PVL7YrPg3E',
  group: 'notes',
  catalogueHash: 'c1',
  asks: { choice: { method: 'elicitation/create', params: { message: 'Which?' } } },
  continuation: 'step 1',
  answers: {},
  singleUse: true,
  trace: { previous: 'A'.repeat(34), origin: 'A'.repeat(34) },
  rpcIds: { previous: 7 },
};

const CLAIMS_TEXT =
  '{"v":1,"i":1788220800000,"e":1788221100000,"n":"EA8ODQwLCgkIBwYFBAMCAQ","f":"AQIDBAUGBwgJCgsMDQ4PEA","s":17882' +
  '20795000,"r":2,"m":"tools/call","t":"notes_delete","a":"J3-LJnTXdfoW6TzHArEz2YqybFzaQBSgsLR5ALl-VWQ","p":"_rKt' +
  'UhA1e8WwXBfvuF-aiSx_Zg3JpXhg9PVL7YrPg3E","g":"notes","h":"c1","q":{"choice":{"method":"elicitation/create","pa' +
  'rams":{"message":"Which?"}}},"c":"step 1","w":{},"u":true,"tp":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","to":"AAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","ip":7}';

const SEALED_CLAIMS =
  'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1jvtQIezGxhRawoZGnPmOGnvwm3bX_Dt_j8WIL5NMQ-4s2j11NBW9p60JQNUSjQTfS' +
  'TGrrsSLzgYrU_5g43Jz25WKUjUUCUIeLEIdYfHt-q_qnyaGYX-oY8tpGfs5BkX9HAx1yFZqDx8rXj-eQKkEQjw2KNlTkn1c6tGWjZuotx1dsaT' +
  '8o0EB1yg9usC0Fh67qWCnQdC1Md0iQBX9UtSMPWLA7y2Zp8nJvxALX8JUrIN4cvls4QbxqaWqXoVoVi5V_E1kmsPRfUTZBH2ZrGdr_WqKXN1WH' +
  'cH4AEvStCwNeCjBxMMW3R35poPWK2rwpEqjtR2njspQP_29iM4b3HEaih6Mhv1GP8kzkGyHcupODESXvyU94vUlpecWV_fV3CTRj9lwTbMn6WD' +
  'AcyLeM7VtunHr6yonzbJBQqYq18lk4L5nsPQYQUVvWXmiNMQ7ZlIrXZo8JGKnfdW2AkZnlqPJRhNo9AIzsXym-wsdj82Fwf2vCoO9UqYsz0tG1' +
  'pSs32pWrW4ZXQdbarOA04G4mRMNkq2kSMfALTC7uPsmIObVWDtyTgE7j9I-rNeI3y-cVhOlw9OKSTPEQ2gW-A7G1uTunJZYZe4MbtcKzYXW8BF' +
  '7p2yrKfqOBhXiWDnMRQxOZeT-ZV_BfS2Ojn8gNUB_vqhks';

const SEALED_BY_PURPOSE = {
  'request-state': 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1jk_hpSkznpBmhB8XvjRvpQTte18FvX',
  'replay-result': 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1i6bwnAn1xO3Gd6Oha-hkZDzSJFxs2O',
  'held-state': 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1g2W6cJ4UPJFEJqLssFE1EKex7z1QZA',
  'legacy-session': 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1gJl1_V-5gd4ug0W1HV-OzLNFHAYEZD',
  'legacy-reference': 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1i25E9NgTdFWdL18oNQwJDEPVH8Obgf',
  'router-message': 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1gdOy2X_prf9G2pZYuVFQaS1c16JShm',
  cursor: 'v1.ABEiM0RVZndBQkNERUZHSElKS0xNTk9QUVJTVFVWV1jrvrS1sJJ73FP0FHvGAAWtaKUrlcu7',
};

describe('the wire format', () => {
  it('opens a state sealed by the first release', () => {
    const opened = sealer.open('request-state', CONTEXT, SEALED_CLAIMS);
    expect(opened).toEqual({ ok: true, plaintext: CLAIMS_TEXT, kid: '0011223344556677', role: 'primary' });
    expect(decodeClaims(CLAIMS_TEXT)).toEqual(CLAIMS);
  });

  it('writes claims and seals them as the first release did', () => {
    expect(encodeClaims(CLAIMS)).toBe(CLAIMS_TEXT);
    expect(sealer.seal('request-state', CONTEXT, CLAIMS_TEXT)).toBe(SEALED_CLAIMS);
  });

  it.each(PURPOSES)('seals and opens %s as the first release did', (purpose) => {
    expect(sealer.seal(purpose, [], 'pinned')).toBe(SEALED_BY_PURPOSE[purpose]);
    expect(sealer.open(purpose, [], SEALED_BY_PURPOSE[purpose])).toMatchObject({ ok: true, plaintext: 'pinned' });
  });

  it('digests arguments, principals and tags as the first release did', () => {
    const alice = { kind: 'user', issuer: 'https://id.example', subject: 'alice', clientId: 'web' } as const;
    expect(argumentsDigest('tools/call', 'notes_delete', '{"title":"Ü"}')).toBe(CLAIMS.argumentsDigest);
    expect(principalDigest(alice, FLOW_ID)).toBe(CLAIMS.principal);
    expect(principalDigest({ kind: 'anonymous' }, FLOW_ID)).toBe('T_tbVzKThg2pCXyvMZtmJLe63pTwnk44seW7COteVLg');
    expect(sealer.tag('idempotency', CLAIMS.nonce)).toBe('D4arGiLwXSGd999ahJZNX0Gdo-BEbzqJJaFSua35bL0');
  });
});
