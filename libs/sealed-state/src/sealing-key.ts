/**
 * One key of the keyset: when it may seal, when it may only open, and its subkeys, one per purpose, each derived once,
 * when it is first needed: reading a keyset costs no derivation.
 * Trusts `parseKeyset` for the quality of the material and the order of the times.
 */
import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { XaesKey } from './xaes-256-gcm.js';

/**
 * What a sealed string is for. Each has a subkey of its own, so a string sealed for one purpose is noise to the others.
 * Principal tags have no subkey: see `principalDigest`.
 */
export const PURPOSES = [
  'request-state',
  'replay-result',
  'held-state',
  'legacy-session',
  'legacy-reference',
  'router-message',
  'cursor',
] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface SealingKeyFields {
  /** 16 lower-case hex characters; travels in clear at the head of everything sealed. */
  readonly kid: string;
  /** 32 random bytes. */
  readonly material: Uint8Array;
  readonly createdAtMs: number;
  readonly activateAtMs: number;
  /** Infinity: never. */
  readonly retireAtMs: number;
  /** Infinity: never. */
  readonly destroyAtMs: number;
  readonly enabled: boolean;
}

export class SealingKey {
  readonly kid: string;
  readonly createdAtMs: number;
  readonly activateAtMs: number;
  readonly retireAtMs: number;
  readonly destroyAtMs: number;
  readonly enabled: boolean;
  readonly #material: KeyObject;
  readonly #subkeys = new Map<Purpose, XaesKey>();

  constructor(fields: SealingKeyFields) {
    this.kid = fields.kid;
    this.createdAtMs = fields.createdAtMs;
    this.activateAtMs = fields.activateAtMs;
    this.retireAtMs = fields.retireAtMs;
    this.destroyAtMs = fields.destroyAtMs;
    this.enabled = fields.enabled;
    this.#material = createSecretKey(fields.material);
  }

  subkey(purpose: Purpose): XaesKey {
    const known = this.#subkeys.get(purpose);
    if (known !== undefined) return known;
    const subkey = deriveSubkey(this.#material, purpose);
    this.#subkeys.set(purpose, subkey);
    return subkey;
  }
}

/** HKDF-SHA-256 (RFC 5869) without salt, which its section 3.1 allows for material that is random already. */
function deriveSubkey(material: KeyObject, purpose: Purpose): XaesKey {
  return new XaesKey(new Uint8Array(hkdfSync('sha256', material, '', `roundhouse/v1/${purpose}`, 32)));
}
