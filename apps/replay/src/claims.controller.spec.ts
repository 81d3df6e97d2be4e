import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RpcException } from '@nestjs/microservices';
import { PATTERN, bucketOf, type Epochs } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { MemoryClaimStore } from '@roundhouse/replay-claim';
import { RpcClient, RpcRefusal, type RunningService } from '@roundhouse/service-kit';
import { ClaimsController } from './claims.controller.js';
import { replayConfig } from './config.js';
import { OutcomeWaiters } from './outcome-waiters.js';
import { ReplayDrain } from './replay-drain.js';
import { startReplay } from './start-replay.js';

const CLAIM = {
  claimId: 'c'.repeat(43),
  fingerprint: 'f'.repeat(43),
  owner: 'owner-of-the-claim',
  leaseMs: 60_000,
  retainMs: 60_000,
};
const SETTLE = { claimId: CLAIM.claimId, owner: CLAIM.owner, result: 'sealed result', retainMs: 60_000 };
const RELEASE = { claimId: CLAIM.claimId, owner: CLAIM.owner };
const OUTCOME = { claimId: CLAIM.claimId, fingerprint: CLAIM.fingerprint, waitMs: 10_000 };
const TWIN = { ...CLAIM, owner: 'owner-of-the-twin' };

describe('ClaimsController over the wire', () => {
  let service: RunningService;
  let client: RpcClient;

  beforeEach(async () => {
    const config = replayConfig.load({
      ROUNDHOUSE_REPLAY_STORE: 'memory',
      ROUNDHOUSE_REPLAY_RPC_PORT: '0',
      ROUNDHOUSE_LOG_LEVEL: 'silent',
    });
    service = await startReplay({ ...config, outcomeWaitersMax: 2 });
    client = new RpcClient(service.address);
  });

  afterEach(async () => {
    client.close();
    await service.close();
  });

  const ask = (pattern: string, message: object): Promise<unknown> => client.ask(pattern, message, 5_000);
  const refusalOf = async (pattern: string, message: object): Promise<unknown> => {
    const error = await ask(pattern, message).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcRefusal);
    return (error as RpcRefusal).detail;
  };

  it('answers a claim, its twin, its outcome and other answers', async () => {
    expect(await ask(PATTERN.claim, CLAIM)).toEqual({ status: 'new' });
    expect(await ask(PATTERN.claim, TWIN)).toMatchObject({ status: 'inflight' });
    expect(await ask(PATTERN.settle, SETTLE)).toEqual({ applied: true });
    expect(await ask(PATTERN.claim, TWIN)).toEqual({ status: 'done', result: 'sealed result' });
    expect(await ask(PATTERN.outcome, OUTCOME)).toEqual({ status: 'done', result: 'sealed result' });
    expect(await ask(PATTERN.claim, { ...TWIN, fingerprint: 'o'.repeat(43) })).toEqual({ status: 'conflict' });
  });

  it('says whether a settle and a release were applied', async () => {
    expect(await ask(PATTERN.settle, SETTLE)).toEqual({ applied: false });
    expect(await ask(PATTERN.release, RELEASE)).toEqual({ applied: false });
    await ask(PATTERN.claim, CLAIM);
    expect(await ask(PATTERN.release, { ...RELEASE, owner: TWIN.owner })).toEqual({ applied: false });
    expect(await ask(PATTERN.release, RELEASE)).toEqual({ applied: true });
    expect(await ask(PATTERN.claim, TWIN)).toEqual({ status: 'new' });
  });

  it('answers a waiting twin when the outcome arrives', async () => {
    await ask(PATTERN.claim, CLAIM);
    const twin = ask(PATTERN.outcome, OUTCOME);
    await ask(PATTERN.settle, SETTLE);
    expect(await twin).toEqual({ status: 'done', result: 'sealed result' });
  });

  it('answers a waiting twin when the process goes down', async () => {
    await ask(PATTERN.claim, CLAIM);
    const twins = [ask(PATTERN.outcome, OUTCOME), ask(PATTERN.outcome, OUTCOME)];
    // The answer to a later question shows that the waiters have been read.
    await ask(PATTERN.outcome, { ...OUTCOME, waitMs: 0 });
    await service.close();
    for (const twin of twins) expect(await twin).toMatchObject({ status: 'inflight' });
  });

  it('refuses waiters beyond its limit', async () => {
    await ask(PATTERN.claim, CLAIM);
    const twins = [ask(PATTERN.outcome, OUTCOME), ask(PATTERN.outcome, OUTCOME)];
    expect(await refusalOf(PATTERN.outcome, OUTCOME)).toEqual({ code: 'overloaded', reason: 'limit_reached' });
    await ask(PATTERN.settle, SETTLE);
    await Promise.all(twins);
  });

  it('takes a field that a newer router sends', async () => {
    expect(await ask(PATTERN.claim, { ...CLAIM, added: 'by the next release' })).toEqual({ status: 'new' });
  });

  it('tells the epochs, and takes a claim for stale that names another', async () => {
    const { epochs } = (await ask(PATTERN.epoch, {})) as Epochs;
    const epoch = epochs[bucketOf(CLAIM.claimId)];
    expect(await ask(PATTERN.claim, { ...CLAIM, epoch: 'e'.repeat(22) })).toEqual({ status: 'stale_epoch' });
    expect(await ask(PATTERN.claim, { ...CLAIM, epoch })).toEqual({ status: 'new' });
    expect(await ask(PATTERN.epoch, { added: 'by the next release' })).toEqual({ epochs });
  });

  it('keeps a text under its handle, and tells when there is none', async () => {
    const handle = 'h'.repeat(22);
    expect(await ask(PATTERN.recall, { handle })).toEqual({});
    expect(await ask(PATTERN.hold, { handle, text: 'sealed text', retainMs: 60_000 })).toEqual({ applied: true });
    expect(await ask(PATTERN.recall, { handle })).toEqual({ text: 'sealed text' });
  });

  it('marks what is used, for the first who asks', async () => {
    const mark = { id: CLAIM.claimId, owner: 'o'.repeat(22), retainMs: 60_000 };
    expect(await ask(PATTERN.once, mark)).toEqual({ applied: true });
    expect(await ask(PATTERN.once, { ...mark, owner: 'p'.repeat(22) })).toEqual({ applied: false });
    expect(await ask(PATTERN.once, mark)).toEqual({ applied: true });
  });

  it.each([
    [PATTERN.once, { id: 'short', owner: 'o'.repeat(22), retainMs: 1 }],
    [PATTERN.once, { id: CLAIM.claimId, owner: 'me', retainMs: 1 }],
    [PATTERN.once, { id: CLAIM.claimId, owner: 'o'.repeat(22), retainMs: 0 }],
    [PATTERN.claim, { ...CLAIM, claimId: 'short' }],
    [PATTERN.claim, { ...CLAIM, fingerprint: 42 }],
    [PATTERN.claim, { ...CLAIM, owner: 'x'.repeat(65) }],
    [PATTERN.claim, { ...CLAIM, leaseMs: 0 }],
    [PATTERN.claim, { ...CLAIM, leaseMs: 3_600_001 }],
    [PATTERN.claim, { ...CLAIM, retainMs: 1.5 }],
    [PATTERN.claim, { ...CLAIM, epoch: 'not an epoch' }],
    [PATTERN.claim, { ...CLAIM, principal: 'alice' }],
    [PATTERN.hold, { handle: 'short', text: '', retainMs: 1 }],
    [PATTERN.hold, { handle: 'h'.repeat(22), text: 'x'.repeat(512 * 1024 + 1), retainMs: 1 }],
    [PATTERN.recall, { handle: `${'h'.repeat(21)}*` }],
    [PATTERN.epoch, ['all']],
    [PATTERN.claim, {}],
    [PATTERN.claim, []],
    [PATTERN.settle, RELEASE],
    [PATTERN.settle, { ...SETTLE, result: { not: 'text' } }],
    [PATTERN.settle, { ...SETTLE, result: 'r'.repeat(512 * 1024 + 1) }],
    [PATTERN.release, { claimId: CLAIM.claimId }],
    [PATTERN.outcome, { ...OUTCOME, waitMs: -1 }],
    [PATTERN.outcome, { ...OUTCOME, waitMs: 60_001 }],
  ])('refuses a %s that is not one', async (pattern, message) => {
    expect(await refusalOf(pattern, message)).toEqual({ code: 'invalid_request', reason: 'body_not_a_message' });
    expect(await ask(PATTERN.claim, CLAIM)).toEqual({ status: 'new' });
  });
});

describe('ClaimsController when the store fails', () => {
  class FailingStore extends MemoryClaimStore {
    constructor(private readonly failure: Error) {
      super();
    }

    override claim(): Promise<never> {
      return Promise.reject(this.failure);
    }
  }

  async function refusalFor(failure: Error): Promise<unknown> {
    const store = new FailingStore(failure);
    const waiters = new OutcomeWaiters(store, { waitersMax: 1 });
    const controller = new ClaimsController(store, waiters, new ReplayDrain(waiters));
    return controller.claim(CLAIM).then(
      () => 'answered',
      (error: RpcException) => error.getError(),
    );
  }

  it('tells the code and the reason, so that an outage is never taken for a conflict', async () => {
    const failure = new RoundhouseError('replay_unavailable', {
      reason: 'replay_timed_out',
      facts: { failure: 'timeout' },
    });
    expect(await refusalFor(failure)).toEqual({ code: 'replay_unavailable', reason: 'replay_timed_out' });
  });

  it('tells nothing about an error that it does not know', async () => {
    expect(await refusalFor(new TypeError('words that nobody should read'))).toEqual({
      code: 'internal',
      reason: 'unexpected',
    });
  });
});

describe('ClaimsController on its way out', () => {
  function going(): { readonly store: MemoryClaimStore; readonly controller: ClaimsController } {
    const store = new MemoryClaimStore();
    const waiters = new OutcomeWaiters(store, { waitersMax: 1 });
    const drain = new ReplayDrain(waiters);
    drain.begin();
    return { store, controller: new ClaimsController(store, waiters, drain) };
  }

  it('makes no claim, for its answer might be cut off', async () => {
    const { store, controller } = going();
    const refusal = await controller.claim(CLAIM).catch((error: RpcException) => error.getError());
    expect(refusal).toMatchObject({ code: 'draining' });
    expect(await store.claim(TWIN)).toEqual({ status: 'new' });
  });

  it('still keeps the outcome of a call that runs, and still takes a claim back', async () => {
    const { store, controller } = going();
    await store.claim(CLAIM);
    expect(await controller.settle(SETTLE)).toEqual({ applied: true });
    const other = { ...CLAIM, claimId: 'd'.repeat(43) };
    await store.claim(other);
    expect(await controller.release({ ...RELEASE, claimId: other.claimId })).toEqual({ applied: true });
  });
});
