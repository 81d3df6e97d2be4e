import { describe, expect, it } from '@jest/globals';
import { countAnswer, newTally } from './era-load.js';

const MESSAGE = 'legacy-1, call 7';

const counted = (text: string) => {
  const tally = newTally();
  countAnswer(tally, MESSAGE, text);
  return { right: tally.right, wrong: tally.wrong.length, crossed: tally.crossed.length };
};

describe('answers under a load of both eras', () => {
  it('are right when they are the message of the call', () => {
    expect(counted(MESSAGE)).toEqual({ right: 1, wrong: 0, crossed: 0 });
  });

  it.each(['legacy-10, call 7', 'legacy-2, call 7', 'modern-1, call 7'])('are crossed when they say %s', (text) => {
    expect(counted(text)).toEqual({ right: 0, wrong: 0, crossed: 1 });
  });

  it.each(['legacy-1, call 6', 'Not confirmed (decline).', ''])('are wrong when they say "%s"', (text) => {
    expect(counted(text)).toEqual({ right: 0, wrong: 1, crossed: 0 });
  });
});
