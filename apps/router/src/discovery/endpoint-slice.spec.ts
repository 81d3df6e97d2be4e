import { describe, expect, it } from '@jest/globals';
import { endpointSliceSchema, readyAddresses, type EndpointSlice } from './endpoint-slice.js';

const slice = (name: string, rest: Partial<EndpointSlice>): EndpointSlice => ({
  metadata: { name },
  addressType: 'IPv4',
  ports: [{ name: 'rpc', port: 4000 }],
  ...rest,
});
const pod = (address: string, ready?: boolean | null, uid?: string) => ({
  addresses: [address],
  conditions: { ready },
  targetRef: { uid: uid ?? address },
});
const hosts = (...slices: EndpointSlice[]): string[] =>
  readyAddresses(slices, { portName: 'rpc' }).map(({ host }) => host);

describe('the ready addresses of EndpointSlices', () => {
  it('leave out a pod that is not ready, and take one of unknown readiness', () => {
    const endpoints = [
      pod('10.0.0.1', true),
      pod('10.0.0.2', false),
      pod('10.0.0.3', null),
      { addresses: ['10.0.0.4'] },
    ];
    expect(hosts(slice('a', { endpoints }))).toEqual(['10.0.0.1', '10.0.0.3', '10.0.0.4']);
  });

  it('name a pod once although it stands in two slices', () => {
    const a = slice('a', { endpoints: [pod('10.0.0.1')] });
    const b = slice('b', { endpoints: [pod('10.0.0.1'), pod('10.0.0.2')] });
    expect(hosts(b, a)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('name a dual-stack pod once, by its IPv4 address', () => {
    const six = slice('a', { addressType: 'IPv6', endpoints: [pod('fd00::1', true, 'pod')] });
    const four = slice('b', { endpoints: [pod('10.0.0.1', true, 'pod')] });
    expect(hosts(six, four)).toEqual(['10.0.0.1']);
  });

  it('are the IPv6 ones where there are no others', () => {
    const six = slice('a', { addressType: 'IPv6', endpoints: [pod('fd00::1')] });
    expect(readyAddresses([six], { portName: 'rpc' })).toEqual([{ host: 'fd00::1', port: 4000 }]);
  });

  it.each([
    ['a port of another name', { ports: [{ name: 'http', port: 80 }] }],
    ['a port without a number', { ports: [{ name: 'rpc' }] }],
    ['no port', { ports: null }],
    ['no endpoint', { endpoints: null }],
    ['names instead of addresses', { addressType: 'FQDN', endpoints: [pod('worker.example.com')] }],
    ['an address that is none', { endpoints: [pod('10.0.0.1; rm')] }],
  ])('are none where a slice has %s', (_what, rest) => {
    expect(hosts(slice('a', { endpoints: [pod('10.0.0.1')], ...rest } as Partial<EndpointSlice>))).toEqual([]);
  });

  it('have the port that speaks the protocol where one is named, whatever its name', () => {
    const ports = [
      { name: 'rpc', port: 4000 },
      { name: 'web', port: 4100, appProtocol: 'roundhouse.dev/rpc' },
    ];
    const marked = slice('a', { ports, endpoints: [pod('10.0.0.1')] });
    const choice = { portName: 'rpc', appProtocol: 'roundhouse.dev/rpc' };
    expect(readyAddresses([marked], choice)).toEqual([{ host: '10.0.0.1', port: 4100 }]);
  });

  it('are none where no port speaks the protocol that is named, even under the usual name', () => {
    const ports = [{ name: 'rpc', port: 4000, appProtocol: 'agentgateway.dev/mcp' }];
    const foreign = slice('a', { ports, endpoints: [pod('10.0.0.1')] });
    expect(readyAddresses([foreign], { portName: 'rpc', appProtocol: 'roundhouse.dev/rpc' })).toEqual([]);
  });

  it('do not depend on the order in which slices came', () => {
    const a = slice('a', { endpoints: [pod('10.0.0.2')] });
    const b = slice('b', { endpoints: [pod('10.0.0.1')] });
    expect(hosts(a, b)).toEqual(hosts(b, a));
  });

  it.each([
    [{}],
    [{ metadata: {}, addressType: 'IPv4' }],
    [{ metadata: { name: 'a' } }],
    [{ metadata: { name: 'a' }, addressType: 'IPv4', ports: [{ name: 'rpc', port: 0 }] }],
    [{ metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [{ addresses: [] }] }],
  ])('are not read from %j', (object) => {
    expect(endpointSliceSchema.safeParse(object).success).toBe(false);
  });
});
