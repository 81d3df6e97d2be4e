/**
 * What stands in a file, followed while the process runs: by watching the directory, because Kubernetes swaps a symbolic
 * link in it and never touches the file, and by polling, because a watch may be lost without a word. Swaps the whole value
 * at once and keeps the old one while the file is bad. What is in the file is its owner's matter.
 */
import { hash } from 'node:crypto';
import { watch as watchDirectory, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { RoundhouseError } from '@roundhouse/errors';

/** Default of `pollMs`, in milliseconds: the time within which a change takes effect once it is mounted. */
export const FOLLOWED_POLL_MS_DEFAULT = 10_000;

export type FileChange<T> =
  | { readonly outcome: 'ok'; readonly before: T; readonly now: T }
  | { readonly outcome: 'error'; readonly error: RoundhouseError };

export interface FollowedFileOptions<T> {
  readonly path: string;
  /** Up to a limit, and nothing but a regular file. @throws RoundhouseError */
  readonly read: (path: string) => string;
  /** @throws RoundhouseError */
  readonly parse: (text: string) => T;
  /** Called once for every content of the file that differs from the one before it. Must not throw. */
  readonly onChange: (change: FileChange<T>) => void;
  readonly pollMs?: number;
  readonly watch?: typeof watchDirectory;
}

export class FollowedFile<T> {
  readonly #options: FollowedFileOptions<T>;
  readonly #timer: NodeJS.Timeout;
  readonly #watcher: FSWatcher | undefined;
  #value: T;
  #seen: string;
  #outcome: FileChange<T>['outcome'] = 'ok';

  private constructor(options: FollowedFileOptions<T>) {
    const text = options.read(options.path);
    this.#options = options;
    this.#value = options.parse(text);
    this.#seen = hash('sha256', text);
    this.#watcher = this.#startWatch();
    this.#timer = setInterval(() => this.checkNow(), options.pollMs ?? FOLLOWED_POLL_MS_DEFAULT).unref();
  }

  /** @throws whatever `read` and `parse` throw */
  static open<T>(options: FollowedFileOptions<T>): FollowedFile<T> {
    return new FollowedFile(options);
  }

  /** Bound, so that it can be handed on as a bare function. */
  readonly current = (): T => this.#value;

  /** `error` while the file is bad and an older value stands in for it. */
  get outcome(): FileChange<T>['outcome'] {
    return this.#outcome;
  }

  /** Looks at the file at once. Does nothing while its content is the one last seen, good or bad. Never throws. */
  checkNow(): void {
    const text = outcomeOf(() => this.#options.read(this.#options.path));
    // A file that cannot be read has no content to compare; why it cannot stands in for it.
    const seen = text instanceof RoundhouseError ? JSON.stringify(text.facts) : hash('sha256', text);
    if (seen === this.#seen) return;
    this.#seen = seen;
    const now = text instanceof RoundhouseError ? text : outcomeOf(() => this.#options.parse(text));
    if (now instanceof RoundhouseError) this.#keep(now);
    else this.#swap(now);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }

  #swap(now: T): void {
    const before = this.#value;
    this.#value = now;
    this.#outcome = 'ok';
    this.#options.onChange({ outcome: 'ok', before, now });
  }

  #keep(error: RoundhouseError): void {
    this.#outcome = 'error';
    this.#options.onChange({ outcome: 'error', error });
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

function outcomeOf<T>(action: () => T): T | RoundhouseError {
  try {
    return action();
  } catch (error) {
    return RoundhouseError.from(error);
  }
}
