/** `host:port` as written in configuration and carried as an owner; IPv6 hosts stand in brackets. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})$/;

export function parseAddress(text: string): Address | undefined {
  const match = ADDRESS.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  const host = match[1] ?? match[2];
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
