import { describe, expect, it } from '@jest/globals';
import { ToolFailure } from '@roundhouse/worker-kit';
import { WorkspaceAccess } from './workspace-access.js';

const user = (subject: string, issuer = 'https://issuer.example') => ({ kind: 'user' as const, issuer, subject });
const access = new WorkspaceAccess([
  { subject: 'alice', issuer: 'https://issuer.example', workspaces: ['file:///srv/notes', 'file:///srv/alice'] },
  { subject: 'bob', workspaces: ['file:///srv/bob'] },
  { subject: '*', workspaces: ['file:///srv/public'] },
]);

describe('a workspace', () => {
  it.each([
    ['alice', 'file:///srv/notes/team', ['srv', 'notes']],
    ['alice', 'file:///srv/alice', ['srv', 'alice']],
    ['bob', 'file:///srv/public', ['srv', 'public']],
  ])('opens for %s at %s', (subject, uri, root) => {
    expect(access.open(user(subject), uri).root).toEqual(root);
  });

  it('for everyone opens without a sign-in', () => {
    expect(access.open({ kind: 'anonymous' }, 'file:///srv/public').path).toEqual(['srv', 'public']);
  });

  it.each([
    ['of somebody else', user('bob'), 'file:///srv/notes'],
    ['of the same subject at another issuer', user('alice', 'https://evil.example'), 'file:///srv/notes'],
    ['without a sign-in', { kind: 'anonymous' as const }, 'file:///srv/notes'],
    ['with a name that only begins alike', user('alice'), 'file:///srv/notes-evil/x'],
    ['left by encoded dots', user('alice'), 'file:///srv/notes/%2e%2e/private.md'],
    ['above the granted one', user('alice'), 'file:///srv'],
    ['that is no URI', user('alice'), 'srv/notes'],
  ])('%s is not available', (_, principal, uri) => {
    expect(() => access.open(principal, uri)).toThrow(ToolFailure);
  });

  it('is refused with the same words whether it exists or not', () => {
    const say = (uri: string) => {
      try {
        access.open(user('bob'), uri);
        return 'opened';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(say('file:///srv/notes')).toBe(say('file:///nowhere'));
    expect(say('file:///srv/notes')).toBe(say('%%%'));
  });

  it.each(['/srv/notes', 'file:///', 'file:///srv/notes?x'])('cannot be granted as %s', (uri) => {
    expect(() => new WorkspaceAccess([{ subject: '*', workspaces: [uri] }])).toThrow('file:///');
  });
});
