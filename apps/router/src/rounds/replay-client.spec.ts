import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Inject, Module } from '@nestjs/common';
import { MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import {
  PATTERN,
  RESULT_BYTES_MAX,
  type ClaimRequest,
  type ReleaseRequest,
  type SettleRequest,
} from '@roundhouse/contracts';
import { startMicroservice, type RunningService } from '@roundhouse/service-kit';
import { NEVER, Subject, firstValueFrom, type Observable } from 'rxjs';
import { dialWith } from '../dispatch/dial.js';
import type { OnAddresses } from '../discovery/discovery.js';
import { ReplayClient } from './replay-client.js';

const digest = 'd'.repeat(43);
const claim: ClaimRequest = { claimId: digest, fingerprint: digest, owner: 'o'.repeat(22), leaseMs: 1, retainMs: 1 };

/** Answers claims as a test says, and shows what it was asked. */
class Script {
  readonly claims: ClaimRequest[] = [];
  readonly releases = new Subject<ReleaseRequest>();
  answers: (() => unknown)[] = [];
  releasesToRefuse = 0;
  readonly settled: SettleRequest[] = [];
  settlesToRefuse = 0;
  settleRefusal = 'replay_unavailable';
}

@Controller()
class ScriptedReplayController {
  constructor(@Inject(Script) private readonly script: Script) {}

  @MessagePattern(PATTERN.claim)
  claim(@Payload() request: ClaimRequest): unknown {
    this.script.claims.push(request);
    const answer = this.script.answers.shift();
    return answer === undefined ? { status: 'new' } : answer();
  }

  @MessagePattern(PATTERN.settle)
  settle(@Payload() request: SettleRequest): unknown {
    this.script.settlesToRefuse -= 1;
    if (this.script.settlesToRefuse >= 0) throw new RpcException({ code: this.script.settleRefusal });
    this.script.settled.push(request);
    return { applied: true };
  }

  @MessagePattern(PATTERN.release)
  release(@Payload() request: ReleaseRequest): unknown {
    this.script.releases.next(request);
    this.script.releasesToRefuse -= 1;
    if (this.script.releasesToRefuse >= 0) throw new RpcException({ code: 'replay_unavailable' });
    return { applied: true };
  }
}

@Module({})
class ScriptedReplayModule {}

const services: RunningService[] = [];
let client: ReplayClient | undefined;
afterEach(async () => {
  client?.stop();
  for (const service of services.splice(0)) await service.close();
});

async function serve(...answers: (() => unknown)[]): Promise<Script> {
  const script = new Script();
  script.answers = answers;
  const module = {
    module: ScriptedReplayModule,
    controllers: [ScriptedReplayController],
    providers: [{ provide: Script, useValue: script }],
  };
  const listen = { host: '127.0.0.1', port: 0 };
  services.push(await startMicroservice({ name: 'replay', module, listen, logLevel: 'silent' }));
  return script;
}

/** Asks all that are served. */
function asking(): ReplayClient {
  const start = (onAddresses: OnAddresses): void => onAddresses(services.map(({ address }) => address));
  client = new ReplayClient({ discovery: { heardAtMs: undefined, start, stop: () => undefined }, dial });
  client.start();
  return client;
}

async function started(...answers: (() => unknown)[]): Promise<{ script: Script; replay: ReplayClient }> {
  return { script: await serve(...answers), replay: asking() };
}

const dial = dialWith(undefined, undefined);

const refuses = (code: string) => (): never => {
  throw new RpcException({ code });
};
const settle: SettleRequest = { claimId: digest, owner: 'o'.repeat(22), result: 'sealed', retainMs: 1 };
const silent = (): Observable<unknown> => NEVER;

describe('ReplayClient', () => {
  it('asks once when it is answered', async () => {
    const { script, replay } = await started();
    expect(await replay.claim(claim)).toEqual({ status: 'new' });
    expect(script.claims).toEqual([claim]);
  });

  it('asks a second time with the same owner when the first try failed', async () => {
    const { script, replay } = await started(refuses('replay_unavailable'));
    expect(await replay.claim(claim)).toEqual({ status: 'new' });
    expect(script.claims).toEqual([claim, claim]);
  });

  it('fails closed after two tries, and gives back what may have been recorded', async () => {
    const { script, replay } = await started(refuses('replay_unavailable'), refuses('replay_unavailable'));
    const released = firstValueFrom(script.releases);
    await expect(replay.claim(claim)).rejects.toMatchObject({
      code: 'replay_unavailable',
      reason: 'replay_store_failed',
      retryAfterS: 1,
    });
    expect(await released).toEqual({ claimId: claim.claimId, owner: claim.owner });
  });

  it('gives back what may have been recorded when the service is there again', async () => {
    const { script, replay } = await started(refuses('replay_unavailable'), refuses('replay_unavailable'));
    const releases: ReleaseRequest[] = [];
    script.releases.subscribe((request) => releases.push(request));
    // Each is tried twice.
    script.releasesToRefuse = 2;
    await expect(replay.claim(claim)).rejects.toMatchObject({ code: 'replay_unavailable' });
    while (releases.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(new Set(releases.map(({ owner }) => owner))).toEqual(new Set([claim.owner]));
  });

  it('stores an outcome when the service is there again, and tells the caller at once that it could not', async () => {
    const { script, replay } = await started();
    // Each is tried twice.
    script.settlesToRefuse = 4;
    await expect(replay.settle(settle, Infinity)).rejects.toMatchObject({ code: 'replay_unavailable' });
    expect(script.settled).toEqual([]);
    while (script.settled.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(script.settled).toEqual([settle]);
  });

  it('stores no outcome once twins were told that it is unknown', async () => {
    const { script, replay } = await started();
    script.settlesToRefuse = 2;
    await expect(replay.settle(settle, performance.now() + 100)).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(script.settled).toEqual([]);
    expect(await replay.settle(settle, Infinity)).toBe(true);
  });

  it('does not try on what the service will never take', async () => {
    const { script, replay } = await started();
    script.settlesToRefuse = 1;
    script.settleRefusal = 'invalid_request';
    await expect(replay.settle(settle, Infinity)).rejects.toMatchObject({ code: 'internal' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(script.settled).toEqual([]);
  });

  it('keeps no more than 4 million characters of outcomes for later', async () => {
    const { script, replay } = await started();
    const large = { ...settle, result: 'x'.repeat(2 * RESULT_BYTES_MAX) };
    script.settlesToRefuse = 2 * 9;
    for (let count = 0; count < 9; count += 1) await expect(replay.settle(large, Infinity)).rejects.toThrow();
    while (script.settled.length < 8) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(script.settled).toHaveLength(8);
  });

  it('takes a service that is on its way out for one that is away', async () => {
    const { script, replay } = await started(refuses('draining'), refuses('draining'));
    await expect(replay.claim(claim)).rejects.toMatchObject({
      code: 'replay_unavailable',
      reason: 'replay_unreachable',
      retryAfterS: 1,
    });
    expect(script.claims).toHaveLength(2);
  });

  it('asks another replica the second time', async () => {
    const [well, ill] = [await serve(), await serve()];
    ill.answers = Array.from({ length: 100 }, () => refuses('replay_unavailable'));
    const replay = asking();
    // Whoever was connected first is asked until the other is connected, too.
    while (ill.claims.length === 0 || well.claims.length === 0) await replay.claim(claim).catch(() => undefined);
    const before = ill.claims.length;
    for (let count = 0; count < 10; count += 1) expect(await replay.claim(claim)).toEqual({ status: 'new' });
    expect(ill.claims.length).toBeGreaterThan(before);
  });

  it('waits once for a replica that is silent, and asks the others then', async () => {
    const [well, hung] = [await serve(), await serve()];
    const replay = asking();
    while (well.claims.length === 0 || hung.claims.length === 0) await replay.claim(claim);
    hung.answers = Array.from({ length: 100 }, () => silent);
    const before = hung.claims.length;
    for (let count = 0; count < 20; count += 1) expect(await replay.claim(claim)).toEqual({ status: 'new' });
    expect(hung.claims.length).toBe(before + 1);
  });

  it('does not wait for an answer for ever', async () => {
    const { replay } = await started(silent, silent);
    await expect(replay.claim(claim)).rejects.toMatchObject({ code: 'replay_unavailable', reason: 'replay_timed_out' });
  });

  it.each([
    ['is overloaded', 'overloaded', 'overloaded'],
    ['calls the request malformed', 'invalid_request', 'internal'],
  ])('does not ask again when the service %s', async (_what, code, becomes) => {
    const { script, replay } = await started(refuses(code));
    await expect(replay.claim(claim)).rejects.toMatchObject({ code: becomes });
    expect(script.claims).toHaveLength(1);
  });

  it.each([[{ status: 'maybe' }], [{ status: 'done' }], [null], ['new'], [{}]])(
    'takes the answer %j for no answer',
    async (answer) => {
      const { replay } = await started(
        () => answer,
        () => answer,
      );
      await expect(replay.claim(claim)).rejects.toMatchObject({ code: 'replay_unavailable' });
    },
  );

  it('fails at once when it knows no endpoint', async () => {
    client = new ReplayClient({
      discovery: { heardAtMs: undefined, start: () => undefined, stop: () => undefined },
      dial,
    });
    client.start();
    await expect(client.claim(claim)).rejects.toMatchObject({
      code: 'replay_unavailable',
      reason: 'replay_unreachable',
    });
  });
});
