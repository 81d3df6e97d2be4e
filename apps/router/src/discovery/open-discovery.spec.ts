import { describe, expect, it } from '@jest/globals';
import { DnsDiscovery } from './dns-discovery.js';
import { EndpointSliceDiscovery } from './endpoint-slice-discovery.js';
import { openDiscovery } from './open-discovery.js';

const surroundings = {
  kubernetes: { url: 'http://127.0.0.1:1', tokenFile: '/token', caFile: '/ca', namespaceFile: '/namespace' },
  onFailure: () => undefined,
};

describe('the discovery of a service', () => {
  it('gives fixed addresses once', () => {
    const seen: unknown[] = [];
    openDiscovery({ addresses: ['127.0.0.1:4001', '[::1]:4002'] }, surroundings).start((each) => seen.push(each));
    expect(seen).toEqual([
      [
        { host: '127.0.0.1', port: 4001 },
        { host: '::1', port: 4002 },
      ],
    ]);
  });

  it('is by name or by EndpointSlices as the settings say', () => {
    const dns = { name: 'workers', port: 4000, refreshMs: 1_000 };
    expect(openDiscovery({ addresses: [], dns }, surroundings)).toBeInstanceOf(DnsDiscovery);
    const kubernetes = { service: 'workers', portName: 'rpc' };
    expect(openDiscovery({ addresses: [], kubernetes }, surroundings)).toBeInstanceOf(EndpointSliceDiscovery);
  });
});
