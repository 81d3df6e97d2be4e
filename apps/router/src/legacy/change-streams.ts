/**
 * The GET streams of sessions: list changes and updates of the resources a session follows, by the same mechanism as
 * subscriptions/listen, without the envelope of it. A session has one; a newer one takes its place.
 */
import type { ExchangeReply, Cancellable } from '../reply/exchange-reply.js';
import type { Reply } from '../reply/reply.js';
import type { ListenStreams } from '../subscriptions/listen-streams.js';
import type { LegacyArrival } from './legacy-endpoint.js';
import { toExchange } from './legacy-exchange.js';
import type { OpenSession, SessionSettings } from './session-book.js';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const EVERY_LIST = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

interface Change {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export class ChangeStreams {
  private readonly open = new Map<string, ChangeStream>();

  constructor(private readonly streams: ListenStreams) {}

  get size(): number {
    return this.open.size;
  }

  /** @throws RoundhouseError `subscription_limit` or `not_acceptable` */
  begin(session: OpenSession, arrival: LegacyArrival): void {
    const { sid, settings } = session;
    const stream = new ChangeStream(this.streams, { session, arrival, gone: () => this.drop(sid, stream) });
    stream.listen(settings.followed);
    this.open.get(sid)?.close();
    this.open.set(sid, stream);
  }

  follow(sid: string, { followed }: SessionSettings): void {
    this.open.get(sid)?.listen(followed);
  }

  end(sid: string): void {
    this.open.get(sid)?.close();
  }

  private drop(sid: string, stream: ChangeStream): void {
    if (this.open.get(sid) === stream) this.open.delete(sid);
  }
}

interface ChangeStreamParts {
  readonly session: OpenSession;
  readonly arrival: LegacyArrival;
  readonly gone: () => void;
}

class ChangeStream {
  private subscription: Subscription | undefined;

  constructor(
    private readonly streams: ListenStreams,
    private readonly parts: ChangeStreamParts,
  ) {
    parts.arrival.reply.cancelWhenGone = { cancel: () => this.leave() };
  }

  listen(followed: readonly string[]): void {
    const { session, arrival } = this.parts;
    this.subscription?.cancelWhenGone?.cancel();
    const reply = new Subscription(arrival.reply, () => this.close());
    this.subscription = reply;
    const { request, access, arrivedMs } = arrival;
    const params = { notifications: { ...EVERY_LIST, resourceSubscriptions: followed } };
    const listen = { id: 0, method: 'subscriptions/listen', params, argumentsText: undefined };
    const exchange = toExchange(session, { ...listen, request, access, arrivedMs, canStream: reply.canStream });
    this.streams.open({ ...exchange, reply });
  }

  close(): void {
    this.leave();
    this.parts.arrival.reply.endStream();
  }

  private leave(): void {
    this.subscription?.cancelWhenGone?.cancel();
    this.parts.gone();
  }
}

/** What ListenStreams writes to: the client sees the changes and nothing of how they are subscribed to. */
class Subscription implements ExchangeReply {
  readonly canBeTakenUp = false;
  cancelWhenGone: Cancellable | undefined;

  constructor(
    private readonly reply: Reply,
    private readonly ended: () => void,
  ) {}

  get lastWriteMs(): number {
    return this.reply.lastWriteMs;
  }

  get canStream(): boolean {
    return this.reply.canStream;
  }

  get isStream(): boolean {
    return this.reply.isStream;
  }

  get hasEnded(): boolean {
    return this.reply.hasEnded;
  }

  get wasCutOff(): boolean {
    return this.reply.wasCutOff;
  }

  notify(message: string): void {
    const { method, params } = JSON.parse(message) as Change;
    if (method === ACKNOWLEDGED) return this.begin();
    const { _meta: _subscription, ...rest } = params;
    this.reply.notify(JSON.stringify({ jsonrpc: '2.0', method, params: rest }));
  }

  succeed(): void {
    this.ended();
  }

  succeedPrepared(): void {
    this.ended();
  }

  closeLine(): void {}

  openStream(): void {
    this.reply.openStream();
  }

  comment(): void {
    this.reply.comment();
  }

  /** A byte at once, for proxies that hold back the head until there is one (B46). */
  private begin(): void {
    this.reply.openStream();
    this.reply.comment();
  }
}
