import { RoundhouseError } from '@roundhouse/errors';
import { configError, printConfigProblem, toDotted } from './config-problem.js';

describe('printing a refused configuration', () => {
  it('prints a heading and one line a problem', () => {
    const error = configError('config_malformed', [
      { path: ['router', 'listen', 'port'], rule: 'is required', place: 'RH_PORT' },
      { path: [], rule: 'the file is not UTF-8', place: 'line 1 of the file' },
    ]);
    expect(printConfigProblem(error)).toBe(
      'Invalid configuration (config_malformed)\n' +
        '  router.listen.port: is required (RH_PORT)\n' +
        '  the file is not UTF-8 (line 1 of the file)',
    );
  });

  it('prints only the public words of a refusal without problems of its own', () => {
    const error = new RoundhouseError('config_invalid', { reason: 'keyset_unreadable' });
    expect(printConfigProblem(error)).toBe('Invalid configuration (keyset_unreadable)');
  });

  it('prints nothing of a foreign error', () => {
    expect(printConfigProblem(new Error('password hunter2'))).toBe('Internal error (internal, unexpected)');
    expect(printConfigProblem('hunter2')).toBe('Internal error (internal, unexpected)');
  });
});

describe('a dotted path', () => {
  it('shows keys with dots between and positions in brackets', () => {
    expect(toDotted(['router', 'origins', 2, 'url'])).toBe('router.origins[2].url');
  });

  it('shows no control characters and no more than 64 characters of a key', () => {
    expect(toDotted(['a\u001b[31m\nb'])).toBe('a?[31m?b');
    expect(toDotted(['x'.repeat(65)])).toBe(`${'x'.repeat(64)}…`);
  });
});
