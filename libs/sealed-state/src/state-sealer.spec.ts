import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import fc from 'fast-check';
import { Keyset } from './keyset.js';
import { PURPOSES, SealingKey, type SealingKeyFields } from './sealing-key.js';
import { SEALED_BYTES_DEFAULT, SEALED_BYTES_HARD_MAX, StateSealer, type StateSealerOptions } from './state-sealer.js';

const T0 = Date.UTC(2026, 8, 1);
const HOUR = 3_600_000;
const CONTEXT = ['tenant-a', 'notes'];
const TEXT = '{"asked":"Delete which note?","ü":"☃ 😀"}';

function keyOf(n: number, fields: Partial<SealingKeyFields> = {}): SealingKey {
  return new SealingKey({
    kid: n.toString(16).padStart(16, '0'),
    material: createHash('sha256').update(`key ${n}`).digest(),
    createdAtMs: T0 - HOUR,
    activateAtMs: T0,
    retireAtMs: Infinity,
    destroyAtMs: Infinity,
    enabled: true,
    ...fields,
  });
}

let nowMs = T0;
beforeEach(() => {
  nowMs = T0;
});

function sealerWith(
  options: Partial<StateSealerOptions> & { readonly keys?: readonly SealingKey[] } = {},
): StateSealer {
  const keyset = new Keyset(options.keys ?? [keyOf(1)]);
  return new StateSealer({ keyset: () => keyset, audience: 'https://mcp.example/mcp', clock: () => nowMs, ...options });
}

const sealer = sealerWith();
const good = sealer.seal('request-state', CONTEXT, TEXT);
const open = (sealed: unknown) => sealer.open('request-state', CONTEXT, sealed);
const refused = (reason: string) => ({ ok: false, reason });

describe('StateSealer', () => {
  it('opens what it sealed, and names the key', () => {
    expect(open(good)).toEqual({ ok: true, plaintext: TEXT, kid: '0000000000000001', role: 'primary' });
  });

  it('opens on another replica that holds the same keys', () => {
    expect(sealerWith().open('request-state', CONTEXT, good)).toMatchObject({ ok: true, plaintext: TEXT });
  });

  it('gives back any well-formed text, empty included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(open(sealer.seal('request-state', CONTEXT, text))).toMatchObject({ ok: true, plaintext: text });
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses to seal a lone surrogate, which would open as another text', () => {
    expect(() => sealer.seal('request-state', CONTEXT, 'a\ud800')).toThrow(TypeError);
  });

  it('never seals the same text to the same string twice, however many it seals', () => {
    const nonces = new Set<string>();
    for (let run = 0; run < 1000; run++) nonces.add(sealer.seal('cursor', [], '').slice(14, 45));
    expect(nonces.size).toBe(1000);
  });
});

describe('what open refuses by shape', () => {
  const body = good.slice(3);
  it.each<[string, unknown, string]>([
    ['fail-undefined', undefined, 'state_not_a_string'],
    ['fail-null', null, 'state_not_a_string'],
    ['fail-zero', 0, 'state_not_a_string'],
    ['fail-object', {}, 'state_not_a_string'],
    ['fail-list', [good], 'state_not_a_string'],
    ['fail-string-object', new String(good), 'state_not_a_string'],
    [
      'fail-throwing-object',
      {
        toString: () => {
          throw new Error('called');
        },
      },
      'state_not_a_string',
    ],
    ['fail-buffer', Buffer.from(good), 'state_not_a_string'],
    ['fail-one-mebibyte', 'v1.' + 'A'.repeat(1024 * 1024), 'state_too_large'],
    ['fail-just-too-large', 'v1.' + 'A'.repeat(SEALED_BYTES_HARD_MAX - 2), 'state_too_large'],
    ['fail-largest', 'v1.' + 'A'.repeat(SEALED_BYTES_HARD_MAX - 3), 'state_malformed'],
    ['fail-too-large-without-prefix', 'A'.repeat(SEALED_BYTES_HARD_MAX + 1), 'state_too_large'],
    ['fail-empty', '', 'state_malformed'],
    ['fail-text-null', 'null', 'state_malformed'],
    ['fail-no-prefix', body, 'state_malformed'],
    ['fail-prefix-only', 'v1.', 'state_malformed'],
    ['fail-prefix-v2', `v2.${body}`, 'state_malformed'],
    ['fail-prefix-upper-case', `V1.${body}`, 'state_malformed'],
    ['fail-prefix-twice', `v1.v1.${body}`, 'state_malformed'],
    ['fail-leading-space', ` ${good}`, 'state_malformed'],
    ['fail-trailing-space', `${good} `, 'state_malformed'],
    ['fail-trailing-newline', `${good}\n`, 'state_malformed'],
    ['fail-inner-newline', `${good.slice(0, 40)}\n${good.slice(40)}`, 'state_malformed'],
    ['fail-one-padding', `${good}=`, 'state_malformed'],
    ['fail-two-paddings', `${good}==`, 'state_malformed'],
    ['fail-nul', `${good}\0`, 'state_malformed'],
    ['fail-lone-surrogate', `${good}\ud800`, 'state_malformed'],
    ['fail-fullwidth-letter', `v1.Ａ${body.slice(1)}`, 'state_malformed'],
    ['fail-plus', `v1.+${body.slice(1)}`, 'state_malformed'],
    ['fail-slash', `v1./${body.slice(1)}`, 'state_malformed'],
    ['fail-47-bytes', `v1.${Buffer.alloc(47).toString('base64url')}`, 'state_malformed'],
    ['fail-48-zero-bytes', `v1.${Buffer.alloc(48).toString('base64url')}`, 'state_unknown_key'],
  ])('refuses %s', (_name, sealed, reason) => {
    expect(open(sealed)).toEqual(refused(reason));
  });
});

describe('what open refuses after tampering', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  it('refuses every change of one character, at every place', () => {
    for (let at = 0; at < good.length; at++) {
      for (const other of [...ALPHABET, '=', '+', '.', ' ']) {
        if (other === good[at]) continue;
        expect(open(good.slice(0, at) + other + good.slice(at + 1)).ok).toBe(false);
      }
    }
    expect(open(good).ok).toBe(true);
  });

  it('refuses every change of one byte of what is encoded', () => {
    const bytes = Buffer.from(good.slice(3), 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= mask;
        expect(open(`v1.${changed.toString('base64url')}`)).toEqual(
          refused(at < 8 ? 'state_unknown_key' : 'state_unauthentic'),
        );
      }),
      { numRuns: 5000 },
    );
  });

  it('refuses every truncation', () => {
    for (let length = 0; length < good.length; length++) {
      expect(open(good.slice(0, length)).ok).toBe(false);
      expect(open(good.slice(good.length - length)).ok).toBe(false);
    }
  });

  it('refuses every extension', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.base64String({ minLength: 1 }), fc.string({ minLength: 1 })),
        fc.nat(good.length),
        (more, at) => {
          expect(open(good.slice(0, at) + more + good.slice(at)).ok).toBe(false);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('refuses a state whose letters changed case', () => {
    const swapped = [...good.slice(3)].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
    expect(open(`v1.${swapped}`).ok).toBe(false);
    expect(open(`v1.${good.slice(3).toUpperCase()}`).ok).toBe(false);
    expect(open(`v1.${good.slice(3).toLowerCase()}`).ok).toBe(false);
  });

  it('refuses two states joined, and halves of two states', () => {
    const other = sealer.seal('request-state', CONTEXT, TEXT);
    expect(open(good + other).ok).toBe(false);
    expect(open(good + other.slice(3)).ok).toBe(false);
    for (let at = 15; at < good.length; at++) {
      const mixed = good.slice(0, at) + other.slice(at);
      if (mixed !== good && mixed !== other) expect(open(mixed).ok).toBe(false);
    }
  });

  it('never throws and never opens a string that nobody sealed', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.uint8Array({ minLength: 40, maxLength: 300 }).map((bytes) => `v1.${Buffer.from(bytes).toString('base64url')}`),
      fc
        .uint8Array({ minLength: 40, maxLength: 300 })
        .map((bytes) => good.slice(0, 13) + Buffer.from(bytes).toString('base64url')),
      fc.array(fc.nat(0xffff), { maxLength: 100 }).map((units) => String.fromCharCode(...units)),
    );
    fc.assert(
      fc.property(anything, (sealed) => expect(open(sealed).ok).toBe(false)),
      { numRuns: 10_000 },
    );
  });

  it('never throws on a value of any type', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => expect(open(value).ok).toBe(false)),
      { numRuns: 2000 },
    );
  });
});

describe('what a sealed string is bound to', () => {
  for (const sealedFor of PURPOSES) {
    const sealed = sealer.seal(sealedFor, CONTEXT, TEXT);
    it.each(PURPOSES)(`opens ${sealedFor} only as ${sealedFor}: %s`, (purpose) => {
      const opened = sealer.open(purpose, CONTEXT, sealed);
      if (purpose === sealedFor) expect(opened).toMatchObject({ ok: true, plaintext: TEXT });
      else expect(opened).toEqual(refused('state_unauthentic'));
    });
  }

  it.each([
    ['another tenant', ['tenant-b', 'notes']],
    ['another route', ['tenant-a', 'payments']],
    ['tenant and route swapped', ['notes', 'tenant-a']],
    ['no context', []],
    ['the tenant alone', ['tenant-a']],
    ['one part more', ['tenant-a', 'notes', '']],
    ['the parts joined', ['tenant-anotes']],
    ['the boundary moved', ['tenant-an', 'otes']],
    ['a forged length', ['tenant-a5:notes']],
    ['another letter case', ['Tenant-A', 'notes']],
  ])('refuses a string sealed for other context: %s', (_name, context) => {
    expect(sealer.open('request-state', context, good)).toEqual(refused('state_unauthentic'));
  });

  it('tells apart context that UTF-8 would make equal', () => {
    const sealed = sealer.seal('request-state', ['\ud800'], TEXT);
    expect(sealer.open('request-state', ['\ud800'], sealed).ok).toBe(true);
    expect(sealer.open('request-state', ['\ufffd'], sealed).ok).toBe(false);
  });

  it('opens for no context but the very same', () => {
    const context = fc.array(fc.string({ unit: fc.constantFrom('a', '1', ':', ''), maxLength: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(context, context, (sealedFor, openedFor) => {
        const same = JSON.stringify(sealedFor) === JSON.stringify(openedFor);
        expect(sealer.open('cursor', openedFor, sealer.seal('cursor', sealedFor, 'x')).ok).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses a string of a deployment that shares the keys but not the audience', () => {
    const other = sealerWith({ audience: 'https://mcp.example/other' });
    expect(other.open('request-state', CONTEXT, good)).toEqual(refused('state_unauthentic'));
  });
});

describe('which keys seal and open', () => {
  it('refuses a key it does not hold', () => {
    expect(sealerWith({ keys: [keyOf(2)] }).open('request-state', CONTEXT, good)).toEqual(refused('state_unknown_key'));
  });

  it('tries only the key that the kid names', () => {
    const impostor = keyOf(1, { material: createHash('sha256').update('another').digest() });
    const other = sealerWith({
      keys: [impostor, keyOf(2, { material: createHash('sha256').update('key 1').digest(), activateAtMs: T0 - 1 })],
    });
    expect(other.open('request-state', CONTEXT, good)).toEqual(refused('state_unauthentic'));
  });

  it('refuses a string under a kid of the same keyset that did not seal it', () => {
    const both = sealerWith({ keys: [keyOf(1), keyOf(2, { activateAtMs: T0 - HOUR })] });
    const bytes = Buffer.from(good.slice(3), 'base64url');
    bytes.write('0000000000000002', 0, 'hex');
    expect(both.open('request-state', CONTEXT, good).ok).toBe(true);
    expect(both.open('request-state', CONTEXT, `v1.${bytes.toString('base64url')}`)).toEqual(
      refused('state_unauthentic'),
    );
  });

  it('refuses what a key sealed before it was disabled', () => {
    const keys = [keyOf(1, { enabled: false }), keyOf(2, { activateAtMs: T0 - HOUR })];
    expect(sealerWith({ keys }).open('request-state', CONTEXT, good)).toEqual(refused('state_unknown_key'));
  });

  it('changes the sealing key at its activation and opens both sides of it', () => {
    const rotated = sealerWith({
      keys: [
        keyOf(1, { retireAtMs: T0 + 2 * HOUR, destroyAtMs: T0 + 3 * HOUR }),
        keyOf(2, { activateAtMs: T0 + HOUR }),
      ],
    });
    nowMs = T0 + HOUR - 1;
    const before = rotated.seal('request-state', CONTEXT, 'before');
    nowMs = T0 + HOUR;
    const after = rotated.seal('request-state', CONTEXT, 'after');
    expect(rotated.open('request-state', CONTEXT, before)).toMatchObject({
      ok: true,
      role: 'previous',
      kid: '0000000000000001',
    });
    expect(rotated.open('request-state', CONTEXT, after)).toMatchObject({
      ok: true,
      role: 'primary',
      kid: '0000000000000002',
    });
    nowMs = T0 + HOUR - 1;
    expect(rotated.open('request-state', CONTEXT, after)).toMatchObject({ ok: true, role: 'staged' });
    nowMs = T0 + 3 * HOUR - 1;
    expect(rotated.open('request-state', CONTEXT, before).ok).toBe(true);
    nowMs = T0 + 3 * HOUR;
    expect(rotated.open('request-state', CONTEXT, before)).toEqual(refused('state_unknown_key'));
  });

  it.each([
    ['staged', { activateAtMs: T0 + 1 }],
    ['disabled', { enabled: false }],
    ['retired', { activateAtMs: T0 - HOUR, retireAtMs: T0 }],
  ])('seals with no key that is %s', (_name, fields) => {
    const sealing = () => sealerWith({ keys: [keyOf(1, fields)] }).seal('request-state', CONTEXT, TEXT);
    expect(sealing).toThrow(RoundhouseError);
    expect(sealing).toThrow(expect.objectContaining({ code: 'config_invalid', reason: 'keyset_no_primary' }));
  });

  it('follows a keyset that was exchanged while it runs', () => {
    let keyset = new Keyset([keyOf(1)]);
    const reloading = sealerWith({ keyset: () => keyset });
    expect(reloading.open('request-state', CONTEXT, good).ok).toBe(true);
    keyset = new Keyset([keyOf(1, { enabled: false }), keyOf(2, { activateAtMs: T0 - 1 })]);
    expect(reloading.open('request-state', CONTEXT, good)).toEqual(refused('state_unknown_key'));
    expect(reloading.open('request-state', CONTEXT, reloading.seal('request-state', CONTEXT, 'new'))).toMatchObject({
      kid: '0000000000000002',
    });
  });
});

describe('sizes', () => {
  it.each([SEALED_BYTES_DEFAULT, 1000, 1001, 1002, 1003, SEALED_BYTES_HARD_MAX])(
    'seals up to %i bytes and not one more',
    (sealedBytesMax) => {
      const sized = sealerWith({ sealedBytesMax });
      const fitting = Math.floor(((sealedBytesMax - 3) * 3) / 4) - 48;
      const sealed = sized.seal('request-state', CONTEXT, 'x'.repeat(fitting));
      expect(sealed.length).toBeLessThanOrEqual(sealedBytesMax);
      expect(sized.open('request-state', CONTEXT, sealed).ok).toBe(true);
      expect(() => sized.seal('request-state', CONTEXT, 'x'.repeat(fitting + 1))).toThrow(
        expect.objectContaining({ code: 'state_too_large' }),
      );
    },
  );

  it('counts bytes, not characters', () => {
    expect(() => sealerWith({ sealedBytesMax: 1000 }).seal('request-state', CONTEXT, '☃'.repeat(300))).toThrow(
      RoundhouseError,
    );
  });

  it('opens a state larger than its own setting, so that the setting can be lowered during a rollout', () => {
    const large = sealerWith({ sealedBytesMax: SEALED_BYTES_HARD_MAX }).seal(
      'request-state',
      CONTEXT,
      'x'.repeat(20_000),
    );
    expect(sealerWith({ sealedBytesMax: 1000 }).open('request-state', CONTEXT, large).ok).toBe(true);
  });

  it('keeps a result of 256 KiB, which no request state may be', () => {
    const result = 'x'.repeat(256 * 1024);
    const sealed = sealer.seal('replay-result', CONTEXT, result);
    expect(sealer.open('replay-result', CONTEXT, sealed)).toMatchObject({ ok: true, plaintext: result });
    expect(open(sealed)).toEqual(refused('state_too_large'));
  });

  it.each([0, -1, 1.5, NaN, Infinity, SEALED_BYTES_HARD_MAX + 1])(
    'refuses %p as the largest size',
    (sealedBytesMax) => {
      expect(() => sealerWith({ sealedBytesMax })).toThrow(
        expect.objectContaining({
          code: 'config_invalid',
          reason: 'config_malformed',
          facts: { rule: 'sealedBytesMax' },
        }),
      );
    },
  );

  it.each([1, SEALED_BYTES_HARD_MAX])('takes %i for the largest size', (sealedBytesMax) => {
    expect(() => sealerWith({ sealedBytesMax })).not.toThrow();
  });

  it('tells the operator what was too large, and how large it would have been', () => {
    const sized = sealerWith({ sealedBytesMax: 1000 });
    expect(() => sized.seal('request-state', CONTEXT, 'x'.repeat(1000))).toThrow(
      expect.objectContaining({
        reason: 'limit_reached',
        facts: { purpose: 'request-state', sealedBytes: Math.ceil(((1000 + 48) * 4) / 3) + 3 },
      }),
    );
  });
});

describe('tag', () => {
  const secret = createHash('sha256').update('a nonce').digest('base64url').slice(0, 22);

  it('is the same on every replica and across rotation', () => {
    const tag = sealer.tag('idempotency', secret);
    expect(tag).toMatch(/^[\w-]{43}$/);
    expect(sealerWith({ keys: [keyOf(2)] }).tag('idempotency', secret)).toBe(tag);
  });

  it('differs by label, secret and audience', () => {
    const tags = [
      sealer.tag('idempotency', secret),
      sealer.tag('audit', secret),
      sealer.tag('idempotency', `${secret}x`),
      sealerWith({ audience: 'https://other.example' }).tag('idempotency', secret),
    ];
    expect(new Set(tags).size).toBe(4);
    for (const tag of tags) expect(tag).not.toContain(secret);
  });

  it('refuses a secret that is too short to be one', () => {
    expect(() => sealer.tag('idempotency', 'alice')).toThrow(RangeError);
  });
});

describe('nonces', () => {
  it('come from the given source, each once', () => {
    const draws: Buffer[] = [];
    const drawing = sealerWith({
      randomBytes: (length) => {
        draws.push(randomBytes(length));
        return draws.at(-1)!;
      },
    });
    const used: string[] = [];
    for (let run = 0; run < 400; run++) {
      used.push(Buffer.from(drawing.seal('cursor', [], '').slice(3), 'base64url').toString('hex', 8, 32));
    }
    expect(draws.length).toBeGreaterThan(1);
    expect(Buffer.concat(draws).toString('hex').startsWith(used.join(''))).toBe(true);
    expect(new Set(used).size).toBe(400);
  });

  it('are not reused when a draw fails', () => {
    let fails = true;
    const drawing = sealerWith({
      randomBytes: (length) => {
        if (fails) throw new Error('no entropy');
        return randomBytes(length);
      },
    });
    expect(() => drawing.seal('cursor', [], '')).toThrow('no entropy');
    fails = false;
    expect(drawing.seal('cursor', [], '')).not.toBe(drawing.seal('cursor', [], ''));
  });

  it('are never taken short from a source that gives too little', () => {
    const drawing = sealerWith({ randomBytes: () => randomBytes(30) });
    drawing.seal('cursor', [], '');
    expect(() => drawing.seal('cursor', [], '')).toThrow(RangeError);
  });
});
