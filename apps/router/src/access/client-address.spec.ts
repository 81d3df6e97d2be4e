import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { ClientAddress, isNetwork } from './client-address.js';

const PROXIES = ['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7'];
const addressOf = (peer: string | undefined, forwarded?: string, proxies: readonly string[] = PROXIES): string =>
  new ClientAddress(proxies).of({
    socket: { remoteAddress: peer } as IncomingMessage['socket'],
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('the address of a client', () => {
  it.each([
    ['a peer that is no proxy of ours', '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['a proxy, whose word is taken', '10.1.2.3', '1.2.3.4', '1.2.3.4'],
    ['a proxy by IPv6', '2001:db8:1::5', '2001:db8:2::9', '2001:db8:2::9'],
    ['a proxy that an IPv6 socket writes as IPv4', '::ffff:10.1.2.3', '1.2.3.4', '1.2.3.4'],
    ['two proxies in a row', '10.1.2.3', '1.2.3.4, 192.0.2.7', '1.2.3.4'],
    ['what a client wrote before a proxy did', '10.1.2.3', '6.6.6.6, 7.7.7.7, 1.2.3.4', '1.2.3.4'],
    ['a client that names our proxies', '10.1.2.3', '10.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['a proxy that hides whom it serves', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['nonsense left of a proxy', '10.1.2.3', '1.2.3.4, <script>, 192.0.2.7', '192.0.2.7'],
    ['a header that is empty', '10.1.2.3', '', '10.1.2.3'],
    ['a header of commas', '10.1.2.3', ',,,,', '10.1.2.3'],
    ['no header', '10.1.2.3', undefined, '10.1.2.3'],
    ['only proxies', '10.1.2.3', '10.4.4.4, 10.5.5.5', '10.4.4.4'],
    ['an address with a port', '10.1.2.3', '1.2.3.4:5678', '1.2.3.4'],
    ['an IPv6 address with a port', '10.1.2.3', '[2001:db8::9]:443', '2001:db8::9'],
    ['an address with a zone', '10.1.2.3', 'fe80::1%eth0', 'fe80::1'],
    ['a connection that is gone', undefined, '1.2.3.4', ''],
  ])('for %s', (_name, peer, forwarded, address) => {
    expect(addressOf(peer, forwarded)).toBe(address);
  });

  it('is the peer where no proxy is named, whatever is forwarded [B108]', () => {
    for (const forwarded of ['1.2.3.4', '127.0.0.1', '10.0.0.1, 10.0.0.2'])
      expect(addressOf('127.0.0.1', forwarded, [])).toBe('127.0.0.1');
  });

  it('is looked for through so many proxies and no more', () => {
    const forwarded = ['1.2.3.4', ...Array.from({ length: 500 }, () => '10.0.0.1')].join(', ');
    expect(addressOf('10.0.0.1', forwarded)).toBe('10.0.0.1');
  });
});

describe('networks of proxies', () => {
  it.each(['10.0.0.0/8', '10.0.0.1', '::1', 'fd00::/8', '0.0.0.0/0'])('may be %s', (text) => {
    expect(isNetwork(text)).toBe(true);
  });

  it.each([
    '',
    'ingress',
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'fe80::1%eth0',
    '1.2.3.4/-1',
  ])('may not be %j', (text) => {
    expect(isNetwork(text)).toBe(false);
  });
});
