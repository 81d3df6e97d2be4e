import { describe, expect, it } from '@jest/globals';
import { isInside, parseWorkspaceUri } from './workspace-uri.js';

describe('a workspace URI', () => {
  it.each([
    ['file:///srv/notes', ['srv', 'notes']],
    ['file:///srv/notes/', ['srv', 'notes']],
    ['file:///srv//notes/./team', ['srv', 'notes', 'team']],
    ['file:///srv/my%20notes', ['srv', 'my notes']],
    ['file:///srv/notes/%2e%2e/private.md', ['srv', 'private.md']],
    ['file:///srv/notes/../notes-evil', ['srv', 'notes-evil']],
    ['file:///', []],
  ])('%s is read as components', (uri, components) => {
    expect(parseWorkspaceUri(uri)).toEqual(components);
  });

  it.each([
    ['another scheme', 'https:///srv/notes'],
    ['no scheme', '/srv/notes'],
    ['a host', 'file://evil/srv/notes'],
    ['localhost as host', 'file://localhost/srv/notes'],
    ['a relative path', 'file:srv/notes'],
    ['an upper-case scheme', 'FILE:///srv/notes'],
    ['a query', 'file:///srv/notes?x'],
    ['a fragment', 'file:///srv/notes#x'],
    ['a backslash', 'file:///srv\\notes'],
    ['an encoded backslash', 'file:///srv/notes/..%5c..%5cetc'],
    ['an encoded slash', 'file:///srv/notes/..%2f..%2fetc'],
    ['a double encoding', 'file:///srv/notes/%252e%252e/private.md'],
    ['an encoded NUL', 'file:///srv/notes%00.md'],
    ['a NUL', 'file:///srv/notes\u0000'],
    ['a line feed', 'file:///srv/notes%0a'],
    ['a broken encoding', 'file:///srv/%zz'],
    ['an encoding that is no UTF-8', 'file:///srv/%c0%ae%c0%ae'],
    ['a way above the root', 'file:///srv/../../etc'],
    ['too many characters', `file:///${'a'.repeat(2_048)}`],
  ])('with %s is refused', (_, uri) => {
    expect(parseWorkspaceUri(uri)).toBeUndefined();
  });
});

describe('isInside', () => {
  it.each([
    [['srv', 'notes'], true],
    [['srv', 'notes', 'team'], true],
    [['srv', 'notes-evil', 'x'], false],
    [['srv', 'note'], false],
    [['srv'], false],
    [[], false],
  ])('of %j in /srv/notes is %s', (path, inside) => {
    expect(isInside(path, ['srv', 'notes'])).toBe(inside);
  });
});
