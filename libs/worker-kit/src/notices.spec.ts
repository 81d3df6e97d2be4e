import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CallNotice, CallRequest } from '@roundhouse/contracts';
import { Notices } from './notices.js';

function noticesOf(request: Pick<CallRequest, 'wantsProgress' | 'logLevel' | 'mayCloseStream'>) {
  const sent: CallNotice[] = [];
  const notices = new Notices(request, { progressIntervalMs: 50, send: (notice) => sent.push(notice) });
  return { notices, sent, progress: () => sent.map((notice) => notice.kind === 'progress' && notice.progress) };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('progress', () => {
  it('says nothing when the client did not ask', () => {
    const { notices, sent } = noticesOf({ wantsProgress: false });
    notices.progress(1);
    notices.close();
    expect(sent).toEqual([]);
  });

  it('drops what does not rise or is no number', () => {
    const { notices, progress } = noticesOf({ wantsProgress: true });
    for (const done of [5, 5, 4, Number.NaN, Infinity, 6]) {
      notices.progress(done);
      jest.advanceTimersByTime(50);
    }
    expect(progress()).toEqual([5, 6]);
  });

  it('thins what comes too fast and keeps the last', () => {
    const { notices, progress } = noticesOf({ wantsProgress: true });
    for (const done of [1, 2, 3]) notices.progress(done);
    expect(progress()).toEqual([1]);
    jest.advanceTimersByTime(50);
    expect(progress()).toEqual([1, 3]);
  });

  it('sends what it held back before the call ends, and nothing after', () => {
    const { notices, progress } = noticesOf({ wantsProgress: true });
    notices.progress(1, 2);
    notices.progress(2, 2);
    notices.close();
    notices.progress(3);
    notices.log('error', 'late');
    jest.runAllTimers();
    expect(progress()).toEqual([1, 2]);
  });

  it('carries total and message within their limits', () => {
    const { notices, sent } = noticesOf({ wantsProgress: true });
    notices.progress(0.5, Number.NaN, 'x'.repeat(5_000));
    expect(sent).toEqual([{ kind: 'progress', progress: 0.5, message: 'x'.repeat(4_096) }]);
  });
});

describe('log', () => {
  it.each([
    [undefined, 'emergency'],
    ['warning', 'notice'],
    ['emergency', 'alert'],
  ] as const)('with the level %s asked for drops %s', (logLevel, level) => {
    const { notices, sent } = noticesOf({ wantsProgress: false, ...(logLevel && { logLevel }) });
    notices.log(level, 'text');
    expect(sent).toEqual([]);
  });

  it('drops a level that does not exist', () => {
    const { notices, sent } = noticesOf({ wantsProgress: false, logLevel: 'debug' });
    notices.log('loud' as never, 'text');
    expect(sent).toEqual([]);
  });

  it('sends at the level asked for and above', () => {
    const { notices, sent } = noticesOf({ wantsProgress: false, logLevel: 'warning' });
    notices.log('warning', { n: 1 }, 'db');
    notices.log('error', 'text');
    expect(sent).toEqual([
      { kind: 'log', level: 'warning', logger: 'db', data: { n: 1 } },
      { kind: 'log', level: 'error', data: 'text' },
    ]);
  });

  it('stands in for data that is no JSON or too large', () => {
    const { notices, sent } = noticesOf({ wantsProgress: false, logLevel: 'debug' });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const data of [circular, 10n, 'x'.repeat(70_000)]) notices.log('info', data);
    notices.log('info', undefined);
    expect(sent.map((notice) => notice.kind === 'log' && notice.data)).toEqual([
      '(log data was not JSON)',
      '(log data was not JSON)',
      '(log data was too large)',
      null,
    ]);
  });
});

describe('closing the stream', () => {
  it('is not asked for where the client cannot take it up again, or the router knows nothing of it', () => {
    const { notices, sent } = noticesOf({ wantsProgress: true });
    notices.closeStream(100);
    expect(sent).toEqual([]);
  });

  it.each([
    [undefined, {}],
    [250.4, { retryMs: 250 }],
    [0, { retryMs: 0 }],
    [3_600_000, { retryMs: 30_000 }],
    [Infinity, { retryMs: 30_000 }],
    [-1, {}],
    [Number.NaN, {}],
  ])('for %p ms is within what routers keep', (retryMs, expected) => {
    const { notices, sent } = noticesOf({ wantsProgress: false, mayCloseStream: true });
    notices.closeStream(retryMs);
    expect(sent).toEqual([{ kind: 'close_stream', ...expected }]);
  });

  it('sends the progress that was held back first', () => {
    const { notices, sent } = noticesOf({ wantsProgress: true, mayCloseStream: true });
    for (const done of [1, 2]) notices.progress(done);
    notices.closeStream();
    expect(sent.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'close_stream']);
  });

  it('asked twice is told twice, because the client may be back', () => {
    const { notices, sent } = noticesOf({ wantsProgress: false, mayCloseStream: true });
    notices.closeStream();
    notices.closeStream();
    expect(sent).toHaveLength(2);
  });

  it('is nothing any more once the call has ended', () => {
    const { notices, sent } = noticesOf({ wantsProgress: false, mayCloseStream: true });
    notices.close();
    notices.closeStream();
    expect(sent).toEqual([]);
  });
});
