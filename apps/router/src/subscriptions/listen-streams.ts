/**
 * All open subscriptions/listen streams of this process. Every router watches every worker itself, so a change reaches
 * the streams of each replica without a bus between routers.
 */
import { TOKEN_SKEW_MS } from '@roundhouse/auth';
import type { ListKind } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { META, type RequestId } from '@roundhouse/protocol';
import type { Access } from '../access/access.js';
import { principalName } from '../access/principal-name.js';
import type { CatalogueListener } from '../catalogue/catalogue-keeper.js';
import type { Exchange } from '../intake/exchange.js';
import type { KeepAlive } from '../reply/keep-alive.js';
import type { ExchangeReply } from '../reply/exchange-reply.js';
import { honoured, parseListenFilter, type ListenFilter } from './listen-filter.js';

/** What a timer of Node's can wait at most; a stream that lasts as long may as well be opened anew. */
const TIMER_MS_MAX = 2 ** 31 - 1;

interface Stream {
  readonly id: RequestId;
  readonly reply: ExchangeReply;
  readonly filter: ListenFilter;
  readonly access: Access;
  readonly owner: string;
  readonly watched: number;
  readonly openedMs: number;
  /** Ends the stream together with the access it was opened with; undefined when that does not end. */
  timer: NodeJS.Timeout | undefined;
}

const LIST_CHANGED: Record<ListKind, { wanted: (filter: ListenFilter) => boolean; method: string }> = {
  tools: { wanted: (filter) => filter.toolsListChanged, method: 'notifications/tools/list_changed' },
  prompts: { wanted: (filter) => filter.promptsListChanged, method: 'notifications/prompts/list_changed' },
  resources: { wanted: (filter) => filter.resourcesListChanged, method: 'notifications/resources/list_changed' },
};

export type StreamEnd = 'client_gone' | 'slow_reader' | 'access_ended' | 'drained';

export interface ListenStreamsOptions {
  readonly streamsMax: number;
  readonly streamsPerPrincipalMax: number;
  readonly keepAlive: KeepAlive;
  /** Whether somebody may hear of a resource. Asked again for each notification: policy may have changed. */
  readonly mayRead: (access: Access, uri: string) => boolean;
  readonly onEnd?: ((reason: StreamEnd, openMs: number) => void) | undefined;
  /** Before a stream is acknowledged. What it throws, refuses the stream. */
  readonly onOpen: (exchange: Exchange) => void;
}

export class ListenStreams implements CatalogueListener {
  private readonly streams = new Set<Stream>();
  /** How many streams each principal has. */
  private readonly owned = new Map<string, number>();

  /** When the last one shall have ended, on the clock of `performance.now()`; undefined while none shall. */
  private leavingMs: number | undefined;
  private whenEmpty: (() => void) | undefined;

  constructor(
    private readonly options: ListenStreamsOptions,
    private readonly random: () => number = Math.random,
  ) {}

  get size(): number {
    return this.streams.size;
  }

  /** Opens the stream: the acknowledgement is its first message, and is sent at once (F-02). */
  open(exchange: Exchange): void {
    const { id, params, reply, access } = exchange;
    if (!reply.canStream) throw new RoundhouseError('not_acceptable', { detail: 'text/event-stream' });
    const asked = parseListenFilter(params['notifications']);
    const { streamsMax, streamsPerPrincipalMax, keepAlive, mayRead } = this.options;
    const owner = principalName(access.principal);
    const owned = this.owned.get(owner) ?? 0;
    if (this.streams.size >= streamsMax || owned >= streamsPerPrincipalMax)
      throw new RoundhouseError('subscription_limit', { reason: 'limit_reached' });
    this.options.onOpen(exchange);
    const readable = [...asked.resources].filter((uri) => mayRead(access, uri));
    const filter = { ...asked, resources: new Set(readable) };
    const kept = { watched: keepAlive.watch(reply), openedMs: performance.now(), timer: undefined };
    const stream: Stream = { id, reply, filter, access, owner, ...kept };
    this.streams.add(stream);
    this.owned.set(owner, owned + 1);
    // As long as the token would be taken: no request comes on a stream that could be refused.
    const leftMs = access.expiresAtMs + TOKEN_SKEW_MS - Date.now();
    if (leftMs !== Infinity)
      stream.timer = setTimeout(() => this.end(stream, 'access_ended'), Math.min(leftMs, TIMER_MS_MAX)).unref();
    reply.cancelWhenGone = { cancel: () => this.drop(stream, reply.wasCutOff ? 'slow_reader' : 'client_gone') };
    notify(stream, 'notifications/subscriptions/acknowledged', { notifications: honoured(filter) });
    if (this.leavingMs !== undefined) this.endSoon(stream);
  }

  listChanged(list: ListKind): void {
    const { wanted, method } = LIST_CHANGED[list];
    for (const stream of this.streams) if (wanted(stream.filter)) notify(stream, method, {});
  }

  /** `uri` may lie below the one subscribed (F-05). */
  resourceUpdated(uri: string): void {
    for (const stream of this.streams) {
      if (!follows(stream.filter, uri) || !this.options.mayRead(stream.access, uri)) continue;
      notify(stream, 'notifications/resources/updated', { uri });
    }
  }

  /** Ends every stream in order: its own result, then the close (F-07, F-17). */
  endAll(): void {
    for (const stream of this.streams) this.end(stream, 'drained');
  }

  /** Ends them each at a moment of its own within the spread, those that are opened meanwhile too. */
  leave(spreadMs: number): void {
    this.leavingMs = performance.now() + spreadMs;
    for (const stream of this.streams) this.endSoon(stream);
  }

  /** Resolves when no stream is open. */
  async idle(): Promise<void> {
    if (this.streams.size === 0) return;
    await new Promise<void>((resolve) => {
      this.whenEmpty = resolve;
    });
  }

  private endSoon(stream: Stream): void {
    const leftMs = (this.leavingMs ?? 0) - performance.now();
    if (leftMs <= 0) return this.end(stream, 'drained');
    clearTimeout(stream.timer);
    stream.timer = setTimeout(() => this.end(stream, 'drained'), this.random() * leftMs).unref();
  }

  private end(stream: Stream, why: StreamEnd): void {
    this.drop(stream, why);
    const meta = JSON.stringify({ [META.subscriptionId]: stream.id });
    stream.reply.succeed(stream.id, `{"resultType":"complete","_meta":${meta}}`);
  }

  private drop(stream: Stream, why: StreamEnd): void {
    if (!this.streams.delete(stream)) return;
    this.options.onEnd?.(why, performance.now() - stream.openedMs);
    const owned = (this.owned.get(stream.owner) ?? 0) - 1;
    if (owned > 0) this.owned.set(stream.owner, owned);
    else this.owned.delete(stream.owner);
    this.options.keepAlive.forget(stream.watched);
    clearTimeout(stream.timer);
    if (this.streams.size === 0) this.whenEmpty?.();
  }
}

function follows({ resources }: ListenFilter, uri: string): boolean {
  if (resources.has(uri)) return true;
  for (const followed of resources) if (uri.startsWith(followed.endsWith('/') ? followed : `${followed}/`)) return true;
  return false;
}

/** Every message on the stream names the subscription, in the type the client gave its id (F-03). */
function notify({ id, reply }: Stream, method: string, params: object): void {
  reply.notify(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [META.subscriptionId]: id } } }));
}
