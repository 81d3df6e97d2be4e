/**
 * All replicas of one worker. Keeps the set that discovery names connected, knows what the group offers, and hands out
 * the endpoint for a call. An empty or failing discovery never empties what is known.
 */
import { RoundhouseError } from '@roundhouse/errors';
import type { WatchItem, WorkerCatalogue } from '@roundhouse/contracts';
import { formatAddress, type Address } from '@roundhouse/service-kit';
import type { Discovery } from '../discovery/discovery.js';
import type { Dial } from './dial.js';
import { chooseEndpoint } from './endpoint-choice.js';
import { Endpoint, type EndpointEvents } from './endpoint.js';
import { WaitingCalls, type WaitingCall } from './waiting-calls.js';

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

/** Where the replicas are, and how they are called. */
export interface Reach {
  readonly discovery: Discovery;
  readonly dial: Dial;
}

export class WorkerGroup implements EndpointEvents {
  /** What the replica described last offers; kept when all replicas are gone. */
  catalogue: WorkerCatalogue | undefined;
  /** Replicas offer different things, as during a rolling update. */
  diverges = false;
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly waiting = new WaitingCalls();
  private ejectionsOfGone = 0;

  constructor(
    readonly id: string,
    readonly prefix: string,
    private readonly reach: Reach,
    private readonly events: GroupEvents,
  ) {}

  /** Replicas that take new calls. */
  get readyCount(): number {
    return [...this.endpoints.values()].filter(({ state }) => state === 'ready').length;
  }

  /** Calls for which no replica has room now. */
  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Those that discovery names, and those that finish what they have. */
  get replicas(): Iterable<Endpoint> {
    return this.endpoints.values();
  }

  /** How often a replica was set aside, those included that are gone. */
  get ejections(): number {
    return [...this.endpoints.values()].reduce((sum, { health }) => sum + health.ejections, this.ejectionsOfGone);
  }

  endpoint(name: string): Endpoint | undefined {
    return this.endpoints.get(name);
  }

  start(): void {
    this.reach.discovery.start((addresses) => this.reconcile(addresses));
  }

  stop(): void {
    this.reach.discovery.stop();
    for (const endpoint of this.endpoints.values()) endpoint.close();
    this.endpoints.clear();
  }

  /**
   * The endpoint that shall take a call; undefined while those that can have no room, or others wait for it.
   * @throws RoundhouseError `worker_unavailable` when none can
   */
  choose(wanted: Wanted, excluded: ReadonlySet<Endpoint> | undefined): Endpoint | undefined {
    // What goes on at one endpoint has its place there already.
    if (wanted.owner !== undefined) return this.owner(wanted.owner);
    return this.waiting.size > 0 ? undefined : this.chooseNow(wanted, excluded);
  }

  /** The same for a call whose turn it is. */
  chooseNow(wanted: Wanted, excluded: ReadonlySet<Endpoint> | undefined): Endpoint | undefined {
    const ready = this.ready(wanted, excluded);
    if (ready.length === 0) throw unavailable(this.id);
    const nowMs = performance.now();
    const healthy = ready.filter((endpoint) => !endpoint.health.isAside(nowMs));
    // With every replica set aside, trying one beats refusing all.
    return chooseEndpoint(withRoom(healthy.length > 0 ? healthy : ready), nowMs, Math.random);
  }

  /** Lets a call wait for room. The function that comes back takes it out again. */
  wait(call: WaitingCall): () => void {
    let runningMax = 0;
    for (const { state, limit } of this.endpoints.values()) if (state === 'ready') runningMax += limit.max;
    return this.waiting.add(call, runningMax);
  }

  /** An endpoint has room again. */
  freed(): void {
    if (this.waiting.size > 0) this.waiting.serve();
  }

  described(endpoint: Endpoint, again: boolean): void {
    this.catalogue = endpoint.catalogue;
    this.compare();
    this.events.catalogueChanged(this, again);
    this.freed();
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
      this.ejectionsOfGone += endpoint.health.ejections;
      if (endpoint.inFlight === 0) endpoint.close();
      else endpoint.state = 'draining';
    }
    for (const [name, address] of named) {
      if (this.endpoints.has(name)) continue;
      const endpoint = new Endpoint(this.reach.dial(address), this);
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

/** The same array when all have, which is the rule. */
function withRoom(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  for (const { inFlight, limit } of endpoints)
    if (inFlight >= limit.max) return endpoints.filter((endpoint) => endpoint.inFlight < endpoint.limit.max);
  return endpoints;
}

function unavailable(group: string): RoundhouseError {
  return new RoundhouseError('worker_unavailable', { reason: 'worker_none_known', retryAfterS: 1, facts: { group } });
}
