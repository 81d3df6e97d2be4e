/**
 * The keyset of this router: follows its file, or holds the one a standalone process made, and tells the operator what
 * became of it: one line for every reload and for every change of the key that seals. Ids alone, never material.
 */
import { Logger } from '@nestjs/common';
import { RoundhouseError } from '@roundhouse/errors';
import {
  KEYSET_POLL_MS_DEFAULT,
  KeysetFile,
  reportKeyset,
  type Keyset,
  type KeysetReload,
  type KeysetReport,
} from '@roundhouse/sealed-state';
import type { RouterConfig } from '../config.js';

/** Where the keyset comes from. */
interface Source extends Pick<KeysetFile, 'current' | 'loadedAtMs' | 'outcome'> {
  close?(): void;
}

export interface KeysetKeeperOptions {
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly log?: Pick<Logger, 'log' | 'warn' | 'error'>;
}

export class KeysetKeeper {
  readonly current: () => Keyset;
  private readonly source: Source;
  private readonly clock: () => number;
  private readonly log: Pick<Logger, 'log' | 'warn' | 'error'>;
  private timer: NodeJS.Timeout | undefined;
  private primary: string | undefined;

  private constructor(
    open: (onReload: (reload: KeysetReload) => void, clock: () => number) => Source,
    private readonly pollMs: number,
    { clock = Date.now, log = new Logger('keyset') }: KeysetKeeperOptions,
  ) {
    this.clock = clock;
    this.log = log;
    this.source = open((reload) => this.tell(reload), clock);
    this.current = this.source.current;
  }

  /** @throws RoundhouseError `config_invalid` when there is no file or nothing good in it */
  static follow(
    { keyset, flow }: Pick<RouterConfig, 'keyset' | 'flow'>,
    options: KeysetKeeperOptions = {},
  ): KeysetKeeper {
    const { file: path, pollMs } = keyset;
    if (path === undefined) {
      throw new RoundhouseError('config_invalid', { reason: 'keyset_unreadable', facts: { setting: 'keyset.file' } });
    }
    const stateLifeMs = Math.max(flow.formTtlMs, flow.urlTtlMs);
    const open = (onReload: (reload: KeysetReload) => void, clock: () => number): Source =>
      KeysetFile.open({ path, pollMs, stateLifeMs, clock, onReload });
    return new KeysetKeeper(open, pollMs, options);
  }

  static hold(keyset: Keyset, options: KeysetKeeperOptions = {}): KeysetKeeper {
    return new KeysetKeeper(
      (_onReload, clock) => ({ current: () => keyset, loadedAtMs: clock(), outcome: 'ok' }),
      KEYSET_POLL_MS_DEFAULT,
      options,
    );
  }

  start(): void {
    this.noticePrimary();
    this.timer = setInterval(() => this.noticePrimary(), this.pollMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.source.close?.();
  }

  whyNotReady(): string | undefined {
    return this.current().primaryAt(this.clock()) === undefined ? 'no key may seal now' : undefined;
  }

  report(): KeysetReport {
    const { loadedAtMs, outcome } = this.source;
    return reportKeyset(this.current(), { nowMs: this.clock(), loadedAtMs, outcome });
  }

  /** Roles follow from the clock, so the primary changes without a reload as well. */
  noticePrimary(): void {
    const kid = this.current().primaryAt(this.clock())?.kid;
    if (kid === this.primary) return;
    if (kid === undefined) this.log.error(`no key may seal now; ${this.primary} was the last`);
    else
      this.log.log(
        `key ${kid} seals from now on${this.primary === undefined ? '' : `; before it ${this.primary} did`}`,
      );
    this.primary = kid;
  }

  private tell(reload: KeysetReload): void {
    if (reload.outcome === 'error') {
      const { rule, kid } = reload.facts;
      const where = kid === undefined ? '' : ` (key ${kid})`;
      return this.log.error(`keyset not reloaded, the keys before stay: ${reload.reason}: ${rule}${where}`);
    }
    const kids = this.current()
      .keys.map((key) => key.kid)
      .join(', ');
    if (reload.removedEarly.length === 0) this.log.log(`keyset reloaded: ${kids}`);
    else {
      const removed = reload.removedEarly.join(', ');
      this.log.warn(`keyset reloaded: ${kids}; gone although unexpired states need them: ${removed}`);
    }
    this.noticePrimary();
  }
}
