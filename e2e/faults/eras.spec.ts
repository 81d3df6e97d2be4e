import { describe, expect, it } from '@jest/globals';
import { judgeEras, type ErasRun } from './eras.js';

const RUN: ErasRun = {
  legacyFlows: 900,
  modernFlows: 900,
  wrongAnswers: 0,
  crossedSessions: 0,
  failedWhileRestarting: 30,
  failedOtherwise: 0,
  rotations: 2,
  restarts: 1,
  examples: [],
  complaints: [],
};

const failuresOf = (run: Partial<ErasRun>) =>
  judgeEras({ ...RUN, ...run }).filter(({ against }) => against.length > 0).length;

describe('a run of both eras', () => {
  it('holds although calls failed while a router was replaced', () => {
    expect(failuresOf({})).toBe(0);
  });

  it.each<Partial<ErasRun>>([
    { wrongAnswers: 1 },
    { crossedSessions: 1 },
    { failedOtherwise: 1 },
    { legacyFlows: 50 },
    { modernFlows: 0 },
    { complaints: ['router-1 has ended by itself'] },
  ])('fails with %j', (run) => {
    expect(failuresOf(run)).toBe(1);
  });
});
