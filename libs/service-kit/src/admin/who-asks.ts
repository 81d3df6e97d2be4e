/**
 * Two questions about a request to the admin port: under which name was it addressed, and did it come from the machine
 * itself. `kubectl port-forward` and `kubectl exec` arrive on loopback, other pods never do.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Ends of names that nobody can own on the internet. */
const PRIVATE_ENDS = ['.localhost', '.svc', '.local', '.internal'];

/**
 * An address, a name without dots, or a name that only a cluster knows. A browser that was led here by a name of the
 * internet (DNS rebinding) says that name.
 */
export function isPrivateHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return !name.includes('.') || PRIVATE_ENDS.some((end) => name.endsWith(end));
}

export function isLocalPeer({ socket }: IncomingMessage): boolean {
  const { remoteAddress = '', remoteFamily } = socket;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(remoteAddress)?.[1];
  if (mapped !== undefined) return LOOPBACK.check(mapped, 'ipv4');
  return isIP(remoteAddress) !== 0 && LOOPBACK.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');
}
