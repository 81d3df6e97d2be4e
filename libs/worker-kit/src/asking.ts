/**
 * What makes a question the same question, and whether this client can be asked it. The router checks every ask again
 * before it seals it; here the author learns of a bad one with a stack.
 */
import { createHash } from 'node:crypto';
import type { Ask } from '@roundhouse/contracts';
import type { AskedQuestion, JournalEntry } from './journal.js';
import { canonicalJson, capabilitiesOfAsk, missingCapabilities, type Capabilities } from './protocol-stand-in.js';
import type { Question } from './question.js';

export type Questions = Readonly<Record<string, Question<unknown>>>;

/** Plain words for keys: they end up as member names in clients of every language. */
const ASK_KEY = /^[A-Za-z][A-Za-z0-9_.:-]{0,127}$/;

export function toAsked(questions: Questions): AskedQuestion[] {
  const asked = Object.entries(questions).map(([key, { ask }]) => {
    if (!ASK_KEY.test(key)) throw new TypeError('The key of an ask starts with a letter and has at most 128 of A-Za-z0-9_.:-');
    return { key, digest: createHash('sha256').update(canonicalJson(ask)).digest('base64url') };
  });
  if (asked.length === 0) throw new TypeError('askAll needs at least one question');
  return asked;
}

export function isSameAsk(entry: JournalEntry, asked: readonly AskedQuestion[]): boolean {
  if (!('asked' in entry) || entry.asked.length !== asked.length) return false;
  return entry.asked.every(({ key, digest }, index) => key === asked[index]?.key && digest === asked[index].digest);
}

/** The union of what the asks need and the client did not declare; undefined when all can be asked. */
export function missingForAsks(declared: Capabilities, asks: readonly Ask[]): Capabilities | undefined {
  const missing = asks.map((ask) => missingCapabilities(declared, capabilitiesOfAsk(ask))).filter((each) => each !== undefined);
  if (missing.length === 0) return undefined;
  return missing.reduce((all, each) => mergeCapabilities(all, each));
}

function mergeCapabilities(one: Capabilities, other: Capabilities): Capabilities {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, parts] of Object.entries(other)) {
    merged[name] = { ...(merged[name] as object | undefined), ...(parts as object) };
  }
  return merged;
}
