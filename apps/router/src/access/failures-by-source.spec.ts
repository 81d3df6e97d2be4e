import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@roundhouse/testing';
import fc from 'fast-check';
import { FailuresBySource, SOURCES_MAX } from './failures-by-source.js';

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});
const failures = (perMinute = 60, burst = 5): FailuresBySource =>
  new FailuresBySource({ perMinute, burst, now: clock.now });
const allowed = (table: FailuresBySource, address: string, times: number): number =>
  Array.from({ length: times }, () => table.note(address)).filter((waitMs) => waitMs === 0).length;

describe('failures of one source', () => {
  it('are allowed in a burst, and then at the rate', () => {
    const table = failures();
    expect(allowed(table, '203.0.113.9', 50)).toBe(5);
    clock.advance(2_000);
    expect(allowed(table, '203.0.113.9', 50)).toBe(2);
  });

  it('tell how long to wait', () => {
    const table = failures();
    allowed(table, '203.0.113.9', 5);
    expect(table.waitMs('203.0.113.9')).toBe(1_000);
    clock.advance(1_000);
    expect(table.waitMs('203.0.113.9')).toBe(0);
  });

  it('do not keep it out for longer because it goes on', () => {
    const table = failures();
    allowed(table, '203.0.113.9', 10_000);
    clock.advance(1_000);
    expect(table.waitMs('203.0.113.9')).toBe(0);
  });

  it('are not saved up beyond the burst', () => {
    const table = failures();
    allowed(table, '203.0.113.9', 1);
    clock.advance(86_400_000);
    expect(allowed(table, '203.0.113.9', 50)).toBe(5);
  });

  it('are nothing to another', () => {
    const table = failures();
    allowed(table, '203.0.113.9', 50);
    expect([table.waitMs('203.0.113.10'), allowed(table, '203.0.113.10', 50)]).toEqual([0, 5]);
  });

  it.each([
    ['an address of the same 64 bits', '2001:db8::1', '2001:db8::ffff:2'],
    ['another way to write it', '2001:db8:0:0:1::', '2001:0db8::1:0:0:0'],
    ['what ends like IPv4', '2001:db8:1:2::1.2.3.4', '2001:db8:1:2::9'],
    ['what is no address, all together', '', 'nonsense'],
  ])('are those of %s', (_name, one, other) => {
    const table = failures();
    allowed(table, one, 50);
    expect(table.waitMs(other)).toBeGreaterThan(0);
  });

  it.each([
    ['the network beside it', '2001:db8:0:1::1', '2001:db8:0:2::1'],
    ['another one far from it', '2001:db8::1', '2002:db8::1'],
    ['a short one', '::1', '1::'],
    ['IPv4', '::1', '127.0.0.1'],
  ])('are not those of %s', (_name, one, other) => {
    const table = failures();
    allowed(table, one, 50);
    expect(table.waitMs(other)).toBe(0);
  });

  it('hold back one that fails much, while a hundred thousand others fail once [B108]', () => {
    const table = failures(60, 50);
    expect(allowed(table, '203.0.113.9', 60)).toBe(50);
    for (let at = 0; at < 100_000; at += 1) table.note(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
    expect(table.waitMs('203.0.113.9')).toBeGreaterThan(0);
  });

  it('are never counted stricter than each source for itself, however many there are', () => {
    const event = fc.record({ source: fc.nat(2 * SOURCES_MAX), passMs: fc.nat(500) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 400 }), (events) => {
        const table = failures(60, 2);
        const exact = new Map<number, { count: number; atMs: number }>();
        for (const { source, passMs } of events) {
          clock.advance(passMs);
          const known = exact.get(source) ?? { count: 0, atMs: clock.now() };
          const count = Math.max(0, known.count - (clock.now() - known.atMs) / 1_000);
          const isRefused = table.note(`10.0.${source >> 8}.${source & 255}`) > 0;
          if (isRefused) expect(count + 1).toBeGreaterThan(2);
          exact.set(source, { count: isRefused ? count : count + 1, atMs: clock.now() });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are counted exactly while there are few sources', () => {
    const table = failures();
    const addresses = Array.from({ length: 64 }, (_, at) => `198.51.100.${at}`);
    for (const address of addresses) expect(allowed(table, address, 7)).toBe(5);
    for (const address of addresses) expect(table.waitMs(address)).toBeGreaterThan(0);
  });
});
