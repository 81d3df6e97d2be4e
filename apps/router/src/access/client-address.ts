/**
 * Where a request comes from: the peer of its connection, or, behind proxies that the operator named, whoever the last of
 * them says it had it from. Everything further left in `X-Forwarded-For` was written by somebody we have no reason to
 * believe (B108).
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** More proxies than anybody has in a row. */
const HOPS_MAX = 16;
const MAPPED = '::ffff:';

export class ClientAddress {
  private readonly trusted = new BlockList();

  /** @param proxies Addresses, or networks such as `10.0.0.0/8`; see `isNetwork`. */
  constructor(proxies: readonly string[]) {
    for (const proxy of proxies) {
      const { address, prefix, family } = readNetwork(proxy);
      this.trusted.addSubnet(address, prefix, family);
    }
  }

  /** An IP address; empty when the connection is gone. */
  of({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
    let address = plainAddress(socket.remoteAddress ?? '');
    const { 'x-forwarded-for': header } = headers;
    // Node joins what is repeated with a comma.
    let rest = typeof header === 'string' ? header : '';
    for (let hops = 0; hops < HOPS_MAX && rest !== '' && this.isTrusted(address); hops += 1) {
      const comma = rest.lastIndexOf(',');
      const next = plainAddress(rest.slice(comma + 1).trim());
      // A proxy that hides its client is as far as we can see.
      if (isIP(next) === 0) break;
      address = next;
      rest = comma === -1 ? '' : rest.slice(0, comma);
    }
    return address;
  }

  private isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.trusted.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}

export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : -1;
  const isWhole = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && isWhole && rest.length === 0 && !address.includes('%');
}

function readNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', prefix] = text.split('/');
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return { address, prefix: Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family };
}

/** Without a port, brackets, a zone, or the prefix by which IPv6 sockets write IPv4. */
function plainAddress(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  const withPort = /^([\d.]+):\d+$/.exec(text)?.[1];
  const [address = ''] = (bracketed ?? withPort ?? text).split('%');
  return address.toLowerCase().startsWith(MAPPED) && isIPv4(address.slice(MAPPED.length))
    ? address.slice(MAPPED.length)
    : address;
}
