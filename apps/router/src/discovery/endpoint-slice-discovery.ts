/**
 * Follows the EndpointSlices of a Service, or of all Services that carry certain labels: lists them, then watches from the version of the list (DSC-1). A watch that
 * ends is taken up where it stopped; one whose version is too old (410) begins again with a list, as everything does
 * every five minutes in case an event was lost. While the API server is away the last known set stands.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { formatAddress } from '@roundhouse/service-kit';
import { z } from 'zod';
import type { Discovery, OnAddresses } from './discovery.js';
import { endpointSliceSchema, readyAddresses, type EndpointSlice, type PortChoice } from './endpoint-slice.js';
import { KubernetesRefusal, type KubernetesApi } from './kubernetes-api.js';

const RESYNC_MS = 5 * 60_000;
/** The server ends a watch after this long, so that one whose path is dead does not look like a quiet one for ever. */
const WATCH_S = 240;
const PAGE_SIZE = 500;
/** 1,000 slices hold 100,000 endpoints by default. */
const SLICES_MAX = 1_000;
const PAUSE_FIRST_MS = 200;
const PAUSE_MAX_MS = 10_000;
const GONE = 410;

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().nullish() }),
  items: z.array(endpointSliceSchema).max(PAGE_SIZE),
});
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: endpointSliceSchema.and(versioned()) }),
  z.object({ type: z.literal('BOOKMARK'), object: versioned() }),
  z.object({ type: z.literal('ERROR'), object: z.object({ code: z.int().nullish() }) }),
]);

export interface EndpointSliceOptions extends PortChoice {
  /** Name of the Service; undefined where `selector` stands for it. */
  readonly service?: string | undefined;
  /** Labels of Services, which their slices repeat. */
  readonly selector?: string | undefined;
  /** By default the namespace of this pod. */
  readonly namespace?: string | undefined;
  readonly api: KubernetesApi;
  readonly onFailure: (error: unknown) => void;
  readonly random: () => number;
}

export class EndpointSliceDiscovery implements Discovery {
  heardAtMs: number | undefined;
  private readonly stopping = new AbortController();
  private readonly slices = new Map<string, EndpointSlice>();
  /** Where the watch goes on; undefined while only a list can tell. */
  private version: string | undefined;
  private listedAtMs = 0;
  private told = '';
  private failures = 0;
  private reported: string | undefined;

  constructor(private readonly options: EndpointSliceOptions) {}

  start(onAddresses: OnAddresses): void {
    void this.follow(onAddresses);
  }

  stop(): void {
    this.stopping.abort();
  }

  private async follow(onAddresses: OnAddresses): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (this.version === undefined || performance.now() - this.listedAtMs > RESYNC_MS) await this.list(onAddresses);
        await this.watch(onAddresses);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) this.version = undefined;
        else this.report(error);
      }
      await this.pauseBetween();
    }
  }

  private async list(onAddresses: OnAddresses): Promise<void> {
    const found: EndpointSlice[] = [];
    let next: string | undefined;
    do {
      const page = listSchema.parse(await this.options.api.document(await this.path({ next }), this.stopping.signal));
      found.push(...page.items);
      if (found.length > SLICES_MAX) throw new Error(`more than ${SLICES_MAX} EndpointSlices`);
      next = page.metadata.continue || undefined;
      this.version = next === undefined ? page.metadata.resourceVersion : undefined;
    } while (next !== undefined);
    this.slices.clear();
    for (const slice of found) this.slices.set(slice.metadata.name, slice);
    this.listedAtMs = performance.now();
    this.heard();
    this.tell(onAddresses);
  }

  private async watch(onAddresses: OnAddresses): Promise<void> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout((WATCH_S + 10) * 1_000)]);
    const path = await this.path({ version: this.version });
    for await (const line of this.options.api.events(path, signal)) {
      const event = eventSchema.parse(line);
      if (event.type === 'ERROR') throw new KubernetesRefusal(event.object.code ?? 500);
      this.version = event.object.metadata.resourceVersion;
      this.heard();
      if (event.type === 'BOOKMARK') continue;
      const { name } = event.object.metadata;
      if (event.type === 'DELETED') this.slices.delete(name);
      else this.slices.set(name, event.object);
      if (this.slices.size > SLICES_MAX) throw new Error(`more than ${SLICES_MAX} EndpointSlices`);
      this.tell(onAddresses);
    }
  }

  private async path({ next, version }: { next?: string | undefined; version?: string | undefined }): Promise<string> {
    const { api, namespace = await api.ownNamespace(), service, selector } = this.options;
    const query = new URLSearchParams({ labelSelector: selector ?? `kubernetes.io/service-name=${service}` });
    if (version === undefined) query.set('limit', String(PAGE_SIZE));
    else query.set('resourceVersion', version);
    if (next !== undefined) query.set('continue', next);
    const watch = `&watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_S}`;
    const collection = `/apis/discovery.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/endpointslices`;
    return `${collection}?${query}${version === undefined ? '' : watch}`;
  }

  private heard(): void {
    this.heardAtMs = performance.now();
    this.failures = 0;
    this.reported = undefined;
  }

  /** Said once an outage and cause: attempts are seconds apart. */
  private report(error: unknown): void {
    const text = String(error);
    if (text === this.reported) return;
    this.reported = text;
    this.options.onFailure(error);
  }

  /** Told only what is new: most changes of a slice are none of its addresses. */
  private tell(onAddresses: OnAddresses): void {
    const addresses = readyAddresses(this.slices.values(), this.options);
    const text = addresses.map(formatAddress).sort().join(' ');
    if (text === this.told || this.stopping.signal.aborted) return;
    this.told = text;
    onAddresses(addresses);
  }

  /** Between any two requests, so that a server that ends everything at once is not asked in a circle. */
  private async pauseBetween(): Promise<void> {
    const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** this.failures) * (0.5 + this.options.random() / 2);
    this.failures += 1;
    await pause(pauseMs, undefined, { signal: this.stopping.signal, ref: false }).catch(() => undefined);
  }
}

function versioned() {
  return z.object({ metadata: z.object({ resourceVersion: z.string() }) });
}

function isGone(error: unknown): boolean {
  return error instanceof KubernetesRefusal && error.status === GONE;
}
