/** The rpc by which routers share limits. Whatever fails here costs no call anything: a router then limits for itself. */
import { Controller, Inject, type OnApplicationShutdown } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { PATTERN, budgetRequestSchema, type BudgetAnswer, type BudgetRequest } from '@roundhouse/contracts';
import type { BudgetStore } from '@roundhouse/replay-claim';
import { BUDGET_STORE } from './open-store.js';
import { ReplayDrain } from './replay-drain.js';
import { answerMessage } from './rpc-answer.js';

@Controller()
export class BudgetsController implements OnApplicationShutdown {
  constructor(
    @Inject(BUDGET_STORE) private readonly store: BudgetStore,
    private readonly drain: ReplayDrain,
  ) {}

  @MessagePattern(PATTERN.budget)
  share(@Payload() message: unknown): Promise<BudgetAnswer> {
    const run = (request: BudgetRequest): Promise<BudgetAnswer> => this.drain.track(this.store.share(request));
    return answerMessage({ schema: budgetRequestSchema, run }, message);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
