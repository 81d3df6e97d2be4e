/** The replay service's rpc over the in-memory store: enough for the router's own tests, in the test's own process. */
import { Controller, Inject, Module } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  PATTERN,
  type Acknowledgement,
  type BudgetAnswer,
  type BudgetRequest,
  type ClaimAnswer,
  type ClaimRequest,
  type Epochs,
  type HoldRequest,
  type OnceRequest,
  type OutcomeRequest,
  type RecallAnswer,
  type RecallRequest,
  type ReleaseRequest,
  type SettleRequest,
} from '@roundhouse/contracts';
import { MemoryBudgetStore, MemoryClaimStore } from '@roundhouse/replay-claim';
import { startMicroservice, type RunningService } from '@roundhouse/service-kit';

/** The store, which a test may make forget everything, age, or give out something else than was put; it tells what it was told. */
class StoreInHand {
  store = this.fresh();
  readonly told: unknown[] = [];
  /** What becomes of a result on its way into the store, as if somebody else wrote there. */
  spoil = (result: string): string => result;
  readonly budgets = new MemoryBudgetStore();
  private aheadMs = 0;

  forgetEverything(): void {
    this.store = this.fresh();
  }

  passTime(ms: number): void {
    this.aheadMs += ms;
  }

  private fresh(): MemoryClaimStore {
    return new MemoryClaimStore({ now: () => performance.now() + this.aheadMs });
  }
}

@Controller()
class ClaimsController {
  constructor(@Inject(StoreInHand) private readonly inHand: StoreInHand) {}

  private get store(): MemoryClaimStore {
    return this.inHand.store;
  }

  @MessagePattern(PATTERN.claim)
  async claim(@Payload() request: ClaimRequest): Promise<ClaimAnswer> {
    this.inHand.told.push(request);
    return this.store.claim(request);
  }

  @MessagePattern(PATTERN.settle)
  async settle(@Payload() request: SettleRequest): Promise<Acknowledgement> {
    this.inHand.told.push(request);
    return { applied: await this.store.settle({ ...request, result: this.inHand.spoil(request.result) }) };
  }

  @MessagePattern(PATTERN.release)
  async release(@Payload() request: ReleaseRequest): Promise<Acknowledgement> {
    return { applied: await this.store.release(request) };
  }

  @MessagePattern(PATTERN.epoch)
  async epoch(): Promise<Epochs> {
    return { epochs: [...(await this.store.epochs())] };
  }

  @MessagePattern(PATTERN.hold)
  async hold(@Payload() request: HoldRequest): Promise<Acknowledgement> {
    this.inHand.told.push(request);
    await this.store.hold(request);
    return { applied: true };
  }

  @MessagePattern(PATTERN.recall)
  async recall(@Payload() { handle }: RecallRequest): Promise<RecallAnswer> {
    return { text: await this.store.recall(handle) };
  }

  @MessagePattern(PATTERN.once)
  async once(@Payload() request: OnceRequest): Promise<Acknowledgement> {
    return { applied: await this.store.once(request) };
  }

  @MessagePattern(PATTERN.budget)
  async budget(@Payload() request: BudgetRequest): Promise<BudgetAnswer> {
    return this.inHand.budgets.share(request);
  }

  @MessagePattern(PATTERN.outcome)
  async outcome(@Payload() { claimId, fingerprint, waitMs }: OutcomeRequest): Promise<ClaimAnswer> {
    for (;;) {
      const answer = await this.store.peek(claimId, fingerprint);
      if (answer.status !== 'inflight' || answer.leaseLeftMs === 0 || waitMs === 0) return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

@Module({})
class ReplayUnderTestModule {}

export interface ReplayUnderTest {
  readonly service: RunningService;
  readonly inHand: Pick<StoreInHand, 'forgetEverything' | 'passTime' | 'spoil' | 'told'>;
}

export async function startReplayUnderTest(): Promise<ReplayUnderTest> {
  const inHand = new StoreInHand();
  const module = {
    module: ReplayUnderTestModule,
    controllers: [ClaimsController],
    providers: [{ provide: StoreInHand, useValue: inHand }],
  };
  const listen = { host: '127.0.0.1', port: 0 };
  return { service: await startMicroservice({ name: 'replay', module, listen, logLevel: 'silent' }), inHand };
}
