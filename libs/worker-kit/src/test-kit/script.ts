/**
 * The person in a spec: what is answered to which question. What a client would not send, or a router would not let
 * through, fails the spec instead of the tool.
 */
import type { Answer, Ask } from '@roundhouse/contracts';
import { checkAnswer } from '@roundhouse/protocol';

/** A function sees what is asked, to choose from what is offered. */
export type ScriptedAnswer = Answer | ((ask: Ask) => Answer);
/** By the key of the ask. A list answers one time after the other, anything else each time. */
export type Script = Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>;

/** Without content: consent to open an address. */
export function accept(content?: Readonly<Record<string, unknown>>): Answer {
  return content === undefined ? { action: 'accept' } : { action: 'accept', content };
}

export const decline: Answer = { action: 'decline' };
export const cancel: Answer = { action: 'cancel' };

/** What a client's model said. */
export function sampled(text: string, model = 'scripted'): Answer {
  return { role: 'assistant', content: { type: 'text', text }, model };
}

export function rootsAt(...uris: readonly string[]): Answer {
  return { roots: uris.map((uri) => ({ uri })) };
}

export class ScriptReader {
  private readonly used = new Map<string, number>();

  constructor(
    private readonly tool: string,
    private readonly script: Script,
  ) {}

  /** @throws Error when the script has no answer, or none that fits */
  answerAll(asks: Readonly<Record<string, Ask>>): Record<string, Answer> {
    return Object.fromEntries(Object.entries(asks).map(([key, ask]) => [key, this.answer(key, ask)]));
  }

  /** @throws Error when something was scripted that was never asked */
  assertUsed(): void {
    for (const [key, answers] of Object.entries(this.script)) {
      const used = this.used.get(key) ?? 0;
      if (used === 0) throw new Error(`"${this.tool}" never asked "${key}", which the script answers`);
      if (isList(answers) && used < answers.length)
        throw new Error(`"${this.tool}" asked "${key}" ${used} times, and the script has ${answers.length} answers`);
    }
  }

  private answer(key: string, ask: Ask): Answer {
    const scripted = this.next(key);
    if (scripted === undefined) {
      const known = Object.keys(this.script).join(', ') || 'nothing';
      throw new Error(
        `"${this.tool}" asked "${key}"${messageOf(ask)}, which the script does not answer; it has ${known}`,
      );
    }
    const answer = typeof scripted === 'function' ? scripted(ask) : scripted;
    const { status, reason } = checkAnswer(ask, answer);
    if (status === 'invalid')
      throw new Error(`The scripted answer to "${key}" does not fit what was asked: ${reason ?? 'it is malformed'}`);
    return answer;
  }

  private next(key: string): ScriptedAnswer | undefined {
    const answers = Object.hasOwn(this.script, key) ? this.script[key] : undefined;
    const used = this.used.get(key) ?? 0;
    this.used.set(key, used + 1);
    return isList(answers) ? answers[used] : answers;
  }
}

function isList(answers: Script[string] | undefined): answers is readonly ScriptedAnswer[] {
  return Array.isArray(answers);
}

function messageOf({ params }: Ask): string {
  const message = params?.['message'];
  return typeof message === 'string' ? ` ("${message}")` : '';
}
