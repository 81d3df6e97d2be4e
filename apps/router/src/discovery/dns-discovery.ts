/** The A and AAAA records of a name, looked up again and again. A failing or empty look-up keeps the last known set. */
import type { Discovery, OnAddresses } from './discovery.js';

export type Lookup = (name: string) => Promise<readonly string[]>;

export interface DnsOptions {
  readonly name: string;
  readonly port: number;
  readonly refreshMs: number;
  readonly lookup: Lookup;
  readonly onFailure: (error: unknown) => void;
}

export class DnsDiscovery implements Discovery {
  heardAtMs: number | undefined;
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
      this.heardAtMs = performance.now();
      if (!this.stopped && hosts.length > 0) onAddresses(hosts.map((host) => ({ host, port })));
    } catch (error) {
      onFailure(error);
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.refresh(onAddresses), refreshMs);
    this.timer.unref();
  }
}
