/**
 * The keyset file: JSON text in, `Keyset` out, and the one place that makes a new file. Refuses whatever would make
 * sealing weak or ambiguous, and says which key breaks which rule without ever repeating a byte of the file.
 */
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { decodeBase64url } from './base64url.js';
import { PROPAGATION_MS, RETENTION_MS_MIN } from './key-lifetimes.js';
import { Keyset } from './keyset.js';
import { SealingKey } from './sealing-key.js';
import { findWeakness } from './weak-material.js';
import { XAES_KEY_BYTES } from './xaes-256-gcm.js';

/** Largest keyset file in characters: about a hundred keys, where a rotation keeps three. */
export const KEYSET_CHARS_MAX = 32 * 1024;

const ALGORITHM = 'XAES-256-GCM';
const FILE_MEMBERS = new Set(['version', 'keys']);
const KEY_MEMBERS = new Set([
  'kid',
  'alg',
  'k',
  'createdAt',
  'activateAt',
  'retireAt',
  'destroyAt',
  'status',
  'emergency',
]);
const KID_BYTES = 8;
const KID = /^[0-9a-f]{16}$/;
/** RFC 3339 in UTC, to the millisecond at most. */
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

/** One key of a keyset file, as JSON has it: `{ version: 1, keys: [entry, …] }`. */
export interface KeysetEntry {
  /** 16 lower-case hex characters. */
  readonly kid: string;
  readonly alg: typeof ALGORITHM;
  /** 32 random bytes as base64url. */
  readonly k: string;
  /** All times are RFC 3339 in UTC. */
  readonly createdAt: string;
  readonly activateAt: string;
  /** Absent: never. */
  readonly retireAt?: string;
  /** Absent: never. */
  readonly destroyAt?: string;
  readonly status: 'enabled' | 'disabled';
  /** Somebody chose to activate this key before all replicas could know it. */
  readonly emergency?: true;
}

/**
 * Parses a keyset file. Unknown members are refused: a misspelt `retireAt` would keep a key alive for ever. So is a key
 * that seals before every replica can know it, the first of all keys and emergencies aside, and one that is destroyed
 * before what it sealed last expires (KEY-2).
 * @throws RoundhouseError `config_invalid` with reason `keyset_malformed`, `keyset_weak_key`, `keyset_duplicate` or
 * `keyset_no_primary`; its facts name the rule, and the key by place and id.
 */
export function parseKeyset(text: string): Keyset {
  const entries = parseFile(text);
  const materials = new Set<string>();
  const keys = entries.map((entry, index) => {
    const key = new KeyEntry(entry, index);
    if (materials.has(key.k)) key.refuse('keyset_duplicate', 'k is used by another key too');
    materials.add(key.k);
    return key.toSealingKey();
  });
  assertDistinct(keys);
  assertPropagates(entries as readonly KeysetEntry[], keys);
  if (!keys.some((key) => key.enabled)) throw refusal('keyset_no_primary', { rule: 'no key is enabled' });
  return new Keyset(keys);
}

/** JSON text of a keyset with one new key that seals from now on and never retires: for a process that has no file. */
export function createKeyset(options: {
  readonly nowMs: number;
  readonly randomBytes: (length: number) => Buffer;
}): string {
  return formatKeyset([createKeysetEntry({ ...options, activateAtMs: options.nowMs })]);
}

/** A new key that never retires; `nowMs` becomes its `createdAt`. */
export function createKeysetEntry(options: {
  readonly nowMs: number;
  readonly activateAtMs: number;
  readonly randomBytes: (length: number) => Buffer;
}): KeysetEntry {
  return {
    kid: options.randomBytes(KID_BYTES).toString('hex'),
    alg: ALGORITHM,
    k: options.randomBytes(XAES_KEY_BYTES).toString('base64url'),
    createdAt: new Date(options.nowMs).toISOString(),
    activateAt: new Date(options.activateAtMs).toISOString(),
    status: 'enabled',
  };
}

/** JSON text of a keyset file. */
export function formatKeyset(keys: readonly KeysetEntry[]): string {
  return JSON.stringify({ version: 1, keys }, null, 2);
}

/** One entry of `keys`, checked member by member in `toSealingKey`. */
class KeyEntry {
  readonly #entry: Readonly<Record<string, unknown>>;
  readonly #index: number;

  constructor(entry: unknown, index: number) {
    this.#index = index;
    this.#entry = isObject(entry) ? entry : {};
    if (!isObject(entry)) this.refuse('keyset_malformed', 'a key is an object');
    for (const member in entry)
      if (!KEY_MEMBERS.has(member)) this.refuse('keyset_malformed', 'a key has an unknown member');
  }

  get k(): string {
    return typeof this.#entry['k'] === 'string' ? this.#entry['k'] : this.refuse('keyset_malformed', 'k is missing');
  }

  toSealingKey(): SealingKey {
    const { kid, alg, status, emergency } = this.#entry;
    if (!isKid(kid)) return this.refuse('keyset_malformed', 'kid is 16 lower-case hex characters');
    if (alg !== ALGORITHM) return this.refuse('keyset_malformed', `alg is ${ALGORITHM}`);
    if (status !== 'enabled' && status !== 'disabled')
      return this.refuse('keyset_malformed', 'status is enabled or disabled');
    if (emergency !== undefined && emergency !== true)
      return this.refuse('keyset_malformed', 'emergency is true or absent');
    return new SealingKey({ kid, enabled: status === 'enabled', material: this.#material(), ...this.#times() });
  }

  refuse(reason: Reason, rule: string): never {
    const { kid } = this.#entry;
    // The id is repeated only when it looks like one: somebody may have swapped `kid` and `k`.
    throw refusal(reason, { rule, index: this.#index, kid: isKid(kid) ? kid : undefined });
  }

  #material(): Buffer {
    const material = decodeBase64url(this.k);
    if (material === undefined) return this.refuse('keyset_malformed', 'k is base64url without padding');
    if (material.length < XAES_KEY_BYTES) return this.refuse('keyset_weak_key', 'k is shorter than 32 bytes');
    if (material.length > XAES_KEY_BYTES) return this.refuse('keyset_malformed', 'k is longer than 32 bytes');
    const weakness = findWeakness(material);
    if (weakness !== undefined) return this.refuse('keyset_weak_key', `k ${weakness}`);
    return material;
  }

  #times(): Pick<SealingKey, 'createdAtMs' | 'activateAtMs' | 'retireAtMs' | 'destroyAtMs'> {
    const times = {
      createdAtMs: this.#time('createdAt'),
      activateAtMs: this.#time('activateAt'),
      retireAtMs: this.#time('retireAt', Infinity),
      destroyAtMs: this.#time('destroyAt', Infinity),
    };
    if (times.createdAtMs > times.activateAtMs) this.refuse('keyset_malformed', 'activateAt is not before createdAt');
    if (times.activateAtMs >= times.retireAtMs) this.refuse('keyset_malformed', 'retireAt is after activateAt');
    const neverDestroyed = times.destroyAtMs === Infinity;
    if (!neverDestroyed && times.retireAtMs >= times.destroyAtMs)
      this.refuse('keyset_malformed', 'destroyAt is after retireAt');
    if (!neverDestroyed && times.destroyAtMs - times.retireAtMs < RETENTION_MS_MIN)
      this.refuse('keyset_malformed', `destroyAt is at least ${RETENTION_MS_MIN / 60_000} min after retireAt`);
    return times;
  }

  #time(member: string, ifAbsentMs?: number): number {
    const text = this.#entry[member];
    if (text === undefined && ifAbsentMs !== undefined) return ifAbsentMs;
    const timeMs = typeof text === 'string' && UTC_TIME.test(text) ? Date.parse(text) : NaN;
    // Date.parse takes 30 February for 2 March; writing the time out again tells.
    const isReal = !Number.isNaN(timeMs) && new Date(timeMs).toISOString().slice(0, 19) === String(text).slice(0, 19);
    return isReal ? timeMs : this.refuse('keyset_malformed', `${member} is an RFC 3339 time in UTC`);
  }
}

function parseFile(text: string): readonly unknown[] {
  if (text.length > KEYSET_CHARS_MAX) throw refusal('keyset_malformed', { rule: 'the file is too large' });
  const file = parseJson(text);
  if (!isObject(file)) throw refusal('keyset_malformed', { rule: 'the file is a JSON object' });
  if (file['version'] !== 1) throw refusal('keyset_malformed', { rule: 'version is 1' });
  for (const member in file) {
    if (!FILE_MEMBERS.has(member)) throw refusal('keyset_malformed', { rule: 'the file has an unknown member' });
  }
  if (!Array.isArray(file['keys'])) throw refusal('keyset_malformed', { rule: 'keys is a list' });
  if (file['keys'].length === 0) throw refusal('keyset_no_primary', { rule: 'there is no key' });
  return file['keys'];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No cause: V8 quotes the text around the error, and here that text is key material.
    throw refusal('keyset_malformed', { rule: 'the file is JSON' });
  }
}

/** Two keys with one id, or two that become primary at the same instant, would make replicas disagree. */
function assertDistinct(keys: readonly SealingKey[]): void {
  for (const [index, key] of keys.entries()) {
    const earlier = keys.slice(0, index);
    const facts = { index, kid: key.kid };
    if (earlier.some((other) => other.kid === key.kid)) {
      throw refusal('keyset_duplicate', { rule: 'kid is used by another key too', ...facts });
    }
    if (earlier.some((other) => other.activateAtMs === key.activateAtMs)) {
      throw refusal('keyset_duplicate', { rule: 'activateAt is that of another key too', ...facts });
    }
  }
}

/**
 * Of the first key there is nothing older to seal with meanwhile, so that one may seal from its creation on. A disabled
 * key seals nothing, whenever it was made.
 */
function assertPropagates(entries: readonly KeysetEntry[], keys: readonly SealingKey[]): void {
  const firstMs = Math.min(...keys.map((key) => key.activateAtMs));
  for (const [index, { kid, enabled, createdAtMs, activateAtMs }] of keys.entries()) {
    const isExempt = !enabled || activateAtMs === firstMs || entries[index]!.emergency === true;
    if (isExempt || activateAtMs - createdAtMs >= PROPAGATION_MS) continue;
    const rule = `activateAt is at least ${PROPAGATION_MS / 60_000} min after createdAt`;
    throw refusal('keyset_malformed', { rule, index, kid });
  }
}

function refusal(reason: Reason, facts: { rule: string; index?: number; kid?: string | undefined }): RoundhouseError {
  return new RoundhouseError('config_invalid', { reason, facts });
}

function isKid(value: unknown): value is string {
  return typeof value === 'string' && KID.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
