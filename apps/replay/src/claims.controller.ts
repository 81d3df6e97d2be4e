/**
 * The rpc of the replay service: reads each message by its schema and asks the store. What a router is told about a
 * failure is a code and a reason, never a part of the message.
 */
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import type { z } from 'zod';
import {
  PATTERN,
  claimRequestSchema,
  outcomeRequestSchema,
  releaseRequestSchema,
  settleRequestSchema,
  type Acknowledgement,
  type ClaimAnswer,
} from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import type { ClaimStore } from '@roundhouse/replay-claim';
import { CLAIM_STORE } from './open-store.js';
import { OutcomeWaiters } from './outcome-waiters.js';
import { ReplayDrain } from './replay-drain.js';

@Controller()
export class ClaimsController {
  constructor(
    @Inject(CLAIM_STORE) private readonly store: ClaimStore,
    private readonly waiters: OutcomeWaiters,
    private readonly drain: ReplayDrain,
  ) {}

  @MessagePattern(PATTERN.claim)
  claim(@Payload() message: unknown): Promise<ClaimAnswer> {
    return this.answer(claimRequestSchema, message, (request) => this.store.claim(request));
  }

  @MessagePattern(PATTERN.settle)
  settle(@Payload() message: unknown): Promise<Acknowledgement> {
    return this.answer(settleRequestSchema, message, async (request) => ({
      applied: await this.store.settle(request),
    }));
  }

  @MessagePattern(PATTERN.release)
  release(@Payload() message: unknown): Promise<Acknowledgement> {
    return this.answer(releaseRequestSchema, message, async (request) => ({
      applied: await this.store.release(request),
    }));
  }

  @MessagePattern(PATTERN.outcome)
  outcome(@Payload() message: unknown): Promise<ClaimAnswer> {
    return this.answer(outcomeRequestSchema, message, (request) => this.waiters.wait(request));
  }

  /** @throws RpcException `{ code, reason }`: `invalid_request`, `replay_unavailable`, `overloaded` or `internal` */
  private async answer<T, R>(schema: z.ZodType<T>, message: unknown, run: (request: T) => Promise<R>): Promise<R> {
    const parsed = schema.safeParse(message);
    if (!parsed.success) throw toRefusal(new RoundhouseError('invalid_request', { reason: 'body_not_a_message' }));
    try {
      return await this.drain.track(run(parsed.data));
    } catch (error) {
      throw toRefusal(RoundhouseError.from(error));
    }
  }
}

function toRefusal({ code, reason }: RoundhouseError): RpcException {
  return new RpcException({ code, reason });
}
