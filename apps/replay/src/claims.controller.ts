/** The rpc for claims, their epochs and marks of single use: reads each message by its schema and asks the store. */
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { z } from 'zod';
import {
  PATTERN,
  claimRequestSchema,
  onceRequestSchema,
  outcomeRequestSchema,
  releaseRequestSchema,
  settleRequestSchema,
  type Acknowledgement,
  type ClaimAnswer,
  type Epochs,
} from '@roundhouse/contracts';
import type { ClaimStore } from '@roundhouse/replay-claim';
import { underClaimSpan } from './claim-span.js';
import { CLAIM_STORE } from './open-store.js';
import { OutcomeWaiters } from './outcome-waiters.js';
import { ReplayDrain } from './replay-drain.js';
import { answerMessage, nothingSchema } from './rpc-answer.js';

@Controller()
export class ClaimsController {
  constructor(
    @Inject(CLAIM_STORE) private readonly store: ClaimStore,
    private readonly waiters: OutcomeWaiters,
    private readonly drain: ReplayDrain,
  ) {}

  @MessagePattern(PATTERN.claim)
  claim(@Payload() message: unknown): Promise<ClaimAnswer> {
    return this.answer(claimRequestSchema, message, (request) => {
      this.drain.assertStaying();
      return underClaimSpan(PATTERN.claim, request.trace, () => this.store.claim(request));
    });
  }

  @MessagePattern(PATTERN.settle)
  settle(@Payload() message: unknown): Promise<Acknowledgement> {
    return this.answer(settleRequestSchema, message, (request) =>
      underClaimSpan(PATTERN.settle, request.trace, async () => ({ applied: await this.store.settle(request) })),
    );
  }

  @MessagePattern(PATTERN.release)
  release(@Payload() message: unknown): Promise<Acknowledgement> {
    return this.answer(releaseRequestSchema, message, (request) =>
      underClaimSpan(PATTERN.release, request.trace, async () => ({ applied: await this.store.release(request) })),
    );
  }

  @MessagePattern(PATTERN.outcome)
  outcome(@Payload() message: unknown): Promise<ClaimAnswer> {
    return this.answer(outcomeRequestSchema, message, (request) =>
      underClaimSpan(PATTERN.outcome, request.trace, () => this.waiters.wait(request)),
    );
  }

  @MessagePattern(PATTERN.once)
  once(@Payload() message: unknown): Promise<Acknowledgement> {
    return this.answer(onceRequestSchema, message, async (request) => ({ applied: await this.store.once(request) }));
  }

  @MessagePattern(PATTERN.epoch)
  epoch(@Payload() message: unknown): Promise<Epochs> {
    return this.answer(nothingSchema, message, async () => ({ epochs: [...(await this.store.epochs())] }));
  }

  private answer<T, R>(schema: z.ZodType<T>, message: unknown, run: (request: T) => Promise<R>): Promise<R> {
    return answerMessage({ schema, run: (request: T) => this.drain.track(run(request)) }, message);
  }
}
