/**
 * One request of an older client, served by the same steps as a modern one. Where those answer with questions, the client
 * is asked on its own stream, and the call goes on with the answers in a further exchange: same checks, same claims, same
 * records. The state in between never leaves the router.
 */
import type { Asks } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { legacyResult, type RequestId } from '@roundhouse/protocol';
import { principalName } from '../access/principal-name.js';
import type { Exchange } from '../intake/exchange.js';
import { RESULT_META } from '../rounds/server-identity.js';
import { AskRound, type AskRoundParts, type RoundAnswers } from './ask-round.js';
import { nextExchange, type UnansweredExchange } from './legacy-exchange.js';
import { listPageFor } from './list-pages.js';
import { ProgressSeries } from './progress-series.js';
import { RoundReply } from './round-reply.js';
import type { UrlHold } from './url-holds.js';

const QUESTIONS = '{"resultType":"input_required"';
/** Told to the model as the tool's own failure, because it is the one that can go on (K-34). */
const TOLD_AS_RESULT = new Set(['missing_capability', 'ask_unanswered', 'ask_unsayable']);

/** The client's own line, or its part of a batch. */
export interface LegacyReply {
  readonly canStream: boolean;
  readonly canBeTakenUp: boolean;
  notify(message: string): void;
  closeLine(retryMs: number | undefined): void;
  succeed(id: RequestId, result: string): void;
  succeedPrepared(id: RequestId, result: Buffer): void;
  /** There is nothing to answer any more. */
  leave(): void;
}

export interface BridgedCallParts extends Omit<AskRoundParts, 'send' | 'lifeMs' | 'owner'> {
  readonly reply: LegacyReply;
  readonly exchange: UnansweredExchange;
  readonly serve: (exchange: Exchange) => Promise<void>;
  readonly lifeOf: (asks: Asks) => number;
  /** Of a client that takes no stream. */
  readonly urlHold: UrlHold | undefined;
}

interface InputRequired {
  readonly inputRequests: Asks;
  readonly requestState?: string;
}

export class BridgedCall {
  private readonly progress = new ProgressSeries();
  private round: RoundReply | undefined;
  private asking: AskRound | undefined;
  private isCancelled = false;

  constructor(private readonly parts: BridgedCallParts) {}

  async run(): Promise<void> {
    const { reply, exchange, revision } = this.parts;
    try {
      const result = await this.serveRounds();
      if (this.isCancelled) reply.leave();
      else if (typeof result !== 'string') reply.succeedPrepared(exchange.id, listPageFor(result, revision));
      else reply.succeed(exchange.id, legacyResult({ text: result, bareMeta: RESULT_META }, revision));
    } catch (thrown) {
      const error = RoundhouseError.from(thrown);
      if (this.isCancelled) reply.leave();
      else if (exchange.method !== 'tools/call' || !TOLD_AS_RESULT.has(error.code)) throw error;
      else reply.succeed(exchange.id, failureResult(error));
    }
  }

  cancel(): void {
    this.isCancelled = true;
    this.asking?.stop();
    this.round?.cancel();
  }

  private async serveRounds(): Promise<string | Buffer> {
    const { urlHold } = this.parts;
    const held = urlHold && (await urlHold.take());
    let answers: RoundAnswers | undefined = held && { inputResponses: held.inputResponses, access: undefined };
    let state = held?.state;
    for (;;) {
      const result = await this.serveRound(answers, state);
      if (typeof result !== 'string' || !result.startsWith(QUESTIONS)) return result;
      const { inputRequests, requestState } = JSON.parse(result) as InputRequired;
      state = requestState;
      if (urlHold !== undefined) await urlHold.ask(inputRequests, state, this.parts.lifeOf(inputRequests));
      answers = await this.ask(inputRequests);
      this.progress.nextRound();
    }
  }

  private async serveRound(answers: RoundAnswers | undefined, state: string | undefined): Promise<string | Buffer> {
    const { exchange, reply, serve } = this.parts;
    const round = new RoundReply(reply, {
      notify: (message) => this.send(this.progress.shift(message)),
      closeLine: (retryMs) => this.closeLine(retryMs),
    });
    this.round = round;
    if (this.isCancelled) round.cancel();
    const next = answers === undefined ? exchange : this.withAnswers(answers, state);
    next.reply = round;
    await serve(next as Exchange);
    if (round.result === undefined) throw new RoundhouseError('internal', { reason: 'unexpected' });
    return round.result;
  }

  private withAnswers({ inputResponses, access }: RoundAnswers, requestState: string | undefined): UnansweredExchange {
    const { exchange } = this.parts;
    const params = { ...exchange.params, inputResponses, requestState };
    return { ...nextExchange(exchange), params, access: { ...exchange.access, ...access } };
  }

  private async ask(asks: Asks): Promise<RoundAnswers> {
    const send = (message: string): void => this.send(message);
    const owner = principalName(this.parts.exchange.principal);
    this.asking = new AskRound(asks, { ...this.parts, owner, send, lifeMs: this.parts.lifeOf(asks) });
    const answered = this.asking.run();
    if (this.isCancelled) this.asking.stop();
    try {
      return await answered;
    } finally {
      this.asking = undefined;
    }
  }

  private closeLine(retryMs: number | undefined): void {
    if (!this.isCancelled) this.parts.reply.closeLine(retryMs);
  }

  /** After a cancellation nothing more is said of the request (G-04). */
  private send(message: string): void {
    if (!this.isCancelled) this.parts.reply.notify(message);
  }
}

function failureResult(error: RoundhouseError): string {
  const text = `${error.message}${missingOf(error)}`;
  return JSON.stringify({ content: [{ type: 'text', text }], isError: true });
}

/** Capabilities by name, such as `elicitation.url`. */
function missingOf({ code, data }: RoundhouseError): string {
  if (code !== 'missing_capability') return '';
  const { requiredCapabilities = {} } = (data ?? {}) as { requiredCapabilities?: Readonly<Record<string, object>> };
  const names = Object.entries(requiredCapabilities).flatMap(([name, modes]) => {
    const ofModes = Object.keys(modes);
    return ofModes.length === 0 ? [name] : ofModes.map((mode) => `${name}.${mode}`);
  });
  return `: ${names.join(', ')}`;
}
