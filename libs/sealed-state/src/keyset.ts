/**
 * All sealing keys a router knows, and which of them seals now. A key's role follows from the clock alone, so replicas
 * that hold the same file agree without talking, and one write rotates them all.
 * Reading, watching and writing the file is left to others; `parse-keyset.ts` says what a good file is.
 */
import type { SealingKey } from './sealing-key.js';

/** Only `primary` seals; `primary`, `staged` and `previous` open. */
export type KeyRole = 'primary' | 'staged' | 'previous' | 'disabled' | 'destroyed';

export class Keyset {
  readonly keys: readonly SealingKey[];
  readonly #byKid: ReadonlyMap<string, SealingKey>;

  constructor(keys: readonly SealingKey[]) {
    this.keys = keys.toSorted((a, b) => b.activateAtMs - a.activateAtMs);
    this.#byKid = new Map(keys.map((key) => [key.kid, key]));
  }

  /** The key that seals at this time: of those enabled, activated and not yet retired, the one activated last. */
  primaryAt(nowMs: number): SealingKey | undefined {
    return this.keys.find((key) => key.enabled && key.activateAtMs <= nowMs && nowMs < key.retireAtMs);
  }

  /** The key with this id, whatever its role: 8 bytes, or 16 lower-case hex characters. */
  byKid(kid: Buffer | string): SealingKey | undefined {
    return this.#byKid.get(typeof kid === 'string' ? kid : kid.toString('hex'));
  }

  roleAt(key: SealingKey, nowMs: number): KeyRole {
    if (!key.enabled) return 'disabled';
    if (nowMs >= key.destroyAtMs) return 'destroyed';
    if (nowMs < key.activateAtMs) return 'staged';
    return this.primaryAt(nowMs) === key ? 'primary' : 'previous';
  }
}
