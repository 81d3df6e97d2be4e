/**
 * Owns the worker groups and the current snapshot: starts and stops the connections, merges anew when a group's
 * catalogue changes, and tells listeners which lists became different. Bursts are merged into one change (F-15).
 */
import { Logger } from '@nestjs/common';
import { LIST_KINDS, type ListKind, type WatchItem } from '@roundhouse/contracts';
import type { TlsIdentity } from '@roundhouse/service-kit';
import type { RouterConfig } from '../config.js';
import { dialWith } from '../dispatch/dial.js';
import type { Endpoint } from '../dispatch/endpoint.js';
import { WorkerGroup, type GroupEvents } from '../dispatch/worker-group.js';
import { openDiscovery } from '../discovery/open-discovery.js';
import type { ListPagesOptions } from './list-pages.js';
import type { RouteKind } from './route.js';
import { CatalogueSnapshot } from './snapshot.js';

export interface CatalogueListener {
  listChanged(list: ListKind): void;
  resourceUpdated(uri: string): void;
}

/** Changes within this time are told once: several replicas of a group say the same thing at nearly the same moment. */
const COALESCE_MS = 50;
/** After this long the router takes traffic although a group never answered: those that did must not wait for it. */
const FIRST_DESCRIBE_GRACE_MS = 10_000;

const LIST_OF: Record<RouteKind, ListKind> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resources',
};

export class CatalogueKeeper implements GroupEvents {
  snapshot: CatalogueSnapshot;
  private readonly log = new Logger('catalogue');
  private readonly groups: readonly WorkerGroup[];
  private readonly listeners = new Set<CatalogueListener>();
  private readonly changedLists = new Set<ListKind>();
  private timer: NodeJS.Timeout | undefined;
  private startedMs = 0;
  private reported = '';

  constructor(
    config: Pick<RouterConfig, 'workers' | 'kubernetes'>,
    private readonly pageOptions: ListPagesOptions,
    identity?: TlsIdentity,
  ) {
    this.groups = config.workers.map((group) => {
      const discovery = openDiscovery(group, {
        kubernetes: config.kubernetes,
        onFailure: (error) => this.log.warn(`look-up of group ${group.id} failed: ${describe(error)}`),
      });
      return new WorkerGroup(group.id, group.prefix, { discovery, dial: dialWith(identity, group.serverName) }, this);
    });
    this.snapshot = new CatalogueSnapshot([], pageOptions);
  }

  /** In the order of the configuration. */
  get workerGroups(): readonly WorkerGroup[] {
    return this.groups;
  }

  start(): void {
    this.startedMs = performance.now();
    for (const group of this.groups) group.start();
  }

  stop(): void {
    clearTimeout(this.timer);
    for (const group of this.groups) group.stop();
  }

  listen(listener: CatalogueListener): void {
    this.listeners.add(listener);
  }

  /** Undefined when every group has described itself once, or has had its time to, and there is something to offer. */
  whyNotReady(): string | undefined {
    const silent = this.silentGroups();
    const nothing = silent.length > 0 && silent.length === this.groups.length;
    if (nothing || (silent.length > 0 && !this.hasWaited())) return `no worker yet in ${silent.join(', ')}`;
    return undefined;
  }

  /** The same, but content with nothing once workers had their time: a restart would not bring them. */
  whyNotStarted(): string | undefined {
    return this.hasWaited() ? undefined : this.whyNotReady();
  }

  private silentGroups(): string[] {
    return this.groups.filter((group) => group.catalogue === undefined).map((group) => group.id);
  }

  private hasWaited(): boolean {
    return performance.now() - this.startedMs > FIRST_DESCRIBE_GRACE_MS;
  }

  catalogueChanged(_group: WorkerGroup, missedSome: boolean): void {
    const before = this.snapshot;
    this.snapshot = new CatalogueSnapshot(this.groups, this.pageOptions);
    this.reportLeftOut();
    for (const kind of Object.keys(LIST_OF) as RouteKind[]) {
      if (missedSome || before.pages[kind].hash !== this.snapshot.pages[kind].hash) this.tell(LIST_OF[kind]);
    }
  }

  /** What callers see of the lists may have become different although the lists did not. */
  visibilityChanged(): void {
    for (const list of LIST_KINDS) this.tell(list);
  }

  watchItem(_group: WorkerGroup, item: WatchItem): void {
    if (item.kind === 'list_changed') this.tell(item.list);
    if (item.kind === 'resource_updated') for (const listener of this.listeners) listener.resourceUpdated(item.uri);
  }

  endpointLost(group: WorkerGroup, endpoint: Endpoint, error: unknown): void {
    this.log.warn(`worker ${endpoint.name} of group ${group.id} is unreachable: ${describe(error)}`);
  }

  private tell(list: ListKind): void {
    this.changedLists.add(list);
    this.timer ??= setTimeout(() => this.flush(), COALESCE_MS);
  }

  private flush(): void {
    this.timer = undefined;
    const lists = [...this.changedLists];
    this.changedLists.clear();
    for (const list of lists) for (const listener of this.listeners) listener.listChanged(list);
  }

  /** Said once per change of what is left out, not at every merge. */
  private reportLeftOut(): void {
    const report = this.snapshot.leftOut
      .map(({ group, kind, name, why }) => `${kind} ${name} of group ${group}: ${why}`)
      .join('; ');
    if (report !== this.reported && report !== '') this.log.warn(`left out of the catalogue: ${report}`);
    this.reported = report;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
