/**
 * Addresses that are nobody's on the public internet (RFC 6890 and its successors): loopback, private, link-local, the
 * metadata services of clouds, and the ways to write them in IPv6. An outbound request steered there is an attack.
 */
import { BlockList, isIP } from 'node:net';

const LOOPBACK = blockListOf(['127.0.0.0/8']);

/** Where the servers of a company live. */
const PRIVATE = blockListOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']);

/** Where no server lives that could be meant, the metadata service of a cloud among them. */
const RESERVED = blockListOf([
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]);

/**
 * A list of its own, because Node judges an IPv4 address by the networks of mapped ones too. With everything that carries
 * an IPv4 address inside: compatible, mapped, translated, Teredo, 6to4.
 */
const RESERVED_V6 = blockListOf([
  ...['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/23', '2002::/16'],
  ...['100::/64', '2001:db8::/32', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]);

/** `::1` lies in a reserved network itself. */
const LOOPBACK_V6: ReadonlySet<string> = new Set(['::1', '0:0:0:0:0:0:0:1']);

export type AddressKind = 'loopback' | 'private' | 'reserved' | 'public';

/** What is no IP address counts as reserved: it is not to be connected to. */
export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address);
  if (family === 4) return kindOf(address, 'ipv4');
  if (LOOPBACK_V6.has(address)) return 'loopback';
  // Before anything else: the other lists would judge a mapped address as what it carries.
  return family === 0 || RESERVED_V6.check(address, 'ipv6') ? 'reserved' : kindOf(address, 'ipv6');
}

function kindOf(address: string, family: 'ipv4' | 'ipv6'): AddressKind {
  if (LOOPBACK.check(address, family)) return 'loopback';
  if (PRIVATE.check(address, family)) return 'private';
  return RESERVED.check(address, family) ? 'reserved' : 'public';
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
