/**
 * Streams of calls that a client of 2025-11-25 may take up again, kept by the router that runs them: what was said, numbered,
 * for as long as the call lasts and a little longer. One reader at a time; what the last one has read to its end is gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { primingText, type StreamJournal } from '../reply/reply.js';
import type { Reference, References } from './references.js';

/** Of one stream; the oldest events go first, and with them the chance to start from there. */
const EVENTS_MAX = 256;
/** Of a call's own text, as it is written: what may be left out when too much was said while nobody read. */
const NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/';
const CHARS_MAX = 1024 * 1024;
/** Of all streams together. */
const JOURNALS_MAX = 4_096;
const TOTAL_CHARS_MAX = 64 * 1024 * 1024;
/** How long a stream that has ended can still be asked for. */
const RETAIN_MS = 60_000;
/** How long a client waits before it comes back. */
const RETRY_MS = 500;
/** By how much it may be late for a router that stops. */
const COME_BACK_MS = 2_000;
/** What was read last is still on its way to another router; the rpc does not say when it has left. */
const UNDER_WAY_MS = 200;

export interface Follower {
  event(id: string, message: string, isLast: boolean): void;
  /** Nothing is said; who loses the line goes on from there, after this time. */
  prime(id: string, retryMs: number): void;
  /** Nothing more for this reader: there is no more, somebody else reads, or its client is to come back. */
  end(): void;
}

export interface FollowRequest {
  readonly sid: string;
  readonly name: string;
  /** Number of the last event that was read. */
  readonly after: number;
}

interface Event {
  readonly number: number;
  readonly message: string;
  readonly isLast: boolean;
}

interface Kept {
  readonly name: string;
  readonly sid: string;
  readonly ref: string;
  readonly events: Event[];
  count: number;
  /** Number of the last event that had to be read and can no longer be. */
  lost: number;
  chars: number;
  /** Until when its client, which was sent away, should be back; 0 once it is. In `performance.now()` milliseconds. */
  awaitedUntilMs: number;
  follower: Follower | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class Journals {
  private readonly kept = new Map<string, Kept>();
  private chars = 0;
  private whenRead: (() => void) | undefined;

  constructor(private readonly references: References) {}

  get size(): number {
    return this.kept.size;
  }

  /** For a stream that may never begin: nothing is made or kept until it does. */
  journalOf(makeReference: () => Reference): StreamJournal {
    return new Journal(this, makeReference);
  }

  begin(reference: Reference): Kept {
    const { sid, name } = reference;
    const ref = this.references.seal(reference);
    const nothing = { events: [], count: 0, lost: 0, chars: 0, awaitedUntilMs: 0 };
    const kept: Kept = { name, sid, ref, ...nothing, follower: undefined, timer: undefined };
    this.makeRoom();
    this.kept.set(name, kept);
    return kept;
  }

  /** What was said since, and what will be. False when nothing can be told from there. */
  follow({ sid, name, after }: FollowRequest, follower: Follower): boolean {
    const kept = this.kept.get(name);
    if (kept === undefined || kept.sid !== sid || after > kept.count || after < kept.lost) return false;
    kept.follower?.end();
    kept.follower = follower;
    kept.awaitedUntilMs = 0;
    for (const event of kept.events) if (event.number > after) this.pass(name, kept, event);
    if (after < kept.count) return true;
    if (kept.timer === undefined) follower.prime(idOf(kept, after), RETRY_MS);
    else follower.end();
    return true;
  }

  unfollow(name: string, follower: Follower): void {
    const kept = this.kept.get(name);
    if (kept?.follower === follower) kept.follower = undefined;
  }

  /** Whoever reads now is to come back later. False where nothing is kept any more, or nothing more will be said. */
  leave(kept: Kept, retryMs: number): boolean {
    if (this.kept.get(kept.name) !== kept || kept.timer !== undefined) return false;
    const { follower } = kept;
    kept.follower = undefined;
    kept.awaitedUntilMs = performance.now() + retryMs + COME_BACK_MS;
    follower?.prime(idOf(kept, kept.count), retryMs);
    follower?.end();
    return true;
  }

  /** Resolves when each client that was sent away has read to the end, or should have come back and did not. */
  async read(withinMs: number): Promise<void> {
    const leftMs = Math.min(withinMs, this.awaitedUntilMs() - performance.now());
    if (leftMs <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.whenRead = resolve;
      timer = setTimeout(resolve, leftMs);
    });
    clearTimeout(timer);
    await sleep(UNDER_WAY_MS);
  }

  stop(): void {
    for (const name of [...this.kept.keys()]) this.forget(name);
  }

  /** Undefined of a stream that had to make room: it goes on, and can no longer be taken up. */
  add(kept: Kept, { message, isLast }: Omit<Event, 'number'>): string | undefined {
    const { name } = kept;
    if (this.kept.get(name) !== kept) return undefined;
    kept.count += 1;
    const event = { number: kept.count, message, isLast };
    kept.events.push(event);
    this.grow(kept, message.length);
    while (kept.events.length > EVENTS_MAX || (kept.chars > CHARS_MAX && kept.events.length > 1)) this.shorten(kept);
    if (isLast) kept.timer = setTimeout(() => this.forget(name), RETAIN_MS).unref();
    this.pass(name, kept, event);
    return idOf(kept, event.number);
  }

  /** Of the oldest; notifications first, because who was away can do without. */
  private shorten(kept: Kept): void {
    const at = Math.max(
      0,
      kept.events.slice(0, -1).findIndex(({ message }) => message.startsWith(NOTIFICATION)),
    );
    const [event] = kept.events.splice(at, 1);
    if (event === undefined) return;
    if (!event.message.startsWith(NOTIFICATION)) kept.lost = event.number;
    this.grow(kept, -event.message.length);
  }

  private awaitedUntilMs(): number {
    return Math.max(0, ...[...this.kept.values()].map(({ awaitedUntilMs }) => awaitedUntilMs));
  }

  private pass(name: string, kept: Kept, { number, message, isLast }: Event): void {
    if (kept.follower === undefined) return;
    const { follower } = kept;
    if (isLast) kept.follower = undefined;
    follower.event(idOf(kept, number), message, isLast);
    if (isLast) this.forget(name);
  }

  private makeRoom(): void {
    while (this.kept.size >= JOURNALS_MAX || this.chars > TOTAL_CHARS_MAX) {
      const oldest = this.kept.keys().next();
      if (oldest.done === true) return;
      this.forget(oldest.value);
    }
  }

  private grow(kept: Kept, chars: number): void {
    kept.chars += chars;
    this.chars += chars;
  }

  forget(name: string): void {
    const kept = this.kept.get(name);
    if (kept === undefined) return;
    clearTimeout(kept.timer);
    this.chars -= kept.chars;
    this.kept.delete(name);
    kept.follower?.end();
    if (this.whenRead !== undefined && this.awaitedUntilMs() === 0) this.whenRead();
  }
}

class Journal implements StreamJournal {
  private kept: Kept | undefined;

  constructor(
    private readonly journals: Journals,
    private readonly makeReference: () => Reference,
  ) {}

  open(): string {
    this.kept = this.journals.begin(this.makeReference());
    return primingText(idOf(this.kept, 0), RETRY_MS);
  }

  add(message: string, isLast: boolean): string | undefined {
    return this.kept && this.journals.add(this.kept, { message, isLast });
  }

  leave(retryMs = RETRY_MS): string | undefined {
    if (this.kept === undefined || !this.journals.leave(this.kept, retryMs)) return undefined;
    return primingText(idOf(this.kept, this.kept.count), retryMs);
  }

  close(): void {
    if (this.kept !== undefined) this.journals.forget(this.kept.name);
  }
}

function idOf({ ref }: Kept, number: number): string {
  return `${ref}.${number}`;
}
