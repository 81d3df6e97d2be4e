import { describe, expect, it } from '@jest/globals';
import { SCOPE_SETS_MAX, ScopeSets } from './scope-sets.js';

describe('a set of scopes', () => {
  it.each([
    ['a text', 'b a'],
    ['a list', ['a', 'b']],
    ['a text with gaps and repetitions', ' a  b a '],
  ])('is the same object from %s', (_form, value) => {
    const sets = new ScopeSets();
    const set = sets.of('a b');
    expect(sets.of(value)).toBe(set);
  });

  it.each([undefined, null, 7, {}, '', [], [7, null, ['a']], 'a"b', 'tök', 's'.repeat(257)])(
    'is empty from %j',
    (value) => {
      expect(new ScopeSets().of(value).size).toBe(0);
    },
  );

  it('is not joined from parts that a separator could make', () => {
    const sets = new ScopeSets();
    expect(sets.of(['a b'])).not.toBe(sets.of('a b'));
  });

  it('is forgotten rather than kept without bound', () => {
    const sets = new ScopeSets();
    const first = sets.of('first');
    for (let at = 0; at < SCOPE_SETS_MAX; at += 1) sets.of(`scope-${at}`);
    expect(sets.of('first')).not.toBe(first);
  });
});
