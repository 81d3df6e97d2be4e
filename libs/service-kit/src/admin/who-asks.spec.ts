import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { isLocalPeer } from './who-asks.js';

function from(remoteAddress: string | undefined, remoteFamily?: string): IncomingMessage {
  return { socket: { remoteAddress, remoteFamily } } as IncomingMessage;
}

it.each([
  ['127.0.0.1', 'IPv4'],
  ['127.8.9.1', 'IPv4'],
  ['::1', 'IPv6'],
  ['::ffff:127.0.0.1', 'IPv6'],
])('%s is the machine itself', (address, family) => {
  expect(isLocalPeer(from(address, family))).toBe(true);
});

it.each([
  ['10.0.0.1', 'IPv4'],
  ['128.0.0.1', 'IPv4'],
  ['::ffff:10.0.0.1', 'IPv6'],
  ['fe80::1', 'IPv6'],
  ['::', 'IPv6'],
  ['', undefined],
  [undefined, undefined],
])('%s is not', (address, family) => {
  expect(isLocalPeer(from(address, family))).toBe(false);
});
