/**
 * Plays a whole call of a tool in memory: every round on a replica of its own, with a person who follows a script. At
 * every ask the run is forced once more, on another replica that knows what the router would know: it must come to the
 * same ask, and whatever it changes on its way there stands outside `step` and would happen in every round.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { Answers, CallReply } from '@roundhouse/contracts';
import { SpecWorker, toRequest, type Round, type WorkerParts } from './flow-driver.js';
import { Played } from './played.js';
import { ScriptReader, type Script } from './script.js';

export interface PlayOptions {
  /** What a replica is made of. A function is called for each, for parts that must not be shared either. */
  readonly worker: WorkerParts | (() => WorkerParts);
  readonly args?: Readonly<Record<string, unknown>>;
  readonly answers?: Script;
  /**
   * All that the tool did to the outside world, as it can be seen there: rows, sent mail, a list that a fake keeps. Only
   * what is shown here can be held against the tool.
   */
  readonly effects?: () => unknown;
  /** Whatever else the router tells, as in `{ clientCapabilities: { elicitation: { url: {} } } }`. */
  readonly request?: Round;
}

type Asking = Extract<CallReply, { kind: 'input_required' }>;

/** @throws Error when tool and script do not fit each other, and when a question is not safe to come to twice */
export async function play(tool: string, options: PlayOptions): Promise<Played> {
  return new Play(tool, options).toEnd();
}

class Play {
  private readonly rounds: string[][] = [];
  private readonly logged: string[] = [];
  private readonly script: ScriptReader;
  private answers: Answers = {};

  constructor(
    private readonly tool: string,
    private readonly options: PlayOptions,
  ) {
    this.script = new ScriptReader(tool, options.answers ?? {});
  }

  async toEnd(): Promise<Played> {
    let reply = await this.deliver({});
    while (reply.kind === 'input_required') {
      await this.assertAgain(reply);
      this.rounds.push(Object.keys(reply.asks));
      this.answers = { ...this.answers, ...this.script.answerAll(reply.asks) };
      reply = await this.deliver(continued(reply));
    }
    this.script.assertUsed();
    return new Played({ reply, rounds: this.rounds, logged: this.logged });
  }

  /** The next round before anything was answered, as when a client sends the state alone. */
  private async assertAgain(asked: Asking): Promise<void> {
    const what = `"${this.tool}", run again up to "${Object.keys(asked.asks).join('", "')}",`;
    const before = await this.lookAround();
    const again = await this.deliver({ ...continued(asked), answers: without(this.answers, asked) });
    if (again.kind === 'error') throw new Error(`${what} ended with ${again.code}: ${again.message}`);
    if (again.kind !== 'input_required') throw new Error(`${what} went on without an answer`);
    if (!isDeepStrictEqual(again.asks, asked.asks)) throw new Error(`${what} asked something else`);
    if (again.continuation !== asked.continuation) throw new Error(`${what} took another step before it asked`);
    const after = await this.lookAround();
    if (isDeepStrictEqual(before, after)) return;
    throw new Error(
      `${what} changed the outside world once more: put what it does there into call.step\n` +
        `once:  ${JSON.stringify(before)}\ntwice: ${JSON.stringify(after)}`,
    );
  }

  private async lookAround(): Promise<unknown> {
    return structuredClone(await this.options.effects?.());
  }

  private async deliver(round: Round): Promise<CallReply> {
    const { worker: parts, args, request } = this.options;
    const worker = await SpecWorker.start(typeof parts === 'function' ? parts() : parts);
    worker.module.useLogger(this.collector());
    await worker.module.init();
    try {
      const known = { answers: this.answers };
      const body = args === undefined ? {} : { body: JSON.stringify(args) };
      return await worker.reply(
        toRequest(this.tool, { ...body, ...request, ...known, ...round, round: this.rounds.length + 1 }),
      );
    } finally {
      await worker.module.close();
    }
  }

  private collector(): LoggerService {
    const collect = (...parts: readonly unknown[]): void => void this.logged.push(parts.map(String).join(' '));
    const ignore = (): void => undefined;
    return { log: ignore, debug: ignore, verbose: ignore, warn: collect, error: collect, fatal: collect };
  }
}

/** An earlier answer under the same key is not one to what is asked now; the router keeps them apart. */
function without(answers: Answers, { asks }: Asking): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([key]) => !Object.hasOwn(asks, key)));
}

/** Open answers have no continuation. */
function continued({ continuation }: Asking): Round {
  return continuation === '' ? {} : { continuation };
}
