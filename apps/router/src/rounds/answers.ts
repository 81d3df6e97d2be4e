/**
 * What the client answered, held against what was asked (D-11, D-34). The asks come from the seal, so only questions
 * that were really put can be answered; unknown keys are ignored.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { Answer, Answers, Asks } from '@roundhouse/contracts';
import { ANSWERS_MAX, checkAnswer, isJsonObject, setOwn } from '@roundhouse/protocol';

export interface JudgedAnswers {
  /** Valid answers of this round, cleaned. */
  readonly given: Answers;
  /** Asks that have no valid answer yet. */
  readonly open: Asks;
  /** Every ask was cancelled: an interruption that spends nothing. */
  readonly allCancelled: boolean;
}

export function judgeAnswers(asks: Asks, inputResponses: unknown): JudgedAnswers {
  const responses = assertResponses(inputResponses);
  const given: Record<string, Answer> = {};
  const open: Asks = {};
  let cancelled = 0;
  for (const [key, ask] of Object.entries(asks)) {
    const verdict = Object.hasOwn(responses, key) ? checkAnswer(ask, responses[key]) : undefined;
    if (verdict?.answer === undefined) setOwn(open, key, ask);
    else setOwn(given, key, verdict.answer);
    if (verdict?.status === 'cancelled') cancelled += 1;
  }
  return { given, open, allCancelled: cancelled > 0 && cancelled === Object.keys(asks).length };
}

/** Answers to a tool that takes them without a state: nothing is known of what was asked, the worker judges them. */
export function openAnswers(inputResponses: unknown): Answers | undefined {
  return inputResponses === undefined ? undefined : (assertResponses(inputResponses) as Answers);
}

function assertResponses(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw refused('answers_not_an_object', 'inputResponses must be an object');
  const entries = Object.values(value);
  if (entries.length > ANSWERS_MAX) throw refused('limit_reached', 'inputResponses has too many entries');
  if (!entries.every(isJsonObject)) throw refused('answer_malformed', 'each entry of inputResponses must be an object');
  return value;
}

function refused(
  reason: 'answers_not_an_object' | 'answer_malformed' | 'limit_reached',
  detail: string,
): RoundhouseError {
  return new RoundhouseError('invalid_params', { reason, detail });
}
