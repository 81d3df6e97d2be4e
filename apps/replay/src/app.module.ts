/** The replay service: one question, answered once, atomically, by the store. */
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { ClaimStore } from '@roundhouse/replay-claim';
import { BudgetsController } from './budgets.controller.js';
import { ClaimsController } from './claims.controller.js';
import type { ReplayConfig } from './config.js';
import { HeldTextsController } from './held-texts.controller.js';
import { StoreMeasures } from './measures/store-measures.js';
import { BUDGET_STORE, CLAIM_STORE, openBudgets, openStore } from './open-store.js';
import { OutcomeWaiters } from './outcome-waiters.js';
import { ReplayDrain } from './replay-drain.js';

@Module({})
export class ReplayModule implements OnApplicationShutdown {
  constructor(@Inject(CLAIM_STORE) private readonly store: ClaimStore) {}

  static forConfig(config: ReplayConfig): DynamicModule {
    const { outcomeWaitersMax } = config;
    return {
      module: ReplayModule,
      controllers: [BudgetsController, ClaimsController, HeldTextsController],
      providers: [
        { provide: StoreMeasures, useFactory: () => new StoreMeasures() },
        {
          provide: CLAIM_STORE,
          useFactory: (measures: StoreMeasures) => openStore(config, measures),
          inject: [StoreMeasures],
        },
        { provide: BUDGET_STORE, useFactory: () => openBudgets(config) },
        {
          provide: OutcomeWaiters,
          useFactory: (claims: ClaimStore) => new OutcomeWaiters(claims, { waitersMax: outcomeWaitersMax }),
          inject: [CLAIM_STORE],
        },
        {
          provide: ReplayDrain,
          useFactory: (waiters: OutcomeWaiters) => new ReplayDrain(waiters),
          inject: [OutcomeWaiters],
        },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
