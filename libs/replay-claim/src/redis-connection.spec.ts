import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl, reconnectDelayMs } from './redis-connection.js';

describe('parseRedisUrl', () => {
  it.each([
    'redis://localhost',
    'redis://user:p%40ss@10.0.0.1:6380/2',
    'rediss://redis.example:6379',
    '  redis://[::1]:6379\n',
  ])('takes %j', (text) => {
    expect(parseRedisUrl(text).href).toBe(new URL(text).href);
  });

  it.each([
    '',
    'localhost:6379',
    '/run/redis.sock',
    'http://localhost',
    'redis://',
    'redis:///2',
    'redis+unix://x',
    'rediss',
  ])('refuses %j', (text) => {
    expect(() => parseRedisUrl(text)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  it('does not repeat a text that it refuses', () => {
    try {
      parseRedisUrl('reds://:secret@host');
      throw new Error('accepted');
    } catch (error) {
      expect(JSON.stringify({ ...(error as object), message: (error as Error).message })).not.toContain('secret');
    }
  });
});

describe('reconnectDelayMs', () => {
  it('grows from tries right after each other to a capped pause, and never ends', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 100_000].map(reconnectDelayMs)).toEqual([
      50, 100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000,
    ]);
  });
});
