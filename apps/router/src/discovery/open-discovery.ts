/** Chooses the source of a service's endpoints by its settings. */
import { promises as dnsPromises } from 'node:dns';
import { parseAddress } from '@roundhouse/service-kit';
import type { EndpointsConfig, RouterConfig } from '../config.js';
import type { Discovery, OnAddresses } from './discovery.js';
import { DnsDiscovery } from './dns-discovery.js';
import { EndpointSliceDiscovery } from './endpoint-slice-discovery.js';
import { KubernetesApi } from './kubernetes-api.js';

export interface DiscoverySurroundings {
  readonly kubernetes: RouterConfig['kubernetes'];
  readonly onFailure: (error: unknown) => void;
}

export function openDiscovery(config: EndpointsConfig, { kubernetes, onFailure }: DiscoverySurroundings): Discovery {
  if (config.kubernetes !== undefined) {
    const api = new KubernetesApi(kubernetes);
    return new EndpointSliceDiscovery({ ...config.kubernetes, api, onFailure, random: Math.random });
  }
  if (config.dns !== undefined) return new DnsDiscovery({ ...config.dns, lookup: lookupAll, onFailure });
  return new StaticDiscovery(config.addresses);
}

class StaticDiscovery implements Discovery {
  readonly heardAtMs = undefined;

  constructor(private readonly addresses: readonly string[]) {}

  start(onAddresses: OnAddresses): void {
    onAddresses(this.addresses.map(parseAddress).filter((address) => address !== undefined));
  }

  stop(): void {}
}

async function lookupAll(name: string): Promise<readonly string[]> {
  const found = await dnsPromises.lookup(name, { all: true });
  return found.map(({ address }) => address);
}
