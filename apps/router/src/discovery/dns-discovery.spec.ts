import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DnsDiscovery, type Lookup } from './dns-discovery.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function dns(lookup: Lookup) {
  const seen: unknown[] = [];
  const failures: unknown[] = [];
  const discovery = new DnsDiscovery({
    name: 'workers',
    port: 4000,
    refreshMs: 1_000,
    lookup,
    onFailure: (error) => failures.push(error),
  });
  discovery.start((addresses) => seen.push(addresses.map(({ host, port }) => `${host} ${port}`)));
  return { discovery, seen, failures };
}

describe('discovery by name', () => {
  it('looks a name up again and again', async () => {
    const answers = [['10.0.0.1'], ['10.0.0.1', '10.0.0.2']];
    const { discovery, seen } = dns(async () => answers.shift() ?? []);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(seen).toEqual([['10.0.0.1 4000'], ['10.0.0.1 4000', '10.0.0.2 4000']]);
    discovery.stop();
  });

  it('keeps what it knows when a look-up fails or finds nothing', async () => {
    const answers: (() => string[])[] = [
      () => ['10.0.0.1'],
      () => {
        throw new Error('SERVFAIL');
      },
      () => [],
    ];
    const { discovery, seen, failures } = dns(async () => (answers.shift() ?? (() => []))());
    await jest.advanceTimersByTimeAsync(3_000);
    expect(seen).toEqual([['10.0.0.1 4000']]);
    expect(failures).toHaveLength(1);
    discovery.stop();
  });

  it('says nothing more once it was stopped, even if a look-up was under way', async () => {
    const { discovery, seen } = dns(async () => ['10.0.0.1']);
    discovery.stop();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(seen).toEqual([]);
  });
});
