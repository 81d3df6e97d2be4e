/**
 * What makes a question the same question, and whether this client can be asked it. The router checks every ask again
 * before it seals it; here the author learns of a bad one with a stack.
 */
import { hash } from 'node:crypto';
import type { Ask } from '@roundhouse/contracts';
import {
  ASKS_PER_ROUND_MAX,
  canonicalJson,
  capabilitiesOfAsk,
  checkAsk,
  missingCapabilities,
} from '@roundhouse/protocol';
import type { AskedQuestion, JournalEntry } from './journal.js';
import type { Question } from './question.js';

type Capabilities = Readonly<Record<string, unknown>>;

export type Questions = Readonly<Record<string, Question<unknown>>>;

/** Plain words for keys: they end up as member names in clients of every language. */
const ASK_KEY = /^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/;

export function toAsked(questions: Questions): AskedQuestion[] {
  const asked = Object.entries(questions).map(([key, { ask }]) => {
    assertAskKey(key);
    return { key, digest: hash('sha256', canonicalJson(ask), 'base64url') };
  });
  if (asked.length === 0) throw new TypeError('askAll needs at least one question');
  if (asked.length > ASKS_PER_ROUND_MAX)
    throw new TypeError(`At most ${ASKS_PER_ROUND_MAX} questions go out in one round`);
  return asked;
}

export function assertAskKey(key: string): void {
  if (!ASK_KEY.test(key))
    throw new TypeError('The key of an ask starts with a letter and has at most 128 of A-Za-z0-9_.:-');
}

export function isSameAsk(entry: JournalEntry, asked: readonly AskedQuestion[]): boolean {
  if (!('asked' in entry) || entry.asked.length !== asked.length) return false;
  return entry.asked.every(({ key, digest }, index) => key === asked[index]?.key && digest === asked[index].digest);
}

/** @throws TypeError for an ask that no client may be sent */
export function assertAskable(questions: Questions): void {
  for (const [key, { ask, isChecked }] of Object.entries(questions)) {
    if (isChecked) continue;
    // Whether http to a loopback host is allowed is the router's to say.
    const reason = checkAsk(ask, { allowInsecureUrls: true });
    if (reason !== undefined) throw new TypeError(`The ask "${key}" cannot be sent: ${reason}`);
  }
}

/** What the asks need together and the client did not declare; undefined when all can be asked. */
export function missingForAsks(declared: Capabilities, asks: readonly Ask[]): Record<string, unknown> | undefined {
  const needed = asks.map((ask) => capabilitiesOfAsk(ask)).reduce(mergeCapabilities);
  return missingCapabilities(needed, declared);
}

function mergeCapabilities(one: Capabilities, other: Capabilities): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, modes] of Object.entries(other)) {
    merged[name] = { ...(merged[name] as object | undefined), ...(modes as object) };
  }
  return merged;
}
