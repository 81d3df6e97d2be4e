/**
 * What a keyset becomes by each command: pure, so that whole schedules can be tested. Decides every time in the file: a
 * key retires when its successor activates, and is destroyed when nothing it sealed can be alive on any replica (KEY-2).
 * Reading, writing and asking the replicas are left to others.
 */
import {
  CLOCK_SKEW_MS,
  createKeysetEntry,
  formatKeyset,
  parseKeyset,
  PROPAGATION_MS,
  type KeyRole,
  type Keyset,
  type KeysetEntry,
} from '@roundhouse/sealed-state';
import { Refusal } from './refusal.js';

export interface Situation {
  readonly keys: readonly KeysetEntry[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Longest life of one sealed state in this deployment, in milliseconds. */
  readonly stateLifeMs: number;
  readonly randomBytes: (length: number) => Buffer;
}

export interface Plan {
  readonly keys: readonly KeysetEntry[];
  /** One line for the operator, ids and times only. */
  readonly summary: string;
}

/** The first key of all, which seals at once. */
export function planFirst({ nowMs, randomBytes }: Pick<Situation, 'nowMs' | 'randomBytes'>): Plan {
  const key = createKeysetEntry({ nowMs, activateAtMs: nowMs, randomBytes });
  return { keys: [key], summary: `added ${key.kid}, the first key; it seals from now on` };
}

/** A staged key, which every replica opens with and none seals with until `activateInMs` from now. */
export function planAdd(situation: Situation, activateInMs: number): Plan {
  const { keys, nowMs } = situation;
  if (activateInMs < PROPAGATION_MS) throw new Refusal('a new key waits for at least 10m: replicas have to learn it');
  const staged = keysOfRole(situation, 'staged')[0];
  if (staged !== undefined) {
    throw new Refusal(`${staged.kid} is still staged, until ${staged.activateAt}: one rotation at a time`);
  }
  const key = createKeysetEntry({ ...situation, activateAtMs: nowMs + activateInMs });
  return {
    keys: scheduled([...keys, key], situation),
    summary: `added ${key.kid}; it seals from ${key.activateAt} on`,
  };
}

/** The staged key seals from now on. With `force`, even before every replica can know it. */
export function planPromote(situation: Situation, force: boolean): Plan {
  const { keys, nowMs } = situation;
  const staged = keysOfRole(situation, 'staged').at(-1);
  if (staged === undefined) throw new Refusal('no key is staged: add one first');
  const knownMs = Date.parse(staged.createdAt) + PROPAGATION_MS;
  if (nowMs < knownMs && !force) {
    throw new Refusal(
      `${staged.kid} may not be known everywhere before ${toTime(knownMs)}; --force promotes it anyway`,
    );
  }
  const promoted = activated(staged, { keys, atMs: nowMs });
  return {
    keys: scheduled(replaced(keys, promoted), situation),
    summary: `promoted ${promoted.kid}; it seals from now on`,
  };
}

/**
 * The key opens and seals nothing any more. When that leaves no key to seal with, the staged key takes over at once, or
 * a new one: a compromised key must not cost the service as well.
 */
export function planDisable(situation: Situation, kid: string): Plan {
  const { keys, nowMs } = situation;
  const key = keyOf(keys, kid);
  if (key.status === 'disabled') return { keys, summary: `${kid} is disabled already` };
  const left = replaced(keys, { ...key, status: 'disabled' });
  const summary = `disabled ${kid}`;
  const others = left.filter((other) => other.status === 'enabled');
  if (others.length > 0 && keysetOf(others).primaryAt(nowMs) !== undefined) {
    return { keys: scheduled(left, situation), summary };
  }
  const heir = heirOf(situation, kid);
  return { keys: scheduled(replaced(left, heir), situation), summary: `${summary}; ${heir.kid} seals from now on` };
}

/** Without `kid`, every key that opens nothing any more; with it, that one or a refusal. */
export function planPrune({ keys, nowMs }: Situation, kid?: string): Plan {
  const isSpent = (key: KeysetEntry): boolean => key.status === 'disabled' || nowMs >= goneEverywhereMs(key);
  if (kid !== undefined && !isSpent(keyOf(keys, kid))) throw new Refusal(`${kid} may still open something: not pruned`);
  const spent = keys.filter((key) => isSpent(key) && (kid === undefined || key.kid === kid));
  if (spent.length === 0) return { keys, summary: 'nothing to prune' };
  const left = keys.filter((key) => !spent.includes(key));
  if (!left.some((key) => key.status === 'enabled')) throw new Refusal('no key would be left: add one first');
  return { keys: left, summary: `pruned ${spent.map((key) => key.kid).join(', ')}` };
}

/** Ids of the keys that every replica has to know before the next rotation: those that seal now or will. */
export function sealingKids(situation: Pick<Situation, 'keys' | 'nowMs'>): readonly string[] {
  return keysOfRole(situation, 'primary', 'staged').map((key) => key.kid);
}

/** Who seals when nobody else may: backdated by the clocks' skew, so that a replica whose clock is slow has a key too. */
function heirOf(situation: Situation, disabledKid: string): KeysetEntry {
  const { keys, nowMs } = situation;
  const backdatedMs = nowMs - CLOCK_SKEW_MS;
  const staged = keysOfRole(situation, 'staged').findLast(({ kid }) => kid !== disabledKid);
  const heir = staged ?? createKeysetEntry({ ...situation, nowMs: backdatedMs, activateAtMs: backdatedMs });
  return activated(heir, { keys, atMs: backdatedMs });
}

/** The key, sealing from this moment on, or the first one after it at which no other key activates. */
function activated(key: KeysetEntry, { keys, atMs }: { keys: readonly KeysetEntry[]; atMs: number }): KeysetEntry {
  const taken = new Set(keys.filter(({ kid }) => kid !== key.kid).map((other) => Date.parse(other.activateAt)));
  const createdAtMs = Date.parse(key.createdAt);
  let activateAtMs = Math.max(atMs, createdAtMs);
  while (taken.has(activateAtMs)) activateAtMs += 1;
  const isEarly = activateAtMs - createdAtMs < PROPAGATION_MS;
  return { ...key, activateAt: toTime(activateAtMs), ...(isEarly && { emergency: true }) };
}

/** The same keys with the times that follow from their succession; a retirement that has happened stays as it was. */
function scheduled(keys: readonly KeysetEntry[], { nowMs, stateLifeMs }: Situation): KeysetEntry[] {
  const succession = keys.filter((key) => key.status === 'enabled').toSorted(byActivation);
  return keys.map((key) => {
    const at = succession.indexOf(key);
    if (at === -1 || (key.retireAt !== undefined && Date.parse(key.retireAt) <= nowMs)) return key;
    const { retireAt: _retireAt, destroyAt: _destroyAt, ...endless } = key;
    const successor = succession[at + 1];
    if (successor === undefined) return endless;
    // A replica that learns of an early promotion late seals with this key for a whole propagation longer.
    const lastSealMs = Date.parse(successor.activateAt) + PROPAGATION_MS;
    const destroyAt = toTime(lastSealMs + stateLifeMs + 2 * CLOCK_SKEW_MS);
    return { ...endless, retireAt: successor.activateAt, destroyAt };
  });
}

/** When the slowest clock has passed the key's destruction. */
function goneEverywhereMs(key: KeysetEntry): number {
  return key.destroyAt === undefined ? Infinity : Date.parse(key.destroyAt) + CLOCK_SKEW_MS;
}

/** The one activated last comes first. */
function keysOfRole({ keys, nowMs }: Pick<Situation, 'keys' | 'nowMs'>, ...roles: readonly KeyRole[]): KeysetEntry[] {
  const keyset = keysetOf(keys);
  const chosen = keyset.keys.filter((key) => roles.includes(keyset.roleAt(key, nowMs)));
  return chosen.map((key) => keyOf(keys, key.kid));
}

function keyOf(keys: readonly KeysetEntry[], kid: string): KeysetEntry {
  const key = keys.find((other) => other.kid === kid);
  if (key === undefined) throw new Refusal(`there is no key ${kid}`);
  return key;
}

/** The keys with this one in place of the one with its id, or behind them when there is none. */
function replaced(keys: readonly KeysetEntry[], key: KeysetEntry): readonly KeysetEntry[] {
  const isKnown = keys.some((other) => other.kid === key.kid);
  return isKnown ? keys.map((other) => (other.kid === key.kid ? key : other)) : [...keys, key];
}

function keysetOf(keys: readonly KeysetEntry[]): Keyset {
  return parseKeyset(formatKeyset(keys));
}

function byActivation(a: KeysetEntry, b: KeysetEntry): number {
  return Date.parse(a.activateAt) - Date.parse(b.activateAt);
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
