import { describe, expect, it } from '@jest/globals';
import { DETAIL_CHARS_MAX, RoundhouseError } from './roundhouse-error.js';

describe('RoundhouseError', () => {
  it('shows the table’s text with the detail in it', () => {
    expect(new RoundhouseError('unknown_tool', { detail: 'x' }).message).toBe('Unknown tool: x');
  });

  it('shows a fixed text whatever detail it was given', () => {
    expect(new RoundhouseError('state_refused', { detail: 'the key was disabled' }).message).toBe(
      'Invalid or expired requestState',
    );
  });

  it.each([
    ['a replacement pattern', '$& $1', 'Unknown tool: $& $1'],
    ['half a character', 'a\ud83d', 'Unknown tool: a\ufffd'],
    ['too long a name', 'n'.repeat(5_000), `Unknown tool: ${'n'.repeat(DETAIL_CHARS_MAX)}`],
  ])('keeps %s harmless', (_what, detail, message) => {
    expect(new RoundhouseError('unknown_tool', { detail }).message).toBe(message);
  });

  it('keeps reason, facts and cause out of what can be shown', () => {
    const error = new RoundhouseError('state_refused', {
      reason: 'state_unknown_key',
      facts: { kid: 'MARK' },
      cause: new Error('MARK'),
    });
    expect(JSON.stringify({ message: error.message, data: error.data })).not.toContain('MARK');
  });

  it.each(['rate_limited', 'state_refused', 'unauthenticated'] as const)('has no stack as %s', (code) => {
    expect(new RoundhouseError(code).stack).not.toContain('at ');
  });

  it('has a stack where something went wrong that nobody asked for, and leaves those of others alone', () => {
    const limit = Error.stackTraceLimit;
    new RoundhouseError('rate_limited');
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new RoundhouseError('worker_failed').stack).toContain('roundhouse-error.spec');
  });

  it('lets its own kind through unchanged', () => {
    const error = new RoundhouseError('parse_error');
    expect(RoundhouseError.from(error)).toBe(error);
  });

  it.each([new Error('MARK'), 'MARK', undefined, null, { code: 'parse_error', message: 'MARK' }])(
    'makes %s an internal error without its words',
    (thrown) => {
      const error = RoundhouseError.from(thrown);
      expect([error.code, error.message, error.cause]).toEqual(['internal', 'Internal error', thrown]);
    },
  );
});
