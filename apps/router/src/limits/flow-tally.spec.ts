import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@roundhouse/testing';
import { EndedFlows } from './ended-flows.js';
import { FlowTally } from './flow-tally.js';
import { randomId } from '../rounds/random-id.js';

const HOUR_MS = 3_600_000;
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock(1_800_000_000_000);
});
const tally = (flowLifeMs = HOUR_MS): FlowTally => new FlowTally({ flowLifeMs, now: clock.now });

describe('the tally of open flows', () => {
  it('moves a flow from age to age, and forgets it when its life is over', () => {
    const flows = tally();
    flows.opened(clock.now());
    const seen = [50_000, 100_000, 400_000, 1_000_000, 2_200_000].map((ms) => {
      clock.advance(ms);
      return Object.entries(flows.openByAge()).filter(([, count]) => count > 0);
    });
    expect(seen).toEqual([[['1m', 1]], [['5m', 1]], [['10m', 1]], [['1h', 1]], []]);
  });

  it('counts a flow in one age only', () => {
    const flows = tally();
    for (let at = 0; at < 100; at += 1) {
      flows.opened(clock.now());
      clock.advance(30_000);
    }
    expect(Object.values(flows.openByAge()).reduce((sum, count) => sum + count, 0)).toBe(100);
  });

  it('takes what ended from the age in which it would be, wherever it began', () => {
    const [here, there] = [tally(), tally()];
    const startedAtMs = clock.now();
    here.opened(startedAtMs);
    clock.advance(120_000);
    there.ended(startedAtMs, 'finished');
    expect([here.openByAge()['5m'], there.openByAge()['5m']]).toEqual([1, -1]);
  });

  it('counts flows that live longer than an hour with the oldest', () => {
    const flows = tally(4 * HOUR_MS);
    flows.opened(clock.now());
    clock.advance(3 * HOUR_MS);
    expect(flows.openByAge()).toEqual({ '1m': 0, '5m': 0, '10m': 0, '1h': 1 });
  });

  it('keeps totals that only grow', () => {
    const flows = tally();
    flows.opened(clock.now());
    flows.opened(clock.now());
    flows.ended(clock.now(), 'finished');
    flows.ended(clock.now(), 'failed');
    clock.advance(2 * HOUR_MS);
    expect(flows.totals).toEqual({ opened: 2, finished: 1, failed: 1 });
  });
});

describe('flows that ended a moment ago', () => {
  it('do not end twice', () => {
    const ended = new EndedFlows();
    const ids = Array.from({ length: 50 }, () => randomId());
    for (const id of ids) ended.note(id);
    // The newest may have overwritten another, never itself.
    expect(ended.note(ids.at(-1) as string)).toBe(false);
  });

  it('are told apart', () => {
    const ended = new EndedFlows();
    const first = Array.from({ length: 5_000 }, () => ended.note(randomId()));
    expect(first.every(Boolean)).toBe(true);
  });
});
