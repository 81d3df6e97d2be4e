/**
 * The part of a Kubernetes API server that serves EndpointSlices, over real HTTP: list in pages, watch with bookmarks,
 * versions that grow old (410), token check. Tests change its slices and break it in the ways in which real ones break.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SliceEndpoint {
  readonly address: string;
  /** Identity of the pod; by default its address. */
  readonly uid?: string;
  readonly ready?: boolean | null;
}

export interface SliceContent {
  readonly service: string;
  /** Of the Service, which its slices repeat. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly endpoints: readonly SliceEndpoint[];
  readonly port: number;
  readonly portName?: string;
  readonly addressType?: 'IPv4' | 'IPv6' | 'FQDN';
}

interface StoredSlice {
  readonly content: SliceContent;
  readonly version: number;
}

/** Labels that a slice has to have. */
type Selector = readonly (readonly [key: string, value: string])[];

interface Watcher {
  readonly response: ServerResponse;
  readonly selector: Selector;
}

const PATH = /^\/apis\/discovery\.k8s\.io\/v1\/namespaces\/([^/]+)\/endpointslices$/;

export class KubernetesApiServer {
  /** Answered instead of what was asked for, while set. */
  status: number | undefined;
  /** How long an answer takes to begin. */
  delayMs = 0;
  /** Every request so far, as `list`, `list <token>` or `watch <version>`. */
  readonly requests: string[] = [];
  pageSizeMax = Number.POSITIVE_INFINITY;
  private readonly slices = new Map<string, StoredSlice>();
  private readonly watchers = new Set<Watcher>();
  /** Changes since the start, for watches that begin at an older version. */
  private changes: { version: number; type: string; name: string; content: SliceContent }[] = [];
  private version = 100;
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly options: { readonly namespace: string; readonly token: string }) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get watching(): number {
    return this.watchers.size;
  }

  /** On the port of before, if it was started once. */
  async start(): Promise<void> {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise<void>((resolve) => (this.server === undefined ? resolve() : this.server.close(() => resolve())));
    this.watchers.clear();
  }

  put(name: string, content: SliceContent): void {
    this.change(this.slices.has(name) ? 'MODIFIED' : 'ADDED', name, content);
    this.slices.set(name, { content, version: this.version });
  }

  delete(name: string): void {
    const { content } = this.slices.get(name)!;
    this.slices.delete(name);
    this.change('DELETED', name, content);
  }

  /** Changes a slice without telling those who watch, as when an event is lost. */
  putUnseen(name: string, content: SliceContent): void {
    this.version += 1;
    this.slices.set(name, { content, version: this.version });
  }

  bookmark(): void {
    this.version += 1;
    this.send({
      type: 'BOOKMARK',
      object: { kind: 'EndpointSlice', metadata: { resourceVersion: `${this.version}` } },
    });
  }

  /** Forgets what was, so that older versions are answered 410. */
  compact(): void {
    this.changes = [];
  }

  /** Ends every watch: in order, or by cutting its connection. */
  endWatches(how: 'in order' | 'cut'): void {
    for (const { response } of this.watchers) {
      if (how === 'cut') response.destroy();
      else response.end();
    }
    this.watchers.clear();
  }

  /** Sends text to every watch as it is. */
  sendRaw(text: string): void {
    for (const { response } of this.watchers) response.write(text);
  }

  private change(type: string, name: string, content: SliceContent): void {
    this.version += 1;
    this.changes.push({ version: this.version, type, name, content });
    this.send({ type, object: toSlice(name, content, this.version) }, content);
  }

  private send(event: object, content?: SliceContent): void {
    for (const watcher of this.watchers) {
      if (content !== undefined && !isSelected(content, watcher.selector)) continue;
      watcher.response.write(`${JSON.stringify(event)}\n`);
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const url = new URL(request.url ?? '', this.url);
    const problem = this.problemOf(request, url);
    if (problem !== undefined) {
      response.writeHead(problem, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: problem }));
      return;
    }
    const selector = toSelector(url.searchParams.get('labelSelector') ?? '');
    if (url.searchParams.get('watch') === 'true') this.watch(url, { response, selector });
    else this.list(url, { response, selector });
  }

  private problemOf(request: IncomingMessage, url: URL): number | undefined {
    if (this.status !== undefined) return this.status;
    if (request.headers.authorization !== `Bearer ${this.options.token}`) return 401;
    const namespace = PATH.exec(url.pathname)?.[1];
    if (namespace === undefined) return 404;
    return namespace === this.options.namespace ? undefined : 403;
  }

  private list(url: URL, { response, selector }: Watcher): void {
    const token = url.searchParams.get('continue');
    this.requests.push(token === null ? 'list' : `list ${token}`);
    const all = [...this.slices].filter(([, { content }]) => isSelected(content, selector));
    const from = Number(token ?? 0);
    const size = Math.min(Number(url.searchParams.get('limit') ?? all.length), this.pageSizeMax);
    const page = all.slice(from, from + size);
    const next = from + size < all.length ? `${from + size}` : '';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        kind: 'EndpointSliceList',
        metadata: { resourceVersion: `${this.version}`, continue: next },
        items: page.map(([name, { content, version }]) => toSlice(name, content, version)),
      }),
    );
  }

  private watch(url: URL, watcher: Watcher): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    this.requests.push(`watch ${from}`);
    const oldest = this.changes[0]?.version ?? this.version + 1;
    watcher.response.writeHead(200, { 'content-type': 'application/json' });
    watcher.response.flushHeaders();
    if (from < oldest - 1) {
      watcher.response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410 } })}\n`);
      return;
    }
    for (const { version, type, name, content } of this.changes)
      if (version > from && isSelected(content, watcher.selector))
        watcher.response.write(`${JSON.stringify({ type, object: toSlice(name, content, version) })}\n`);
    this.watchers.add(watcher);
    watcher.response.on('close', () => this.watchers.delete(watcher));
  }
}

/** Equality alone, which is all that tests ask for. */
function toSelector(text: string): Selector {
  return text.split(',').map((each) => {
    const [key = '', value = ''] = each.split('=');
    return [key, value] as const;
  });
}

function isSelected(content: SliceContent, selector: Selector): boolean {
  const labels: Readonly<Record<string, string>> = labelsOf(content);
  return selector.every(([key, value]) => labels[key] === value);
}

function labelsOf({ service, labels }: SliceContent): Record<string, string> {
  return { ...labels, 'kubernetes.io/service-name': service };
}

function toSlice(name: string, content: SliceContent, version: number): object {
  return {
    kind: 'EndpointSlice',
    metadata: {
      name,
      resourceVersion: `${version}`,
      labels: labelsOf(content),
    },
    addressType: content.addressType ?? 'IPv4',
    // The API writes null for a list without entries.
    endpoints: content.endpoints.length === 0 ? null : content.endpoints.map(toEndpoint),
    ports: [{ name: content.portName ?? 'rpc', port: content.port, protocol: 'TCP' }],
  };
}

function toEndpoint({ address, uid, ready = true }: SliceEndpoint): object {
  return {
    addresses: [address],
    conditions: { ready, serving: true, terminating: ready === false },
    targetRef: { kind: 'Pod', uid: uid ?? address },
  };
}
