/**
 * How long before its first seal a key has to be known, and how long after its last one it has to stay, so that every
 * replica opens what any replica sealed (KEY-2). Whoever plans, loads or prunes keys counts with these numbers.
 */
import type { Keyset } from './keyset.js';
import type { SealingKey } from './sealing-key.js';

/**
 * From the moment a new keyset is written until every replica, by its own clock, has it: five times the two minutes that
 * a Kubernetes Secret takes at worst to reach a mounted volume, in milliseconds.
 */
export const PROPAGATION_MS = 10 * 60_000;
/** How far the clocks of two replicas may be apart, in milliseconds. */
export const CLOCK_SKEW_MS = 60_000;
/** Longest life of one sealed state unless configured otherwise, in milliseconds. */
export const STATE_LIFE_MS_DEFAULT = 10 * 60_000;
/** Shortest time between a key's retirement and its destruction that a keyset file may state, in milliseconds. */
export const RETENTION_MS_MIN = STATE_LIFE_MS_DEFAULT + 2 * CLOCK_SKEW_MS;

/**
 * Whether an unexpired state sealed under this key may be out there, and its keyset still opens it. Counts on the safe
 * side: a replica may learn a whole propagation late that another key has taken over.
 */
export function mayStillOpen(
  key: SealingKey,
  at: { readonly keyset: Keyset; readonly nowMs: number; readonly stateLifeMs: number },
): boolean {
  const role = at.keyset.roleAt(key, at.nowMs);
  if (role === 'disabled' || role === 'destroyed') return false;
  if (at.nowMs < key.activateAtMs - CLOCK_SKEW_MS) return false;
  return at.nowMs < sealsUntilMs(key, at.keyset) + PROPAGATION_MS + at.stateLifeMs + 2 * CLOCK_SKEW_MS;
}

function sealsUntilMs(key: SealingKey, keyset: Keyset): number {
  const later = keyset.keys.filter((other) => other.enabled && other.activateAtMs > key.activateAtMs);
  return Math.min(key.retireAtMs, ...later.map((other) => other.activateAtMs));
}
