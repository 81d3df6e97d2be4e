/**
 * Where a service's endpoints are: fixed addresses, or the records of a DNS name looked up again and again. A failing
 * look-up keeps the last known set (DSC-2).
 */
import { promises as dnsPromises } from 'node:dns';
import { parseAddress, type Address } from '@roundhouse/service-kit';
import type { EndpointsConfig } from '../config.js';

/** Calls back with the whole set whenever it is known anew. */
export type OnAddresses = (addresses: readonly Address[]) => void;
export type Lookup = (name: string) => Promise<readonly string[]>;

export interface Discovery {
  start(onAddresses: OnAddresses): void;
  stop(): void;
}

export function discoveryFor(config: EndpointsConfig, onFailure: (error: unknown) => void): Discovery {
  if (config.dns === undefined) return new StaticDiscovery(config.addresses);
  return new DnsDiscovery({ ...config.dns, lookup: lookupAll, onFailure });
}

class StaticDiscovery implements Discovery {
  constructor(private readonly addresses: readonly string[]) {}

  start(onAddresses: OnAddresses): void {
    onAddresses(this.addresses.map(parseAddress).filter((address) => address !== undefined));
  }

  stop(): void {}
}

export interface DnsOptions {
  readonly name: string;
  readonly port: number;
  readonly refreshMs: number;
  readonly lookup: Lookup;
  readonly onFailure: (error: unknown) => void;
}

export class DnsDiscovery implements Discovery {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: DnsOptions) {}

  start(onAddresses: OnAddresses): void {
    void this.refresh(onAddresses);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async refresh(onAddresses: OnAddresses): Promise<void> {
    const { name, port, refreshMs, lookup, onFailure } = this.options;
    try {
      const hosts = await lookup(name);
      if (!this.stopped && hosts.length > 0) onAddresses(hosts.map((host) => ({ host, port })));
    } catch (error) {
      onFailure(error);
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.refresh(onAddresses), refreshMs);
    this.timer.unref();
  }
}

async function lookupAll(name: string): Promise<readonly string[]> {
  const found = await dnsPromises.lookup(name, { all: true });
  return found.map(({ address }) => address);
}
