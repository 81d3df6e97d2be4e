/** The replay service's rpc over the in-memory store: enough for the router's own tests, in the test's own process. */
import { Controller, Inject, Module } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  PATTERN,
  type Acknowledgement,
  type ClaimAnswer,
  type ClaimRequest,
  type OutcomeRequest,
  type ReleaseRequest,
  type SettleRequest,
} from '@roundhouse/contracts';
import { MemoryClaimStore, type ClaimStore } from '@roundhouse/replay-claim';
import { startMicroservice, type RunningService } from '@roundhouse/service-kit';

const STORE = 'claim-store';

@Controller()
class ClaimsController {
  constructor(@Inject(STORE) private readonly store: ClaimStore) {}

  @MessagePattern(PATTERN.claim)
  async claim(@Payload() request: ClaimRequest): Promise<ClaimAnswer> {
    return this.store.claim(request);
  }

  @MessagePattern(PATTERN.settle)
  async settle(@Payload() request: SettleRequest): Promise<Acknowledgement> {
    return { applied: await this.store.settle(request) };
  }

  @MessagePattern(PATTERN.release)
  async release(@Payload() request: ReleaseRequest): Promise<Acknowledgement> {
    return { applied: await this.store.release(request) };
  }

  @MessagePattern(PATTERN.outcome)
  async outcome(@Payload() { claimId, fingerprint }: OutcomeRequest): Promise<ClaimAnswer> {
    for (;;) {
      const answer = await this.store.peek(claimId, fingerprint);
      if (answer.status !== 'inflight') return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

@Module({})
class ReplayUnderTestModule {}

export async function startReplayUnderTest(): Promise<RunningService> {
  const store = new MemoryClaimStore();
  const module = {
    module: ReplayUnderTestModule,
    controllers: [ClaimsController],
    providers: [{ provide: STORE, useValue: store }],
  };
  return startMicroservice({ name: 'replay', module, listen: { host: '127.0.0.1', port: 0 }, logLevel: 'silent' });
}
