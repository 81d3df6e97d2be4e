/**
 * Plays the router for specs: every round goes to a worker process of its own, built from scratch, so nothing can hide
 * in memory between rounds. Answers add up by key as the router adds them.
 */
import { EventEmitter } from 'node:events';
import { Test, type TestingModule } from '@nestjs/testing';
import { TcpContext } from '@nestjs/microservices';
import { lastValueFrom, toArray } from 'rxjs';
import {
  ANONYMOUS,
  callItemSchema,
  type Answers,
  type CallItem,
  type CallReply,
  type CallRequest,
} from '@roundhouse/contracts';
import { WorkerController } from '../worker.controller.js';
import { WorkerModule, type WorkerOptions } from '../worker.module.js';

export type WorkerParts = Omit<WorkerOptions, 'name' | 'version'>;
export type Round = Partial<CallRequest>;

let callsMade = 0;

export function toRequest(target: string, round: Round = {}): CallRequest {
  callsMade += 1;
  return {
    callId: `call-${callsMade}`,
    method: 'tools/call',
    target,
    revision: '2026-07-28',
    clientCapabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    principal: ANONYMOUS,
    deadlineMs: 30_000,
    wantsProgress: false,
    trace: {},
    flowId: 'flow-1',
    round: 1,
    ...round,
  };
}

/** One worker process without a network: its controller, and one connection to it. */
export class SpecWorker {
  readonly socket = new EventEmitter();

  private constructor(readonly module: TestingModule) {}

  static async start(parts: WorkerParts): Promise<SpecWorker> {
    const module = await Test.createTestingModule({
      imports: [WorkerModule.register({ name: 'spec', version: '1.0.0', ...parts })],
    }).compile();
    // What a spec provokes is not news; specs about the log spy on the logger.
    module.useLogger(false);
    return new SpecWorker(module);
  }

  get controller(): WorkerController {
    return this.module.get(WorkerController, { strict: false });
  }

  get context(): TcpContext {
    return new TcpContext([this.socket as never, '', {} as never]);
  }

  /** All items of the call; each must be one the contract knows. */
  async items(request: CallRequest): Promise<CallItem[]> {
    const items = await lastValueFrom(this.controller.call(request, this.context).pipe(toArray()));
    return items.map((item) => callItemSchema.parse(item));
  }

  async reply(request: CallRequest): Promise<CallReply> {
    const items = await this.items(request);
    return items[items.length - 1] as CallReply;
  }
}

export class SpecFlow {
  private answers: Answers = {};
  private round = 0;
  private continuation: string | undefined;

  constructor(
    /** Called for each round: what a replica started now is made of. */
    private readonly parts: () => WorkerParts,
    private readonly target: string,
    private readonly base: Round = {},
  ) {}

  /** One round on a fresh replica with what the client answered to the last one. */
  async next(answers: Answers = {}): Promise<CallReply> {
    this.answers = { ...this.answers, ...answers };
    this.round += 1;
    const worker = await SpecWorker.start(this.parts());
    const reply = await worker.reply(toRequest(this.target, { ...this.base, ...this.known() }));
    this.continuation = reply.kind === 'input_required' ? reply.continuation : undefined;
    return reply;
  }

  private known(): Round {
    if (this.round === 1) return { round: 1 };
    return { round: this.round, answers: this.answers, ...(this.continuation && { continuation: this.continuation }) };
  }
}

/** The texts of a complete result, in order. */
export function textsOf(reply: CallReply): string[] {
  if (reply.kind !== 'complete') throw new Error(`not a result but ${JSON.stringify(reply)}`);
  const { content } = JSON.parse(reply.body) as { content: { text: string }[] };
  return content.map(({ text }) => text);
}
export { WorkerController };
