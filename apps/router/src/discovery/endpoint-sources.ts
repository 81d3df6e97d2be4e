/** Checks of the configuration about where services are: one source each, and a name where certificates are asked for. */

interface EndpointSources {
  readonly addresses: readonly unknown[];
  readonly dns?: unknown;
  readonly kubernetes?: unknown;
}

/** Whether anything tells where the service is. */
export function hasEndpoints(sources: EndpointSources): boolean {
  return sourceCount(sources) > 0;
}

export function sourceCount({ addresses, dns, kubernetes }: EndpointSources): number {
  return Number(addresses.length > 0) + Number(dns !== undefined) + Number(kubernetes !== undefined);
}

/** With certificates on the rpc, every service is asked for one that is made out to its name. */
export function findUnnamed({
  rpcTls,
  workers,
  replay,
  peers,
}: UnnamedSearch): { path: (string | number)[]; message: string }[] {
  if (rpcTls === undefined) return [];
  const message = 'is needed with rpcTls';
  const groups = workers.flatMap((group, at) =>
    group.serverName === undefined ? [{ path: ['workers', at, 'serverName'], message }] : [],
  );
  const unnamed = Object.entries({ replay, peers }).flatMap(([service, of]) =>
    hasEndpoints(of) && of.serverName === undefined ? [{ path: [service, 'serverName'], message }] : [],
  );
  return [...groups, ...unnamed];
}

type NamedSources = EndpointSources & { readonly serverName?: string | undefined };

interface UnnamedSearch {
  readonly rpcTls?: unknown;
  readonly workers: readonly { readonly serverName?: string | undefined }[];
  readonly replay: NamedSources;
  readonly peers: NamedSources;
}
