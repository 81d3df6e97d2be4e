/** The rpc for continuations that are too large to travel: keeps sealed texts under handles that only routers know. */
import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  PATTERN,
  holdRequestSchema,
  recallRequestSchema,
  type Acknowledgement,
  type RecallAnswer,
} from '@roundhouse/contracts';
import type { ClaimStore } from '@roundhouse/replay-claim';
import { CLAIM_STORE } from './open-store.js';
import { ReplayDrain } from './replay-drain.js';
import { answerMessage } from './rpc-answer.js';

@Controller()
export class HeldTextsController {
  constructor(
    @Inject(CLAIM_STORE) private readonly store: ClaimStore,
    private readonly drain: ReplayDrain,
  ) {}

  @MessagePattern(PATTERN.hold)
  hold(@Payload() message: unknown): Promise<Acknowledgement> {
    const run = (request: Parameters<ClaimStore['hold']>[0]): Promise<Acknowledgement> =>
      this.drain.track(this.store.hold(request).then(() => ({ applied: true })));
    return answerMessage({ schema: holdRequestSchema, run }, message);
  }

  @MessagePattern(PATTERN.recall)
  recall(@Payload() message: unknown): Promise<RecallAnswer> {
    const run = ({ handle }: { handle: string }): Promise<RecallAnswer> =>
      this.drain.track(this.store.recall(handle).then((text) => ({ text })));
    return answerMessage({ schema: recallRequestSchema, run }, message);
  }
}
