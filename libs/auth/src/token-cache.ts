/**
 * Tokens that were judged a moment ago, so that the next call costs a lookup instead of a signature: by their text where
 * they were found good, by their hash otherwise. Bounded in time and number; what was verified with keys that have
 * changed since is not found. What is over leaves when the next one comes, so that no token is kept for longer than
 * somebody could use the entry.
 */
/** About 20 MiB; a router that meets more principals a minute verifies some of them twice. */
export const CACHED_TOKENS_MAX = 10_000;

/** What an entry depends on besides time: a key set, whose version changes with its keys. */
export interface Versioned {
  readonly version: number;
}

/** For what depends on time alone. */
export const UNCHANGING: Versioned = { version: 0 };

export interface CacheEntry<T> {
  readonly value: T;
  /** Both in milliseconds since the epoch. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly source: Versioned;
  /** Of the source when the value was made. */
  readonly version: number;
}

export class TokenCache<T> {
  private readonly entries = new Map<string, CacheEntry<T>>();

  constructor(private readonly entriesMax: number = CACHED_TOKENS_MAX) {}

  find(id: string, nowMs: number): T | undefined {
    const entry = this.entries.get(id);
    if (entry === undefined) return undefined;
    // A clock that was set back must not stretch an entry.
    if (nowMs < entry.untilMs && nowMs >= entry.fromMs && entry.source.version === entry.version) return entry.value;
    this.entries.delete(id);
    return undefined;
  }

  keep(id: string, entry: CacheEntry<T>): void {
    if (entry.untilMs <= entry.fromMs) return;
    this.entries.delete(id);
    // From the oldest: a Map keeps the order in which entries came.
    for (const [each, { untilMs }] of this.entries) {
      if (this.entries.size < this.entriesMax && untilMs > entry.fromMs) break;
      this.entries.delete(each);
    }
    this.entries.set(id, entry);
  }

  get size(): number {
    return this.entries.size;
  }
}
