/**
 * All replicas of one worker. Keeps the set that discovery names connected, knows what the group offers, and hands out
 * the endpoint for a call. An empty or failing discovery never empties what is known.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { WatchItem, WorkerCatalogue } from '@roundhouse/contracts';
import { formatAddress, type Address } from '@roundhouse/service-kit';
import type { Discovery } from '../discovery/discovery.js';
import { chooseEndpoint } from './endpoint-choice.js';
import { Endpoint, type EndpointEvents } from './endpoint.js';

export interface GroupEvents {
  catalogueChanged(group: WorkerGroup, missedSome: boolean): void;
  watchItem(group: WorkerGroup, item: WatchItem): void;
  endpointLost(group: WorkerGroup, endpoint: Endpoint, error: unknown): void;
}

export interface Wanted {
  /** The entry the endpoint must offer; asked only while replicas differ. */
  offers(catalogue: WorkerCatalogue): boolean;
  /** A flow goes on where it began if replicas differ (DSC-4). */
  readonly catalogueHash?: string;
  /** `host:port` of the one endpoint that can go on. */
  readonly owner?: string;
}

export class WorkerGroup implements EndpointEvents {
  /** What the replica described last offers; kept when all replicas are gone. */
  catalogue: WorkerCatalogue | undefined;
  /** Replicas offer different things, as during a rolling update. */
  diverges = false;
  private readonly endpoints = new Map<string, Endpoint>();

  constructor(
    readonly id: string,
    readonly prefix: string,
    private readonly discovery: Discovery,
    private readonly events: GroupEvents,
  ) {}

  /** Replicas that take new calls. */
  get readyCount(): number {
    return [...this.endpoints.values()].filter(({ state }) => state === 'ready').length;
  }

  /** Those that discovery names, and those that finish what they have. */
  get replicas(): readonly Endpoint[] {
    return [...this.endpoints.values()];
  }

  start(): void {
    this.discovery.start((addresses) => this.reconcile(addresses));
  }

  stop(): void {
    this.discovery.stop();
    for (const endpoint of this.endpoints.values()) endpoint.close();
    this.endpoints.clear();
  }

  /** The endpoint that shall take a call; throws `worker_unavailable` when none can. */
  choose(wanted: Wanted, excluded: ReadonlySet<Endpoint> | undefined): Endpoint {
    if (wanted.owner !== undefined) return this.owner(wanted.owner);
    const ready = this.ready(wanted, excluded);
    const nowMs = performance.now();
    const healthy = ready.filter((endpoint) => !endpoint.health.isAside(nowMs));
    // With every replica set aside, trying one beats refusing all.
    const endpoint = chooseEndpoint(healthy.length > 0 ? healthy : ready, nowMs, Math.random);
    if (endpoint !== undefined) return endpoint;
    throw unavailable(this.id);
  }

  described(endpoint: Endpoint, again: boolean): void {
    this.catalogue = endpoint.catalogue;
    this.compare();
    this.events.catalogueChanged(this, again);
  }

  changed(_endpoint: Endpoint, item: WatchItem): void {
    this.events.watchItem(this, item);
  }

  lost(endpoint: Endpoint, error: unknown): void {
    this.compare();
    this.events.endpointLost(this, endpoint, error);
  }

  private ready(wanted: Wanted, excluded: ReadonlySet<Endpoint> | undefined): Endpoint[] {
    const ready: Endpoint[] = [];
    for (const endpoint of this.endpoints.values()) {
      if (endpoint.state !== 'ready' || excluded?.has(endpoint)) continue;
      if (this.diverges && !(endpoint.catalogue && wanted.offers(endpoint.catalogue))) continue;
      ready.push(endpoint);
    }
    if (!this.diverges || wanted.catalogueHash === undefined) return ready;
    const same = ready.filter((endpoint) => endpoint.catalogue?.hash === wanted.catalogueHash);
    return same.length > 0 ? same : ready;
  }

  private owner(address: string): Endpoint {
    const endpoint = this.endpoints.get(address);
    if (endpoint === undefined || (endpoint.state !== 'ready' && endpoint.state !== 'draining'))
      throw unavailable(this.id);
    return endpoint;
  }

  private reconcile(addresses: readonly Address[]): void {
    const named = new Map(addresses.map((address) => [formatAddress(address), address]));
    for (const [name, endpoint] of this.endpoints) {
      if (named.has(name)) continue;
      // Calls in flight on it end with the worker itself; it gets no new ones.
      this.endpoints.delete(name);
      if (endpoint.inFlight === 0) endpoint.close();
      else endpoint.state = 'draining';
    }
    for (const [name, address] of named) {
      if (this.endpoints.has(name)) continue;
      const endpoint = new Endpoint(address, this);
      this.endpoints.set(name, endpoint);
      endpoint.start();
    }
    this.compare();
  }

  private compare(): void {
    const hashes = new Set<string>();
    for (const { state, catalogue } of this.endpoints.values())
      if (state === 'ready' && catalogue) hashes.add(catalogue.hash);
    this.diverges = hashes.size > 1;
  }
}

function unavailable(group: string): RoundhouseError {
  return new RoundhouseError('worker_unavailable', { reason: 'worker_none_known', retryAfterS: 1, facts: { group } });
}
