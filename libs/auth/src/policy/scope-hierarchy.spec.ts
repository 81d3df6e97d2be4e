import { describe, expect, it } from '@jest/globals';
import { ScopeHierarchy } from './scope-hierarchy.js';

const hierarchy = new ScopeHierarchy([
  { scope: 'tools:admin', includes: ['tools:call:*', 'notes:write'] },
  { scope: 'notes:write', includes: ['notes:read'] },
  { scope: 'notes:read', includes: ['notes:write'] },
]);
const holds = (held: string, ...needed: string[]): boolean => hierarchy.covers(new Set(held.split(' ')), needed);

describe('a scope hierarchy', () => {
  it.each([
    ['notes:list', ['notes:list']],
    ['tools:admin', ['tools:call:notes']],
    ['tools:admin', ['notes:write']],
    ['tools:admin', ['notes:read']],
    ['notes:read', ['notes:write']],
    ['a b', ['b', 'a']],
    ['a', []],
  ])('lets %s stand for %j', (held, needed) => {
    expect(holds(held, ...needed)).toBe(true);
  });

  it.each([
    ['tools:call:notes', ['tools:admin']],
    ['tools:admin', ['tools:call']],
    ['tools:admin', ['tools:call:notes', 'billing']],
    ['tools:call:*', ['tools:call:notes']],
    ['TOOLS:ADMIN', ['tools:call:notes']],
    ['tools:admins', ['tools:call:notes']],
    ['', ['a']],
  ])('does not let %j stand for %j', (held, needed) => {
    expect(holds(held, ...needed)).toBe(false);
  });
});
