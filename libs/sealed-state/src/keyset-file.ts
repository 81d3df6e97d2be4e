/**
 * A keyset that follows its file while the process runs (KEY-3): swapped whole, the old one kept while the file is bad, and
 * everything reported; logging is left to others.
 */
import { readFileSync, statSync, type watch as watchDirectory } from 'node:fs';
import { RoundhouseError, type Facts, type Reason } from '@roundhouse/errors';
import { FOLLOWED_POLL_MS_DEFAULT, FollowedFile, type FileChange } from '@roundhouse/followed-file';
import { mayStillOpen, STATE_LIFE_MS_DEFAULT } from './key-lifetimes.js';
import type { Keyset } from './keyset.js';
import { KEYSET_CHARS_MAX, parseKeyset } from './parse-keyset.js';

/** Default of `pollMs`, in milliseconds: the time within which an emergency change takes effect once it is mounted. */
export const KEYSET_POLL_MS_DEFAULT = FOLLOWED_POLL_MS_DEFAULT;

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
  readonly #file: FollowedFile<Keyset>;
  #loadedAtMs: number;

  private constructor(options: KeysetFileOptions) {
    const { path, pollMs, watch } = options;
    this.#options = options;
    this.#file = FollowedFile.open({
      path,
      read: readKeysetText,
      parse: parseKeyset,
      onChange: (change) => this.#tell(change),
      ...(pollMs !== undefined && { pollMs }),
      ...(watch !== undefined && { watch }),
    });
    this.#loadedAtMs = options.clock();
  }

  /** @throws RoundhouseError `config_invalid` when the file cannot be read, or for whatever `parseKeyset` refuses */
  static open(options: KeysetFileOptions): KeysetFile {
    return new KeysetFile(options);
  }

  /** Bound, so that it can be handed to a `StateSealer` as a bare function. */
  readonly current = (): Keyset => this.#file.current();

  /** When the current keyset was loaded, in milliseconds since the epoch. */
  get loadedAtMs(): number {
    return this.#loadedAtMs;
  }

  /** `error` while the file is bad and an older keyset stands in for it. */
  get outcome(): KeysetReload['outcome'] {
    return this.#file.outcome;
  }

  /** Looks at the file at once. Does nothing while its content is the one last seen, good or bad. Never throws. */
  checkNow(): void {
    this.#file.checkNow();
  }

  close(): void {
    this.#file.close();
  }

  #tell(change: FileChange<Keyset>): void {
    const { clock, onReload, stateLifeMs = STATE_LIFE_MS_DEFAULT } = this.#options;
    if (change.outcome === 'error') {
      const { reason, facts } = change.error;
      return onReload({ outcome: 'error', reason, facts });
    }
    const { before, now } = change;
    const nowMs = clock();
    this.#loadedAtMs = nowMs;
    const removed = before.keys.filter(
      (key) => mayStillOpen(key, { keyset: before, nowMs, stateLifeMs }) && isGone(now, key.kid, nowMs),
    );
    onReload({ outcome: 'ok', removedEarly: removed.map((key) => key.kid) });
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
