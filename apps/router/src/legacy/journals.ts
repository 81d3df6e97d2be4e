/**
 * Streams of calls that a client of 2025-11-25 may take up again, kept by the router that runs them: what was said, numbered,
 * for as long as the call lasts and a little longer. One reader at a time; what the last one has read to its end is gone.
 */
import type { StreamJournal } from '../reply/reply.js';
import type { Reference, References } from './references.js';

/** Of one stream; the oldest events go first, and with them the chance to start from there. */
const EVENTS_MAX = 256;
const CHARS_MAX = 1024 * 1024;
/** Of all streams together. */
const JOURNALS_MAX = 4_096;
const TOTAL_CHARS_MAX = 64 * 1024 * 1024;
/** How long a stream that has ended can still be asked for. */
const RETAIN_MS = 60_000;
/** How long a client waits before it comes back. */
const RETRY_MS = 500;

export interface Follower {
  event(id: string, message: string, isLast: boolean): void;
  /** Somebody else reads from now on. */
  replaced(): void;
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
  chars: number;
  follower: Follower | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class Journals {
  private readonly kept = new Map<string, Kept>();
  private chars = 0;

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
    const kept: Kept = { name, sid, ref, events: [], count: 0, chars: 0, follower: undefined, timer: undefined };
    this.makeRoom();
    this.kept.set(name, kept);
    return kept;
  }

  /** What was said since, and what will be. False when nothing can be told from there. */
  follow({ sid, name, after }: FollowRequest, follower: Follower): boolean {
    const kept = this.kept.get(name);
    const first = kept === undefined ? Infinity : (kept.events[0]?.number ?? kept.count + 1);
    if (kept === undefined || kept.sid !== sid || after > kept.count || after < first - 1) return false;
    kept.follower?.replaced();
    kept.follower = follower;
    for (const event of kept.events) if (event.number > after) this.pass(name, kept, event);
    if (kept.timer !== undefined && after === kept.count) follower.replaced();
    return true;
  }

  unfollow(name: string, follower: Follower): void {
    const kept = this.kept.get(name);
    if (kept?.follower === follower) kept.follower = undefined;
  }

  stop(): void {
    for (const name of [...this.kept.keys()]) this.forget(name);
  }

  add(kept: Kept, { message, isLast }: Omit<Event, 'number'>): string {
    const { name } = kept;
    kept.count += 1;
    const event = { number: kept.count, message, isLast };
    kept.events.push(event);
    this.grow(kept, message.length);
    while (kept.events.length > EVENTS_MAX || (kept.chars > CHARS_MAX && kept.events.length > 1))
      this.grow(kept, -(kept.events.shift()?.message.length ?? 0));
    if (isLast) kept.timer = setTimeout(() => this.forget(name), RETAIN_MS).unref();
    this.pass(name, kept, event);
    return `${kept.ref}.${event.number}`;
  }

  private pass(name: string, kept: Kept, { number, message, isLast }: Event): void {
    if (kept.follower === undefined) return;
    const { follower } = kept;
    if (isLast) kept.follower = undefined;
    follower.event(`${kept.ref}.${number}`, message, isLast);
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
    kept.follower?.replaced();
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
    return `id: ${this.kept.ref}.0\nretry: ${RETRY_MS}\ndata: \n\n`;
  }

  add(message: string, isLast: boolean): string | undefined {
    return this.kept && this.journals.add(this.kept, { message, isLast });
  }

  close(): void {
    if (this.kept !== undefined) this.journals.forget(this.kept.name);
  }
}
