import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogLevelSwitch, type LogLevel } from './log-level.js';

class Levels {
  level: string = 'info';
  setLevel(level: LogLevel): void {
    this.level = level;
  }
}

let logger: Levels;
let level: LogLevelSwitch;
beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 8, 1) });
  logger = new Levels();
  level = new LogLevelSwitch(logger);
});
afterEach(() => {
  level.stop();
  jest.useRealTimers();
});

describe('the switch of the log level', () => {
  it('tells the level as it was configured', () => {
    expect(level.report()).toEqual({ level: 'info', configured: 'info', until: undefined });
  });

  it('raises it for a quarter of an hour, then goes back by itself', () => {
    expect(level.change({ level: 'debug' })).toEqual({
      ...{ level: 'debug', configured: 'info', until: '2026-09-01T00:15:00.000Z' },
    });
    jest.advanceTimersByTime(15 * 60_000 - 1);
    expect(logger.level).toBe('debug');
    jest.advanceTimersByTime(1);
    expect(level.report()).toEqual({ level: 'info', configured: 'info', until: undefined });
  });

  it('lets the last change decide when', () => {
    level.change({ level: 'debug', minutes: 1 });
    level.change({ level: 'trace', minutes: 5 });
    jest.advanceTimersByTime(4 * 60_000);
    expect(logger.level).toBe('trace');
    jest.advanceTimersByTime(60_000);
    expect(logger.level).toBe('info');
  });

  it('goes back at once when asked for the configured level', () => {
    level.change({ level: 'debug' });
    expect(level.change({ level: 'info' })).toEqual({ level: 'info', configured: 'info', until: undefined });
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    undefined,
    null,
    'debug',
    [],
    {},
    { level: 'loud' },
    { level: 'debug', minutes: 0 },
    { level: 'debug', minutes: -1 },
    { level: 'debug', minutes: 1_441 },
    { level: 'debug', minutes: '5' },
    { level: 'debug', forever: true },
  ])('refuses %j and changes nothing', (body) => {
    expect(level.change(body)).toBeUndefined();
    expect(level.report()).toEqual({ level: 'info', configured: 'info', until: undefined });
  });
});
