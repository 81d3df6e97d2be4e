import { describe, expect, it } from '@jest/globals';
import { PendingAsks, type Answered } from './pending-asks.js';

const answered: Answered = {
  response: { result: {} },
  access: { scopes: undefined, claims: {}, expiresAtMs: Infinity },
};

function waitingOf(sid: string, owner: string) {
  const seen: string[] = [];
  return {
    seen,
    waiting: { sid, owner, take: () => void seen.push('taken'), abandon: () => void seen.push('abandoned') },
  };
}

describe('questions that wait', () => {
  it('are answered once', () => {
    const asks = new PendingAsks({ asksMax: 9, perPrincipalMax: 9 });
    const { seen, waiting } = waitingOf('s', 'alice');
    asks.add('a', waiting);
    expect([asks.answer('s', 'a', answered), asks.answer('s', 'a', answered)]).toEqual([true, false]);
    expect([seen, asks.size]).toEqual([['taken'], 0]);
  });

  it.each([
    ['another session', 't', 'a'],
    ['another question', 's', 'b'],
    ['an inherited name', 's', '__proto__'],
  ])('are not answered by %s', (_what, sid, name) => {
    const asks = new PendingAsks({ asksMax: 9, perPrincipalMax: 9 });
    const { seen, waiting } = waitingOf('s', 'alice');
    asks.add('a', waiting);
    expect(asks.answer(sid, name, answered)).toBe(false);
    expect([seen, asks.size]).toEqual([[], 1]);
  });

  it('are so many at most, for all and for each', () => {
    const asks = new PendingAsks({ asksMax: 3, perPrincipalMax: 2 });
    const add = (name: string, owner: string): void => asks.add(name, waitingOf('s', owner).waiting);
    add('a', 'alice');
    add('b', 'alice');
    expect(() => add('c', 'alice')).toThrow(expect.objectContaining({ code: 'overloaded' }));
    add('c', 'bob');
    expect(() => add('d', 'carol')).toThrow(expect.objectContaining({ code: 'overloaded' }));
    asks.forget('a');
    asks.forget('a');
    add('d', 'alice');
    expect(asks.size).toBe(3);
  });

  it('are all given up when the router stops', () => {
    const asks = new PendingAsks({ asksMax: 9, perPrincipalMax: 9 });
    const [one, two] = [waitingOf('s', 'alice'), waitingOf('t', 'bob')];
    asks.add('a', one.waiting);
    asks.add('b', two.waiting);
    asks.abandonAll();
    expect([one.seen, two.seen]).toEqual([['abandoned'], ['abandoned']]);
  });
});
