/**
 * Clients of both eras at once, each a person of its own who is asked before getting back the message of the call, so that
 * whatever came to somebody else shows by its name.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, completed, retry } from './flow.js';
import { LegacySession, textOfResponse } from './legacy-session.js';
import { sendMcp } from './mcp-request.js';

export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const CONFIRM = { action: 'accept', content: { confirm: true } };
/** Who failed has something to wait for. */
const RETRY_AFTER_MS = 100;

/** When it began and ended, in milliseconds of `performance.now()`. */
export interface FailedCall {
  readonly beganMs: number;
  readonly endedMs: number;
  readonly why: string;
}

export interface Tally {
  right: number;
  /** Refused or broken. */
  readonly failed: FailedCall[];
  /** Answered with something that is not their own message. */
  readonly wrong: string[];
  /** Of another client; counted here alone. */
  readonly crossed: string[];
}

export interface EraLoadOptions {
  /** Where all requests go, whichever router serves them. */
  readonly port: number;
  readonly clientsOfEachEra: number;
  readonly durationMs: number;
  /** How long a client waits between its calls; not at all by default. */
  readonly drawPauseMs?: () => number;
}

/** One call, start to end; the text that came out. */
type Play = (message: string) => Promise<string>;

export async function putEraLoad(options: EraLoadOptions): Promise<Readonly<Record<Era, Tally>>> {
  const tallies = { legacy: newTally(), modern: newTally() };
  const untilMs = performance.now() + options.durationMs;
  const numbers = Array.from({ length: options.clientsOfEachEra }, (_, at) => at);
  await Promise.all(
    numbers.flatMap((at) =>
      ERAS.map((era) => {
        const name = `${era}-${at}`;
        const play = era === 'legacy' ? legacyPlay(options.port, name) : modernPlay(options.port, name);
        return playOn(play, { name, untilMs, tally: tallies[era], drawPauseMs: options.drawPauseMs });
      }),
    ),
  );
  return tallies;
}

interface Player {
  readonly name: string;
  readonly untilMs: number;
  readonly tally: Tally;
  readonly drawPauseMs: EraLoadOptions['drawPauseMs'];
}

async function playOn(play: Play, { name, untilMs, tally, drawPauseMs }: Player): Promise<void> {
  for (let at = 0; performance.now() < untilMs; at += 1) {
    const message = `${name}, call ${at}`;
    if (drawPauseMs !== undefined) await sleep(drawPauseMs());
    const beganMs = performance.now();
    try {
      countAnswer(tally, message, await play(message));
    } catch (error) {
      tally.failed.push({ beganMs, endedMs: performance.now(), why: `${message}: ${(error as Error).message}` });
      await sleep(RETRY_AFTER_MS);
    }
  }
}

/** Only one text is right, and one that another client sent is worse than any other. */
export function countAnswer(tally: Tally, message: string, text: string): void {
  if (text === message) tally.right += 1;
  else if (ownerOf(text) !== undefined && ownerOf(text) !== ownerOf(message)) tally.crossed.push(`${message}: ${text}`);
  else tally.wrong.push(`${message}: ${text}`);
}

function ownerOf(text: string): string | undefined {
  return /^((?:legacy|modern)-\d+), call \d+$/.exec(text)?.[1];
}

export function newTally(): Tally {
  return { right: 0, failed: [], wrong: [], crossed: [] };
}

/** One session for the whole time, whatever becomes of routers. */
function legacyPlay(port: number, principal: string): Play {
  let session: LegacySession | undefined;
  return async (message) => {
    session ??= await LegacySession.begin(port, { principal });
    const stream = await session.call(port, 'confirm_echo', { args: { message } });
    try {
      const { status } = await session.answer(port, await stream.question(), CONFIRM);
      assert.equal(status, 202);
      return textOfResponse(await stream.response());
    } finally {
      stream.close();
    }
  };
}

function modernPlay(port: number, principal: string): Play {
  return async (message) => {
    const params = { name: 'confirm_echo', arguments: { message } };
    const call = { method: 'tools/call', principal, params };
    const { state } = await ask(port, call);
    return completed(await sendMcp(port, retry(call, state, { confirm: CONFIRM })));
  };
}
