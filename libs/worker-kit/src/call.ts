/**
 * What a method knows of the call that runs it, and how it asks. Straight-line code: an `ask` without an answer ends the
 * run, and the next round runs the method again from the top with the answer there.
 */
import type { McpLogLevel, Principal } from '@roundhouse/contracts';
import { missingCapabilities } from '@roundhouse/protocol';
import type { Question } from './question.js';
import type { Run } from './run.js';

export type AskableWith = 'elicitation.form' | 'elicitation.url' | 'sampling' | 'roots';
export type AnswersOf<Q> = { readonly [K in keyof Q]: Q[K] extends Question<infer A> ? A : never };

const CAPABILITY: Readonly<Record<AskableWith, Readonly<Record<string, unknown>>>> = {
  'elicitation.form': { elicitation: { form: {} } },
  'elicitation.url': { elicitation: { url: {} } },
  sampling: { sampling: {} },
  roots: { roots: {} },
};

export class Call {
  constructor(private readonly run: Run) {}

  /**
   * The answer to exactly this question. Without one the run ends here by a throw that must not be caught; what was
   * done before and is not in a `step` will be done again. Asking the same key again asks anew.
   */
  async ask<A>(key: string, question: Question<A>): Promise<A> {
    return this.run.ask({ [key]: question })[key] as A;
  }

  /** Several independent questions in one round. */
  async askAll<Q extends Readonly<Record<string, Question<unknown>>>>(questions: Q): Promise<AnswersOf<Q>> {
    return this.run.ask(questions) as AnswersOf<Q>;
  }

  /**
   * Runs `work` once per flow and keeps its result, as JSON, for the later rounds: nothing before a question happens
   * twice. A `work` that throws is kept too; what is thrown on is the `ToolFailure` itself or a `StepFailed`.
   */
  async step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    return (await this.run.step(name, work)) as T;
  }

  /** Must rise; dropped when the client did not ask for progress, thinned when too frequent. */
  progress(done: number, total?: number, message?: string): void {
    this.run.notices.progress(done, total, message);
  }

  /** Dropped below the level the client asked for. No secrets, no personal data: the client shows it. */
  log(level: McpLogLevel, data: unknown, logger?: string): void {
    this.run.notices.log(level, data, logger);
  }

  /** Whether this client declared that it can be asked so; `elicitation: {}` means forms. */
  can(way: AskableWith): boolean {
    return missingCapabilities(CAPABILITY[way], this.run.request.clientCapabilities) === undefined;
  }

  /** Aborted when the caller is gone or the router gave up. */
  get signal(): AbortSignal {
    return this.run.signal;
  }

  /** Time left, in milliseconds. */
  get deadlineMs(): number {
    return this.run.deadlineMs;
  }

  /** Who calls, as the router verified it. */
  get principal(): Principal {
    return this.run.request.principal;
  }

  /** 1 in the first run of a flow. */
  get round(): number {
    return this.run.request.round;
  }

  /** The same in all rounds of a flow. */
  get flowId(): string {
    return this.run.request.flowId;
  }

  /** The same for every delivery of one confirmed round of a `singleUse` tool; absent when nothing was claimed. */
  get idempotencyKey(): string | undefined {
    return this.run.request.idempotencyKey;
  }

  /** `_meta` keys of the client that are not the protocol's own. */
  get meta(): Readonly<Record<string, unknown>> {
    return this.run.request.meta ?? {};
  }
}
