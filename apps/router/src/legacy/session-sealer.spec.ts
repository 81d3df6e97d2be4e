import { describe, expect, it } from '@jest/globals';
import type { Principal } from '@roundhouse/contracts';
import { Keyset, SealingKey, StateSealer } from '@roundhouse/sealed-state';
import { References } from './references.js';
import { RouterMessages, type RouterTold } from './router-messages.js';
import { SessionSealer } from './session-sealer.js';

const T0 = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;
const SKEW_MS = 60_000;

let nowMs = T0;
const clock = (): number => nowMs;
const key = new SealingKey({
  kid: 'a1b2c3d4e5f60718',
  material: Uint8Array.from({ length: 32 }, (_, at) => at * 7),
  createdAtMs: T0,
  activateAtMs: T0,
  retireAtMs: Infinity,
  destroyAtMs: Infinity,
  enabled: true,
});
const sealerFor = (audience: string): StateSealer =>
  new StateSealer({ keyset: () => new Keyset([key]), audience, clock });
const sealer = sealerFor('https://mcp.example/mcp');
const sessions = new SessionSealer(sealer, { ttlMs: DAY_MS, skewMs: SKEW_MS, now: clock });

const alice: Principal = { kind: 'user', issuer: 'https://id.example', subject: 'alice', clientId: 'web', tenant: 't' };
const terms = { revision: '2025-11-25', capabilities: { elicitation: { form: {} } } } as const;

describe('a session id', () => {
  it('brings back what was settled, on any router with the keys', () => {
    const { id, session } = sessions.begin(alice, terms);
    const elsewhere = new SessionSealer(sealerFor('https://mcp.example/mcp'), { ttlMs: 1, skewMs: 0, now: clock });
    expect(elsewhere.open(id)).toEqual(session);
    expect(() => elsewhere.assertUsable(elsewhere.open(id), alice)).not.toThrow();
    expect(id).toMatch(/^[\x21-\x7e]{1,1024}$/);
    expect(id).not.toContain('alice');
  });

  it('differs from every other, for the same principal too', () => {
    const ids = Array.from({ length: 50 }, () => sessions.begin(alice, terms).id);
    expect(new Set(ids).size).toBe(50);
  });

  it.each<[string, Principal]>([
    ['another subject', { ...alice, subject: 'bob' }],
    ['another issuer', { ...alice, issuer: 'https://other.example' }],
    ['another client', { ...alice, clientId: 'cli' }],
    ['another tenant', { ...alice, tenant: 'u' }],
    ['nobody', { kind: 'anonymous' }],
  ])('is refused for %s', (_who, principal) => {
    const { session } = sessions.begin(alice, terms);
    expect(() => sessions.assertUsable(session, principal)).toThrow(
      expect.objectContaining({ code: 'session_refused', reason: 'session_other_principal' }),
    );
  });

  it('ends with its time, clocks that differ allowed for', () => {
    const { session } = sessions.begin(alice, terms);
    nowMs = T0 + DAY_MS + SKEW_MS;
    expect(() => sessions.assertUsable(session, alice)).not.toThrow();
    nowMs += 1;
    expect(() => sessions.assertUsable(session, alice)).toThrow(expect.objectContaining({ reason: 'session_expired' }));
    nowMs = T0;
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['garbage', 'garbage'],
    ['a state', sealer.seal('request-state', ['session'], '{}')],
    ['settings of a session', sealer.seal('legacy-session', ['settings'], '{}')],
    ['another audience’s', sealerFor('https://other.example/mcp').seal('legacy-session', ['session'], '{}')],
    ['a seal around something else', sealer.seal('legacy-session', ['session'], '{"v":1}')],
    ['a seal around a list', sealer.seal('legacy-session', ['session'], '[]')],
  ])('is refused when it is %s, always alike', (_what, id) => {
    expect(() => sessions.open(id)).toThrow(
      expect.objectContaining({ code: 'session_refused', message: 'Session not found; initialize again' }),
    );
  });

  it('is refused when one character of it is another', () => {
    const { id } = sessions.begin(alice, terms);
    for (let at = 3; at < id.length; at += 7) {
      const spoiled = `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
      expect(() => sessions.open(spoiled)).toThrow(expect.objectContaining({ code: 'session_refused' }));
    }
  });
});

describe('a reference', () => {
  const references = new References(sealer);
  const ask = { kind: 'ask', owner: '10.0.0.7:7000', run: 'r', sid: 's', name: 'n' } as const;

  it('is found again by its kind, and tells nobody where the router is', () => {
    const sealed = references.seal(ask);
    expect(references.open('ask', sealed)).toEqual({ ...ask, requestId: undefined });
    expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('10.0.0.7');
  });

  it.each<[string, unknown]>([
    ['of the other kind', references.seal({ ...ask, kind: 'stream' })],
    ['that is a session id', sessions.begin(alice, terms).id],
    ['that is a number', 7],
    ['that is null', null],
    ['that nobody sealed', 'v1.AAAA'],
  ])('%s is none', (_what, sealed) => expect(references.open('ask', sealed)).toBeUndefined());

  it('leaves out a request id that is too long to carry', () => {
    const long = references.seal({ ...ask, kind: 'stream', requestId: 'x'.repeat(5_000) });
    expect(long.length).toBeLessThan(1_000);
    expect(references.open('stream', long)?.requestId).toBeUndefined();
  });
});

describe('a message between routers', () => {
  const messages = new RouterMessages(sealer, SKEW_MS, clock);
  const cancel: RouterTold = { kind: 'cancel', sid: 's', requestId: 1 };

  it('is read by whoever has the keys, while it is fresh', () => {
    const sealed = messages.seal(cancel);
    expect(new RouterMessages(sealer, SKEW_MS, clock).open(sealed)).toEqual(cancel);
    nowMs = T0 + 10_000 + SKEW_MS + 1;
    expect(messages.open(sealed)).toBeUndefined();
    nowMs = T0;
  });

  it.each<[string, unknown]>([
    ['is not sealed', JSON.stringify({ e: T0, m: cancel })],
    ['is a reference', new References(sealer).seal({ kind: 'ask', owner: undefined, run: 'r', sid: 's', name: 'n' })],
    ['is of another deployment', new RouterMessages(sealerFor('https://other.example'), 0, clock).seal(cancel)],
    ['is of a kind nobody knows', sealer.seal('router-message', [], `{"e":${T0},"m":{"kind":"stop"}}`)],
    ['is no text', { sealed: true }],
  ])('that %s is not believed', (_what, sealed) => expect(messages.open(sealed)).toBeUndefined());
});
