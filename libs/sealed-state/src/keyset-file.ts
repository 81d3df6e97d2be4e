/**
 * A keyset that follows its file while the process runs (KEY-3): by watching the directory, because Kubernetes swaps a
 * symbolic link in it and never touches the file, and by polling, because a watch may be lost without a word. Swaps the
 * whole keyset at once, keeps the old one while the file is bad, and reports everything; logging is left to others.
 */
import { hash } from 'node:crypto';
import { readFileSync, statSync, watch as watchDirectory, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { RoundhouseError, type Facts, type Reason } from '@roundhouse/errors';
import { mayStillOpen, STATE_LIFE_MS_DEFAULT } from './key-lifetimes.js';
import type { Keyset } from './keyset.js';
import { KEYSET_CHARS_MAX, parseKeyset } from './parse-keyset.js';

/** Default of `pollMs`, in milliseconds: the time within which an emergency change takes effect once it is mounted. */
export const KEYSET_POLL_MS_DEFAULT = 10_000;

export type KeysetReload =
  | {
      readonly outcome: 'ok';
      /** Ids of keys that are gone although they could still open an unexpired state. */
      readonly removedEarly: readonly string[];
    }
  | { readonly outcome: 'error'; readonly reason: Reason; readonly facts: Facts };

export interface KeysetFileOptions {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called once for every content of the file that differs from the one before it. Must not throw. */
  readonly onReload: (reload: KeysetReload) => void;
  readonly pollMs?: number;
  /** Longest life of one sealed state in this deployment, in milliseconds. */
  readonly stateLifeMs?: number;
  readonly watch?: typeof watchDirectory;
}

export class KeysetFile {
  readonly #options: KeysetFileOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #watcher: FSWatcher | undefined;
  #keyset: Keyset;
  #seen: string;
  #loadedAtMs: number;
  #outcome: KeysetReload['outcome'] = 'ok';

  private constructor(options: KeysetFileOptions) {
    const text = readKeysetText(options.path);
    this.#options = options;
    this.#keyset = parseKeyset(text);
    this.#seen = digestOf(text);
    this.#loadedAtMs = options.clock();
    this.#watcher = this.#startWatch();
    this.#timer = setInterval(() => this.checkNow(), options.pollMs ?? KEYSET_POLL_MS_DEFAULT).unref();
  }

  /** @throws RoundhouseError `config_invalid` when the file cannot be read, or for whatever `parseKeyset` refuses */
  static open(options: KeysetFileOptions): KeysetFile {
    return new KeysetFile(options);
  }

  /** Bound, so that it can be handed to a `StateSealer` as a bare function. */
  readonly current = (): Keyset => this.#keyset;

  /** When the current keyset was loaded, in milliseconds since the epoch. */
  get loadedAtMs(): number {
    return this.#loadedAtMs;
  }

  /** `error` while the file is bad and an older keyset stands in for it. */
  get outcome(): KeysetReload['outcome'] {
    return this.#outcome;
  }

  /** Looks at the file at once. Does nothing while its content is the one last seen, good or bad. Never throws. */
  checkNow(): void {
    const text = outcomeOf(() => readKeysetText(this.#options.path));
    // A file that cannot be read has no content to compare; why it cannot stands in for it.
    const seen = text instanceof RoundhouseError ? String(text.facts['rule']) : digestOf(text);
    if (seen === this.#seen) return;
    this.#seen = seen;
    const next = text instanceof RoundhouseError ? text : outcomeOf(() => parseKeyset(text));
    if (next instanceof RoundhouseError) this.#refuse(next);
    else this.#swap(next);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }

  #swap(next: Keyset): void {
    const { clock, onReload, stateLifeMs = STATE_LIFE_MS_DEFAULT } = this.#options;
    const [before, nowMs] = [this.#keyset, clock()];
    const removed = before.keys.filter(
      (key) => mayStillOpen(key, { keyset: before, nowMs, stateLifeMs }) && isGone(next, key.kid, nowMs),
    );
    this.#keyset = next;
    this.#loadedAtMs = nowMs;
    this.#outcome = 'ok';
    onReload({ outcome: 'ok', removedEarly: removed.map((key) => key.kid) });
  }

  #refuse({ reason, facts }: RoundhouseError): void {
    this.#outcome = 'error';
    this.#options.onReload({ outcome: 'error', reason, facts });
  }

  /** Undefined when the platform cannot watch; polling then does all the work. */
  #startWatch(): FSWatcher | undefined {
    const { path, watch = watchDirectory } = this.#options;
    try {
      const watcher = watch(dirname(path), { persistent: false }, () => this.checkNow());
      return watcher.on('error', () => watcher.close());
    } catch {
      return undefined;
    }
  }
}

/**
 * Text of a keyset file, not yet parsed.
 * @throws RoundhouseError `config_invalid` with reason `keyset_unreadable`, or `keyset_malformed` when it is too large
 */
export function readKeysetText(path: string): string {
  try {
    const file = statSync(path);
    // Reading a pipe or a device would never end.
    if (!file.isFile()) throw unreadable('it is no file');
    if (file.size <= KEYSET_CHARS_MAX) return readFileSync(path, 'utf8');
  } catch (error) {
    throw error instanceof RoundhouseError ? error : unreadable((error as NodeJS.ErrnoException).code);
  }
  throw new RoundhouseError('config_invalid', {
    reason: 'keyset_malformed',
    facts: { rule: 'the file is too large' },
  });
}

function outcomeOf<T>(action: () => T): T | RoundhouseError {
  try {
    return action();
  } catch (error) {
    return RoundhouseError.from(error);
  }
}

function unreadable(why = 'for an unknown cause'): RoundhouseError {
  return new RoundhouseError('config_invalid', {
    reason: 'keyset_unreadable',
    facts: { rule: `the file cannot be read: ${why}` },
  });
}

/** A disabled key is not gone: somebody decided that. */
function isGone(keyset: Keyset, kid: string, nowMs: number): boolean {
  const key = keyset.byKid(kid);
  return key === undefined || keyset.roleAt(key, nowMs) === 'destroyed';
}

function digestOf(text: string): string {
  return hash('sha256', text);
}
