import { describe, expect, it } from '@jest/globals';
import { TokenCache, UNCHANGING, type CacheEntry } from './token-cache.js';

function entry(fromMs: number, lifeMs: number): CacheEntry<string> {
  return { value: `from ${fromMs}`, fromMs, untilMs: fromMs + lifeMs, source: UNCHANGING, version: UNCHANGING.version };
}

describe('what a token cache keeps', () => {
  it.each([
    [999, undefined],
    [1_000, 'from 1000'],
    [1_059, 'from 1000'],
    [1_060, undefined],
  ])('is found at %d: %s', (nowMs, found) => {
    const cache = new TokenCache<string>();
    cache.keep('a', entry(1_000, 60));
    expect(cache.find('a', nowMs)).toBe(found);
  });

  it('is nothing that was over before it came', () => {
    const cache = new TokenCache<string>();
    cache.keep('a', entry(1_000, 0));
    expect(cache.size).toBe(0);
  });

  it('makes room for the next from the oldest on', () => {
    const cache = new TokenCache<string>(2);
    for (const [at, id] of ['a', 'b', 'c'].entries()) cache.keep(id, entry(at, 100));
    expect(['a', 'b', 'c'].map((id) => cache.find(id, 10))).toEqual([undefined, 'from 1', 'from 2']);
  });

  it('leaves with the next that comes once it is over, without anybody asking for it', () => {
    const cache = new TokenCache<string>();
    for (const [at, id] of ['a', 'b', 'c'].entries()) cache.keep(id, entry(at, 100));
    cache.keep('d', entry(101, 100));
    expect(cache.size).toBe(2);
    expect([cache.find('c', 101), cache.find('d', 101)]).toEqual(['from 2', 'from 101']);
  });

  it('is not found once the keys changed that it was verified with', () => {
    const source = { version: 1 };
    const cache = new TokenCache<string>();
    cache.keep('a', { ...entry(0, 100), source, version: 1 });
    source.version = 2;
    expect(cache.find('a', 1)).toBeUndefined();
  });

  it('is found by the whole of its id, however long the end is that it shares with others', () => {
    const cache = new TokenCache<string>();
    const end = 'e'.repeat(600);
    cache.keep(`a${end}`, entry(1, 100));
    expect(['', 'b', 'aa', 'A'].map((begin) => cache.find(begin + end, 2))).toEqual(Array(4).fill(undefined));
    expect(cache.find(end.slice(-32), 2)).toBeUndefined();
    expect(cache.find(`a${end}`, 2)).toBe('from 1');
  });

  it('is the later of two with one end, and never the earlier in its place', () => {
    const cache = new TokenCache<string>();
    const end = 'e'.repeat(40);
    cache.keep(`a${end}`, entry(1, 100));
    cache.keep(`b${end}`, entry(2, 100));
    expect([`a${end}`, `b${end}`].map((id) => cache.find(id, 3))).toEqual([undefined, 'from 2']);
    expect(cache.size).toBe(1);
  });
});
