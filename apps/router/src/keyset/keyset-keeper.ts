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

interface Terms {
  readonly pollMs: number;
  /** How long this router's settings need a key after it retired, in milliseconds. */
  readonly retentionMs: number;
}

export interface KeysetKeeperOptions {
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly log?: Pick<Logger, 'log' | 'warn' | 'error'>;
}

export class KeysetKeeper {
  readonly current: () => Keyset;
  /** Since the start. */
  readonly reloads = { ok: 0, error: 0 };
  private readonly source: Source;
  private readonly clock: () => number;
  private readonly log: Pick<Logger, 'log' | 'warn' | 'error'>;
  private timer: NodeJS.Timeout | undefined;
  private primary: string | undefined;

  private constructor(
    open: (onReload: (reload: KeysetReload) => void, clock: () => number) => Source,
    private readonly terms: Terms,
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
    return new KeysetKeeper(open, { pollMs, retentionMs: stateLifeMs + 2 * flow.skewMs }, options);
  }

  static hold(keyset: Keyset, options: KeysetKeeperOptions = {}): KeysetKeeper {
    return new KeysetKeeper(
      (_onReload, clock) => ({ current: () => keyset, loadedAtMs: clock(), outcome: 'ok' }),
      { pollMs: KEYSET_POLL_MS_DEFAULT, retentionMs: 0 },
      options,
    );
  }

  start(): void {
    this.noticeRetention();
    this.noticePrimary();
    this.timer = setInterval(() => this.noticePrimary(), this.terms.pollMs).unref();
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

  /** Since the primary began to seal, in milliseconds; undefined without one. */
  primaryAgeMs(): number | undefined {
    const nowMs = this.clock();
    const primary = this.current().primaryAt(nowMs);
    return primary && nowMs - primary.activateAtMs;
  }

  /** Roles follow from the clock, so the primary changes without a reload as well. */
  noticePrimary(): void {
    const kid = this.current().primaryAt(this.clock())?.kid;
    if (kid === this.primary) return;
    const before = this.primary === undefined ? '' : `; before it ${this.primary} did`;
    if (kid === undefined) this.log.error(`no key may seal now${before}`);
    else this.log.log(`key ${kid} seals from now on${before}`);
    this.primary = kid;
  }

  private tell(reload: KeysetReload): void {
    this.reloads[reload.outcome] += 1;
    if (reload.outcome === 'error') {
      const { rule, kid } = reload.facts;
      const where = kid === undefined ? '' : ` (key ${kid})`;
      return this.log.error(`keyset not reloaded, the keys before stay: ${reload.reason}: ${rule}${where}`);
    }
    const loaded = `keyset reloaded: ${listOf(this.current().keys)}`;
    if (reload.removedEarly.length === 0) this.log.log(loaded);
    else this.log.warn(`${loaded}; gone although unexpired states need them: ${reload.removedEarly.join(', ')}`);
    this.noticeRetention();
    this.noticePrimary();
  }

  /** The file's own rule knows the default life of a state; only this router knows how long its own live. */
  private noticeRetention(): void {
    const { keys } = this.current();
    const short = keys.filter((key) => key.destroyAtMs - key.retireAtMs < this.terms.retentionMs);
    if (short.length === 0) return;
    const minutes = Math.ceil(this.terms.retentionMs / 60_000);
    this.log.warn(`destroyed before their last states expire, ${minutes} min after they retired: ${listOf(short)}`);
  }
}

function listOf(keys: readonly { readonly kid: string }[]): string {
  return keys.map((key) => key.kid).join(', ');
}
