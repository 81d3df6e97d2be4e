/**
 * Who a process is on the rpc: its certificate, its key and whom it trusts, from files that are renewed while it runs
 * (cert-manager swaps all three at once). New connections use what is there; open ones go on with what they began with.
 * A bad renewal keeps the old identity and is told in the log.
 */
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Logger } from '@nestjs/common';
import { RoundhouseError } from '@roundhouse/errors';
import { FollowedFile, type FileChange } from '@roundhouse/followed-file';

/** A bundle of 50 certificates; anything longer is another file. */
const PEM_BYTES_MAX = 256 * 1024;

export interface TlsFiles {
  /** PEM: the certificate, followed by those between it and the authority. */
  readonly certFile: string;
  readonly keyFile: string;
  /** PEM: the authorities whose certificates are taken. */
  readonly caFile: string;
}

export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export class TlsIdentity {
  private readonly log = new Logger('rpc');
  private readonly file: FollowedFile<TlsMaterial>;
  private readonly listeners: ((material: TlsMaterial) => void)[] = [];

  /** @throws RoundhouseError `config_invalid` for files that cannot be read or do not belong together */
  constructor(files: TlsFiles, pollMs?: number) {
    this.file = FollowedFile.open({
      path: files.certFile,
      // The three are one value: a key that is renewed without its certificate is no identity.
      read: () =>
        JSON.stringify({ cert: read(files, 'certFile'), key: read(files, 'keyFile'), ca: read(files, 'caFile') }),
      parse: parseMaterial,
      onChange: (change) => this.changed(change),
      ...(pollMs !== undefined && { pollMs }),
    });
  }

  get material(): TlsMaterial {
    return this.file.current();
  }

  onRenewed(listener: (material: TlsMaterial) => void): void {
    this.listeners.push(listener);
  }

  /** Looks at the files at once. */
  checkNow(): void {
    this.file.checkNow();
  }

  close(): void {
    this.file.close();
  }

  private changed(change: FileChange<TlsMaterial>): void {
    if (change.outcome === 'error') {
      const { setting, problem } = change.error.facts;
      const why = [setting, problem].filter((each) => each !== undefined).join(': ');
      this.log.error(`the renewed certificate is not used, the one before stays: ${why}`);
      return;
    }
    this.log.log('the certificate was renewed');
    for (const listener of this.listeners) listener(change.now);
  }
}

function read(files: TlsFiles, setting: keyof TlsFiles): string {
  const path = files[setting];
  try {
    const { size } = statSync(path);
    if (size === 0 || size > PEM_BYTES_MAX) throw new RangeError(`has ${size} bytes`);
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw invalid('config_unreadable', { setting, path, problem: (cause as Error).message }, cause);
  }
}

function parseMaterial(text: string): TlsMaterial {
  const material = JSON.parse(text) as TlsMaterial;
  try {
    createSecureContext({ ...material });
  } catch (cause) {
    // What OpenSSL says names the kind of mistake and quotes nothing of the files.
    throw invalid('config_malformed', { problem: (cause as Error).message }, cause);
  }
  return material;
}

function invalid(reason: 'config_unreadable' | 'config_malformed', facts: Record<string, string>, cause: unknown) {
  return new RoundhouseError('config_invalid', { reason, facts, cause });
}
