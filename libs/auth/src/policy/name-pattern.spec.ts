import { describe, expect, it } from '@jest/globals';
import { anyMatcher, isNamePattern, nameMatcher } from './name-pattern.js';

describe('a name pattern', () => {
  it.each([
    ['notes_list', 'notes_list'],
    ['notes_*', 'notes_'],
    ['notes_*', 'notes_delete'],
    ['*', 'anything'],
    ['*_delete', 'notes_delete'],
    ['a*b*c', 'a-b-b-c'],
    ['a**c', 'abc'],
    ['*aa*', 'xaay'],
    ['tools:call:*', 'tools:call:notes'],
  ])('%s takes %s', (pattern, name) => {
    expect(nameMatcher(pattern)(name)).toBe(true);
  });

  it.each([
    ['notes_list', 'notes_lis'],
    ['notes_list', 'notes_lists'],
    ['notes_list', 'Notes_list'],
    ['notes_*', 'note_delete'],
    ['notes_*', ' notes_delete'],
    ['*_delete', 'notes_delete2'],
    ['ab*bc', 'abc'],
    ['aa*aa', 'aaa'],
    ['a*b*c', 'a-c-b'],
    ['a*b*bc', 'a-bc'],
    ['notes.list', 'notes_list'],
    ['note?', 'notes'],
    ['[a-z]*', 'abc'],
    ['tools:call:*', 'tools:call'],
    ['x', ''],
  ])('%s does not take %j', (pattern, name) => {
    expect(nameMatcher(pattern)(name)).toBe(false);
  });

  it('takes nothing when there is no pattern', () => {
    expect(anyMatcher([])('x')).toBe(false);
  });

  it.each(['', 'a b', 'a\n', 'ä*', 'x'.repeat(257)])('refuses the pattern %j', (pattern) => {
    expect(isNamePattern(pattern)).toBe(false);
  });
});
