import { describe, expect, it } from '@jest/globals';
import type { FaultWindow, Presented } from './history.js';
import { judge, type Evidence, type Verdict } from './judge.js';

const SOUND = {
  doubleExecutions: 0,
  secondAnswers: 0,
  differentBodies: 0,
  successesWithoutRun: 0,
  wrongRefusals: 0,
  unexplainedErrors: 0,
  unresolved: 0,
} satisfies Partial<Verdict>;

let clockMs = 0;
const presented = (part: Partial<Presented>): Presented => {
  clockMs += 10;
  return {
    kind: 'presented',
    nonce: 'n1',
    way: 'left',
    router: 'router-1',
    sentMs: clockMs,
    endedMs: clockMs + 5,
    answer: 'success',
    ...(part.answer === undefined && { body: 'b1' }),
    ...part,
  };
};
const success = (part: Partial<Presented> = {}) => presented(part);
const refused = (part: Partial<Presented> = {}) => presented({ answer: 'refused', ...part });

function judged(parts: readonly Presented[], rest: Partial<Evidence> = {}): Verdict {
  const minted = { kind: 'minted', nonce: 'n1', router: 'router-1', sentMs: 0, endedMs: 1 } as const;
  return judge({ minted: [minted], presented: parts, faults: [], runs: ['n1'], ...rest });
}

const flush = (startedMs: number, endedMs: number): FaultWindow => ({
  kind: 'fault',
  fault: 'flushall',
  victim: 'redis',
  startedMs,
  endedMs,
});

describe('a sound history', () => {
  it.each<[string, Presented[]]>([
    ['one result', [success()]],
    ['the same result again', [success(), success()]],
    ['a result after losses', [presented({ answer: 'lost' }), presented({ answer: 'later' }), success()]],
    ['another answer refused', [success(), refused({ way: 'right' })]],
    [
      'another answer that came first and was lost',
      [presented({ way: 'right', answer: 'lost' }), refused(), success({ way: 'right' })],
    ],
    ['an unknown outcome', [presented({ answer: 'unknown' })]],
    ['a result after an unknown outcome', [presented({ answer: 'unknown' }), success()]],
  ])('holds %s against nobody', (_what, parts) => {
    expect(judged(parts)).toMatchObject({ ...SOUND, violations: [] });
  });

  it('may run and never be told of, when the outcome is said to be unknown', () => {
    expect(judged([presented({ answer: 'unknown' })])).toMatchObject({ ...SOUND, unknownOutcomes: 1 });
  });

  it('may refuse what the store has forgotten', () => {
    const parts = [success(), refused()];
    expect(judged(parts, { faults: [flush(parts[0]?.endedMs ?? 0, parts[1]?.sentMs ?? 0)] })).toMatchObject(SOUND);
  });

  it('may refuse a state of a router that was halted while the store forgot', () => {
    const minted = { kind: 'minted', nonce: 'n1', router: 'router-1', sentMs: 70_000, endedMs: 70_001 } as const;
    const halt = { ...flush(5, 65_000), fault: 'router-stop', victim: 'router-1' };
    const refusal = refused({ sentMs: 71_000, endedMs: 71_001 });
    expect(judged([refusal], { minted: [minted], faults: [flush(0, 1), halt], runs: [] })).toMatchObject(SOUND);
  });

  it('may fail at the router whose clock is wrong', () => {
    const failure = presented({ answer: 'failed', note: 'x' });
    const clock = { ...flush(failure.sentMs, failure.endedMs), fault: 'clock', victim: 'router-1' };
    expect(judged([failure, success()], { faults: [clock] })).toMatchObject(SOUND);
  });

  it.each([
    ['at the router whose clock is wrong', 'router-1', 'router-2'],
    ['of the router whose clock is wrong', 'router-2', 'router-1'],
  ])('may refuse a state %s', (_which, minter, refuser) => {
    const refusal = refused({ router: refuser });
    const minted = { kind: 'minted', nonce: 'n1', router: minter, sentMs: clockMs - 5, endedMs: clockMs } as const;
    const clock = { ...flush(clockMs - 10, clockMs + 10), fault: 'clock', victim: 'router-2' };
    expect(judged([refusal], { minted: [minted], faults: [clock], runs: [] })).toMatchObject(SOUND);
  });

  it('counts decided presentations as claims, and nonces once', () => {
    const parts = [success(), refused({ way: 'right' }), presented({ answer: 'lost' }), presented({ answer: 'later' })];
    expect(judged(parts)).toMatchObject({ nonces: 1, claims: 2 });
  });

  it('holds nothing against a state that nobody presented', () => {
    expect(judged([], { runs: [] })).toMatchObject(SOUND);
  });
});

describe('a broken promise', () => {
  it.each<[string, keyof Verdict, Presented[], string[]]>([
    ['two runs', 'doubleExecutions', [success()], ['n1', 'n1']],
    ['two runs that nobody got an answer of', 'doubleExecutions', [presented({ answer: 'unknown' })], ['n1', 'n1']],
    ['two answers accepted', 'secondAnswers', [success(), success({ way: 'right' })], ['n1']],
    ['a declined call that ran', 'secondAnswers', [success({ way: 'decline' })], ['n1']],
    ['another result the second time', 'differentBodies', [success(), success({ body: 'b2' })], ['n1']],
    ['a result of nothing', 'successesWithoutRun', [success()], []],
    ['a good state refused', 'wrongRefusals', [refused()], []],
    ['a result withdrawn', 'wrongRefusals', [success(), refused()], ['n1']],
    ['an error of another kind', 'unexplainedErrors', [presented({ answer: 'failed', note: 'x' }), success()], ['n1']],
    ['no answer ever', 'unresolved', [presented({ answer: 'lost' })], []],
    ['one of two answers left open', 'unresolved', [refused({ way: 'right' }), presented({ answer: 'later' })], []],
  ])('is found: %s', (_what, problem, parts, runs) => {
    const verdict = judged(parts, { runs });
    expect(verdict[problem]).toBe(1);
    expect(verdict.violations.some((line) => line.startsWith('n1: '))).toBe(true);
  });

  it.each([
    ['before the state was made', -60_000],
    ['after the refusal', 60_000],
  ])('is not excused by a flush %s', (_when, atMs) => {
    const refusal = refused();
    expect(judged([refusal], { runs: [], faults: [flush(atMs, atMs + 1)] })).toMatchObject({ wrongRefusals: 1 });
  });

  it.each([
    ['of another router', { victim: 'router-2', startedMs: 5, endedMs: 65_000 }],
    ['that was over before the store forgot', { victim: 'router-1', startedMs: -20_000, endedMs: -10_000 }],
    ['long before the state was made', { victim: 'router-1', startedMs: 5, endedMs: 30_000 }],
  ])('is not excused by a halt %s', (_which, halt) => {
    const minted = { kind: 'minted', nonce: 'n1', router: 'router-1', sentMs: 70_000, endedMs: 70_001 } as const;
    const faults = [flush(0, 1), { ...flush(0, 0), fault: 'router-stop', ...halt }];
    const refusal = refused({ sentMs: 71_000, endedMs: 71_001 });
    expect(judged([refusal], { minted: [minted], runs: [], faults })).toMatchObject({ wrongRefusals: 1 });
  });

  it('is not excused in an error by the clock of another router', () => {
    const failure = presented({ answer: 'failed', note: 'x' });
    const clock = { ...flush(failure.sentMs, failure.endedMs), fault: 'clock', victim: 'router-2' };
    expect(judged([failure, success()], { faults: [clock] })).toMatchObject({ unexplainedErrors: 1 });
  });

  it.each([
    ['of another router', 'router-2', 0],
    ['that was right again', 'router-1', -60_000],
  ])('is not excused by the clock %s', (_which, victim, offsetMs) => {
    const refusal = refused();
    const clock = { ...flush(refusal.sentMs + offsetMs, refusal.endedMs + offsetMs), fault: 'clock', victim };
    expect(judged([refusal], { runs: [], faults: [clock] })).toMatchObject({ wrongRefusals: 1 });
  });

  it('is not excused by another answer that came later', () => {
    expect(judged([refused(), success({ way: 'right' })])).toMatchObject({ wrongRefusals: 1 });
  });

  it('is not excused by a fault that leaves the store and the clocks alone', () => {
    const kill = { ...flush(0, 60_000), fault: 'router-kill' };
    expect(judged([refused()], { runs: [], faults: [kill] })).toMatchObject({ wrongRefusals: 1 });
  });
});
