/**
 * One run of a method: from the top to its result, to a question that has no answer yet, or to an error. A later round
 * runs the method again with the journal of the earlier ones; the order and identity of its steps and asks must be the
 * same. Trusts the request: the router checked the caller, opened the seal and checked the answers of sealed flows.
 */
import type { Answer, Ask, CallNotice, CallReply, CallRequest } from '@roundhouse/contracts';
import { checkAnswer, ownMember } from '@roundhouse/protocol';
import { assertAskable, isSameAsk, missingForAsks, toAsked, type Questions } from './asking.js';
import { StepFailed, ToolFailure } from './failures.js';
import { Journal } from './journal.js';
import type { WorkerLimits } from './limits.js';
import { Notices } from './notices.js';
import type { Question } from './question.js';

/** Thrown to unwind the method once it is settled how the run ends. Catching it changes nothing: the ending stands. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';

  constructor() {
    super('This run of the method has ended; let this pass');
  }
}

/** Always the same one: it ends every round that asks, and taking a stack each time was a tenth of a worker's CPU. */
const RUN_ENDED = new RunEnded();

export interface RunOptions {
  readonly limits: WorkerLimits;
  /** Answers are taken by key, without a continuation. */
  readonly open: boolean;
  readonly send: (notice: CallNotice) => void;
}

export class Run {
  readonly notices: Notices;
  /** Set as soon as the run can only end this way, whatever the method still does. */
  ending: CallReply | undefined;
  private journal: Journal | undefined;
  private busy: string | undefined;
  private askedOpen: Set<string> | undefined;
  private samples = 0;
  private abort: AbortController | undefined;
  /** The caller is gone: nobody reads the reply. */
  cancelled = false;
  private readonly startedAt = performance.now();

  constructor(
    readonly request: CallRequest,
    private readonly options: RunOptions,
  ) {
    this.notices = new Notices(request, { progressIntervalMs: options.limits.progressIntervalMs, send: options.send });
  }

  /** Made on first use: most calls never look. */
  get signal(): AbortSignal {
    if (this.abort === undefined) {
      this.abort = new AbortController();
      if (this.cancelled) this.abort.abort();
    }
    return this.abort.signal;
  }

  get deadlineMs(): number {
    return Math.max(0, this.request.deadlineMs - (performance.now() - this.startedAt));
  }

  cancel(): void {
    this.cancelled = true;
    this.abort?.abort();
  }

  async step(name: string, work: () => unknown): Promise<unknown> {
    if (this.options.open)
      throw new TypeError('A tool with open answers keeps nothing between rounds, so it has no steps');
    const journal = this.enter(`step "${name}"`);
    const entry = journal.next();
    if (entry === undefined) return this.stepNow(name, work, journal);
    if (!('step' in entry) || entry.step !== name) return this.end(flowChanged(`step "${name}"`));
    if ('result' in entry) return structuredClone(entry.result);
    throw entry.failure === null ? new StepFailed(name) : new ToolFailure(entry.failure);
  }

  /** All answers by key; ends the run when one is missing. */
  ask(questions: Questions): Record<string, unknown> {
    const asked = toAsked(questions);
    const what = `ask "${Object.keys(questions).join('", "')}"`;
    this.countSamples(questions, what);
    if (this.options.open) return this.askOpen(questions);
    const journal = this.enter(what);
    const entry = journal.next();
    if (entry === undefined) {
      journal.add({ asked });
      return this.endAsking(questions, Object.keys(questions));
    }
    if (!('asked' in entry) || !isSameAsk(entry, asked)) return this.end(flowChanged(what));
    const known = new Map(entry.asked.map((each) => [each.key, each]));
    return this.takeAnswers(questions, (key, ask) => {
      const question = known.get(key);
      const answer = question?.answer ?? this.givenAnswer(key, ask);
      if (question !== undefined && answer !== undefined) question.answer = answer;
      return answer;
    });
  }

  /** Without a journal the same key asked a second time in one run is a new question, which nothing answered yet. */
  private askOpen(questions: Questions): Record<string, unknown> {
    if (this.ending !== undefined) throw RUN_ENDED;
    const before = new Set(this.askedOpen);
    this.askedOpen = new Set([...before, ...Object.keys(questions)]);
    return this.takeAnswers(questions, (key, ask) => (before.has(key) ? undefined : this.givenAnswer(key, ask)));
  }

  private takeAnswers(
    questions: Questions,
    answerTo: (key: string, ask: Ask) => Answer | undefined,
  ): Record<string, unknown> {
    const answers: Record<string, unknown> = {};
    for (const [key, { ask }] of Object.entries(questions)) {
      const answer = answerTo(key, ask);
      if (answer !== undefined) answers[key] = answer;
    }
    const unanswered = Object.keys(questions).filter((key) => !Object.hasOwn(answers, key));
    return unanswered.length === 0 ? answers : this.endAsking(questions, unanswered);
  }

  private enter(what: string): Journal {
    if (this.ending !== undefined) throw RUN_ENDED;
    if (this.busy !== undefined)
      throw new Error(`${what} began before ${this.busy} had ended: steps and asks go one after another`);
    this.journal ??= Journal.parse(this.request.continuation);
    return this.journal ?? this.end(flowChanged('the continuation'));
  }

  private async stepNow(name: string, work: () => unknown, journal: Journal): Promise<unknown> {
    this.busy = `step "${name}"`;
    try {
      const result = toJsonValue(await work());
      journal.add({ step: name, result });
      return structuredClone(result);
    } catch (thrown) {
      const isForCaller = thrown instanceof ToolFailure;
      journal.add({ step: name, failure: isForCaller ? thrown.message : null });
      throw isForCaller ? thrown : new StepFailed(name, thrown);
    } finally {
      this.busy = undefined;
    }
  }

  private endAsking(questions: Questions, keys: readonly string[]): never {
    const open = keys.map((key) => [key, questions[key] as Question<unknown>] as const);
    assertAskable(Object.fromEntries(open));
    const asks = Object.fromEntries(open.map(([key, { ask }]) => [key, ask]));
    const missing = missingForAsks(this.request.clientCapabilities, Object.values(asks));
    if (missing !== undefined) {
      return this.end({
        kind: 'error',
        code: 'missing_capability',
        message: 'The client cannot be asked',
        requiredCapabilities: missing,
      });
    }
    const { roundsMax, continuationBytesMax } = this.options.limits;
    const what = `ask "${keys.join('", "')}"`;
    if (this.request.round >= roundsMax)
      return this.end(this.refusal('too_many_rounds', `has had all its ${roundsMax} rounds at ${what}`));
    const continuation = this.options.open ? '' : (this.journal?.toText() ?? '');
    const bytes = Buffer.byteLength(continuation);
    if (bytes <= continuationBytesMax) return this.end({ kind: 'input_required', asks, continuation });
    const largest = this.journal?.largestEntry();
    const where = largest ? `, ${largest.bytes} of them in ${largest.what.slice(0, 256)}` : '';
    return this.end(
      this.refusal('failed', `takes ${bytes} of at most ${continuationBytesMax} bytes of continuation${where}`),
    );
  }

  /** The method runs from the top in every round, so this counts those of the whole call. */
  private countSamples(questions: Questions, what: string): void {
    const { samplesMax } = this.options.limits;
    const asked = Object.values(questions).filter(({ ask }) => ask.method === 'sampling/createMessage');
    this.samples += asked.length;
    if (this.samples > samplesMax)
      this.end(this.refusal('failed', `may ask for ${samplesMax} samples in one call and asks for more with ${what}`));
  }

  /** Names the offender: whoever reads the log has to find it. */
  private refusal(code: 'failed' | 'too_many_rounds', what: string): CallReply {
    return { kind: 'error', code, message: `"${this.request.target.slice(0, 128)}" ${what}`.slice(0, 1024) };
  }

  /** What the client gave under this key, cleaned; undefined when that is no answer to this ask. */
  private givenAnswer(key: string, ask: Ask): Answer | undefined {
    const given = ownMember(this.request.answers ?? {}, key);
    return given === undefined ? undefined : checkAnswer(ask, given).answer;
  }

  private end(reply: CallReply): never {
    this.ending ??= reply;
    throw RUN_ENDED;
  }
}

export function failed(message: string): CallReply {
  return { kind: 'error', code: 'failed', message };
}

function flowChanged(where: string): CallReply {
  return { kind: 'error', code: 'flow_changed', message: `The journal does not go on with ${where.slice(0, 512)}` };
}

/** What later rounds will see is what the first one sees: plain JSON. */
function toJsonValue(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value) ?? 'null');
}
