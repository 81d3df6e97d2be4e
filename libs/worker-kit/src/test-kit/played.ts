/** How a call ended that a spec played to its end, in the words in which specs ask for it. */
import type { CallReply } from '@roundhouse/contracts';

interface Result {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface PlayedParts {
  readonly reply: CallReply;
  readonly rounds: readonly (readonly string[])[];
  readonly logged: readonly string[];
}

export class Played {
  readonly reply: CallReply;
  /** The keys of what was asked, round by round; the last round, which asked nothing, is not among them. */
  readonly rounds: readonly (readonly string[])[];
  /** Warnings and errors of the worker: what a tool threw is told here and nowhere else. */
  readonly logged: readonly string[];

  constructor({ reply, rounds, logged }: PlayedParts) {
    this.reply = reply;
    this.rounds = rounds;
    this.logged = logged;
  }

  /** The texts of the result, one a line. Throws when the call ended without a result. */
  get text(): string {
    const texts = (this.result.content ?? []).filter(({ type }) => type === 'text');
    return texts.map(({ text }) => text).join('\n');
  }

  get structured(): unknown {
    return this.result.structuredContent;
  }

  /** Whether the result says of itself that the call did not work. */
  get isError(): boolean {
    return this.result.isError === true;
  }

  /** The code with which the call ended instead of a result. */
  get error(): string | undefined {
    return this.reply.kind === 'error' ? this.reply.code : undefined;
  }

  private get result(): Result {
    const { reply } = this;
    if (reply.kind === 'complete') return JSON.parse(reply.body) as Result;
    const how = reply.kind === 'error' ? `${reply.code}: ${reply.message}` : reply.kind;
    throw new Error([`The call has no result but ended with ${how}`, ...this.logged].join('\n'));
  }
}
