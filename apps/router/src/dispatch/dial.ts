/** How connections to the endpoints of one service are opened: with our certificate where we have one, else in the open. */
import { RpcClient, type Address, type TlsIdentity } from '@roundhouse/service-kit';

export type Dial = (address: Address) => RpcClient;

/** `serverName` is what the certificates of the service are made out to. */
export function dialWith(identity: TlsIdentity | undefined, serverName: string | undefined): Dial {
  const tls = identity && serverName !== undefined ? { identity, serverName } : undefined;
  return (address) => new RpcClient(address, tls);
}
