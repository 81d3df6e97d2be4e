import { beforeEach, describe, expect, it } from '@jest/globals';
import { REPLAY_BUCKETS, bucketOf } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { FakeClock } from '@roundhouse/testing';
import { claimIdOf } from './claim-id.js';
import { EpochKeeper } from './epoch-keeper.js';

const STATE = { principal: 'p'.repeat(43), nonce: 'n'.repeat(22) };
const ANSWER = claimIdOf(STATE, 'answer');
const UNAVAILABLE = { code: 'replay_unavailable' };

class Source {
  asked = 0;
  generation = 'a';
  failure: RoundhouseError | undefined;

  async epochs(): Promise<readonly string[]> {
    this.asked += 1;
    if (this.failure !== undefined) throw this.failure;
    return Array.from({ length: REPLAY_BUCKETS }, (_, bucket) => `${this.generation}${bucket}`);
  }
}

/** What goes on in the background has come to its end. */
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let clock: FakeClock;
let source: Source;
let keeper: EpochKeeper;

beforeEach(() => {
  clock = new FakeClock();
  source = new Source();
  keeper = new EpochKeeper(source, clock.now);
});

describe('EpochKeeper', () => {
  it('names for each claim the epoch of its own bucket', async () => {
    await keeper.ready();
    expect(keeper.of(STATE)).toEqual({
      answer: `a${bucketOf(ANSWER)}`,
      cancel: `a${bucketOf(claimIdOf(STATE, 'cancel'))}`,
    });
  });

  it('asks once for all that need epochs at once, and not again while they are fresh', async () => {
    await Promise.all([keeper.ready(), keeper.ready(), keeper.ready()]);
    clock.advance(29_999);
    await keeper.ready();
    expect(source.asked).toBe(1);
  });

  it('asks again in the background when they are old, and keeps the last known when that fails', async () => {
    await keeper.ready();
    clock.advance(30_000);
    source.failure = new RoundhouseError('replay_unavailable');
    await keeper.ready();
    await soon();
    expect(source.asked).toBe(2);
    expect(keeper.of(STATE).answer).toMatch(/^a/);
    source.failure = undefined;
    source.generation = 'b';
    clock.advance(30_000);
    await keeper.ready();
    await soon();
    expect(keeper.of(STATE).answer).toMatch(/^b/);
  });

  it('fails closed while none was ever known, and tries anew each time', async () => {
    source.failure = new RoundhouseError('replay_unavailable');
    await expect(keeper.ready()).rejects.toMatchObject(UNAVAILABLE);
    expect(() => keeper.of(STATE)).toThrow(expect.objectContaining(UNAVAILABLE));
    source.failure = undefined;
    await keeper.ready();
    expect(keeper.of(STATE).answer).toMatch(/^a/);
  });

  it('replaces an epoch that a claim found stale', async () => {
    await keeper.ready();
    source.generation = 'b';
    await keeper.replace(ANSWER, keeper.of(STATE).answer);
    expect(keeper.of(STATE).answer).toMatch(/^b/);
  });

  it('asks nothing for a state that is older than what it knows', async () => {
    await keeper.ready();
    for (let time = 0; time < 100; time += 1) await keeper.replace(ANSWER, 'long gone');
    expect(source.asked).toBe(1);
  });

  it('keeps what it knows when it cannot be replaced', async () => {
    await keeper.ready();
    source.failure = new RoundhouseError('replay_unavailable');
    await keeper.replace(ANSWER, keeper.of(STATE).answer);
    expect(keeper.of(STATE).answer).toMatch(/^a/);
  });
});
