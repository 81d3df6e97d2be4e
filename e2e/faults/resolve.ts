/**
 * After everything is whole again: every nonce that nobody got a decision of is presented until there is one, with each
 * answer it was ever given, and some that were decided are fetched once more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { History, Presented, Way } from './history.js';
import type { Load, OpenNonce } from './load.js';
import type { SeededRandom } from './seeded-random.js';

const AT_ONCE = 24;
const PAUSE_MS = 250;
const REFETCHED_MAX = 500;

export interface ResolveOptions {
  readonly load: Load;
  readonly history: History;
  readonly random: SeededRandom;
  /** For one nonce: longer than a lease, within which only its owner could tell. */
  readonly withinMs: number;
}

export async function resolveAll(options: ResolveOptions): Promise<void> {
  const { load, history, random } = options;
  const stories = new Map<string, Presented[]>(load.nonces.map(({ label }) => [label, []]));
  for (const each of history.presented) stories.get(each.nonce)?.push(each);
  const known = load.nonces.map((nonce) => ({ nonce, story: stories.get(nonce.label) ?? [] }));
  const open = known.filter(({ story }) => story.length > 0 && !isDecided(story));
  const decided = random.shuffled(known.filter(({ story }) => isDecided(story))).slice(0, REFETCHED_MAX);
  const work = [
    ...open.flatMap(({ nonce, story }) => waysOf(story).map((way) => () => untilDecided(nonce, way, options))),
    ...decided.map(
      ({ nonce }) =>
        () =>
          untilDecided(nonce, nonce.way, options),
    ),
  ];
  await Promise.all(Array.from({ length: AT_ONCE }, () => workOff(work)));
}

async function workOff(work: (() => Promise<void>)[]): Promise<void> {
  for (let next = work.pop(); next !== undefined; next = work.pop()) await next();
}

async function untilDecided(nonce: OpenNonce, way: Way, options: ResolveOptions): Promise<void> {
  const { load, history, random, withinMs } = options;
  const deadlineMs = history.nowMs() + withinMs;
  for (;;) {
    const { answer } = await load.attempt(nonce, way, { random, patient: true });
    if ((answer !== 'later' && answer !== 'lost') || history.nowMs() > deadlineMs) return;
    await sleep(PAUSE_MS);
  }
}

function isDecided(story: readonly Presented[]): boolean {
  return story.some(({ answer }) => answer === 'success' || answer === 'unknown');
}

function waysOf(story: readonly Presented[]): Way[] {
  return [...new Set(story.map(({ way }) => way))];
}
