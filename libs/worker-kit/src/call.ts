/**
 * What a method knows of the call that runs it, and how it asks. Straight-line code: an `ask` without an answer ends the
 * run, and the next round runs the method again from the top with the answer there.
 */
import type { McpLogLevel, Principal } from '@roundhouse/contracts';
import { missingCapabilities } from '@roundhouse/protocol';
import {
  roots,
  sample,
  type Question,
  type RootsAnswer,
  type SamplingAnswer,
  type SamplingRequest,
} from './question.js';
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
   * Asks the client's model, if its user lets it. At most `samplesMax` a call. A client that refuses simply does not
   * come back; one that cannot sample ends the call with -32021, so ask `can('sampling')` first when the tool has rules
   * of its own to fall back to, and let its result say which it used.
   * @deprecated by the protocol in 2026-07-28, and served as long as clients declare it: call a model of your own.
   */
  async sample(key: string, request: SamplingRequest): Promise<SamplingAnswer> {
    return this.ask(key, sample(request));
  }

  /**
   * What the client calls its roots: hints about scope, never an authorisation, and possibly none. A client without
   * roots ends the call with -32021, so ask `can('roots')` first when an argument can say the same.
   * @deprecated by the protocol in 2026-07-28: take the scope as an argument.
   */
  async roots(key = 'roots'): Promise<RootsAnswer['roots']> {
    return (await this.ask(key, roots())).roots;
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

  /**
   * Lets the client go for now: its connection is closed, the call runs on, and the client comes back for what was said
   * meanwhile, the result included, after `retryMs` (at most 30 s) or the router's own half a second. For work that takes
   * long, so that nobody holds a line open for it. Does nothing for clients that cannot come back: all but those of
   * 2025-11-25 that take event streams (SEP-1699).
   */
  closeStream(retryMs?: number): void {
    this.run.notices.closeStream(retryMs);
  }

  /**
   * Whether this client declared that it can be asked so; `elicitation: {}` means forms. Asking one that cannot be asked
   * ends the call with -32021, which names what is missing. Where that is too hard, this decides on a fallback; say in
   * the result which way was taken, and let none of them do silently what a person should have confirmed.
   */
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

/** What a tool with open answers is given: it keeps nothing between rounds, so it has no steps. */
export type OpenCall = Omit<Call, 'step'>;
