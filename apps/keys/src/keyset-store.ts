/**
 * The keyset file as this tool changes it: one run at a time, the whole file or nothing, and never anything that a
 * router would refuse. What a router would refuse to read is not changed either, so no member is lost unseen.
 */
import { closeSync, existsSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readKeysetText, type KeysetEntry } from '@roundhouse/sealed-state';
import { KeysetExists, toKeyset, toText, type KeysetChange, type KeysetHome, type KeysetText } from './keyset-home.js';
import { EXIT, Refusal } from './refusal.js';

/** Keys for nobody but the owner: neither group nor others. */
const FILE_MODE = 0o600;

/** The keyset in a file that routers share, or that an operator copies. */
export class KeysetFile implements KeysetHome {
  constructor(private readonly path: string) {}

  read(): Promise<KeysetText> {
    return Promise.resolve().then(() => readKeyset(this.path));
  }

  create(keys: readonly KeysetEntry[]): Promise<void> {
    return Promise.resolve().then(() => createKeysetFile(this.path, keys));
  }

  update(seen: string, change: KeysetChange): Promise<void> {
    return Promise.resolve().then(() => updateKeyset(this.path, seen, change));
  }
}

/** @throws RoundhouseError `config_invalid` for whatever a router would refuse at start */
export function readKeyset(path: string): KeysetText {
  return toKeyset(readKeysetText(path));
}

/**
 * Replaces the keys of a file by what `change` makes of them. `seen` is the text on which the caller decided to do so.
 * @throws Refusal when another run holds the lock or has changed the file since
 */
export function updateKeyset(path: string, seen: string, change: KeysetChange): void {
  const file = realpathSync(path);
  locked(file, () => {
    const { text, keys } = readKeyset(file);
    if (text !== seen) throw new Refusal('another run has changed the file meanwhile: run again', EXIT.busy);
    const next = change(keys);
    if (next !== keys) replace(file, next);
  });
}

/** @throws Refusal when there is a file already: replacing one would end every open flow */
export function createKeysetFile(path: string, keys: readonly KeysetEntry[]): void {
  locked(path, () => {
    if (existsSync(path)) throw new KeysetExists();
    replace(path, keys);
  });
}

/** A rename within one folder is atomic: whoever reads, and whoever comes after a crash, finds the old or the new file. */
function replace(path: string, keys: readonly KeysetEntry[]): void {
  const text = toText(keys);
  const draft = `${path}.draft`;
  // What a crashed run left there may have been made by anybody: begin anew, with our own mode.
  rmSync(draft, { force: true });
  writeDurably(draft, text);
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Short and without a wait inside: only a crash leaves the lock behind, and then a person should look. */
function locked(path: string, action: () => void): void {
  const lock = `${path}.lock`;
  try {
    closeSync(openSync(lock, 'wx', FILE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Refusal(`another run is changing the file; if none is, one crashed: delete ${lock}`, EXIT.busy);
  }
  try {
    action();
  } finally {
    rmSync(lock, { force: true });
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', FILE_MODE);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
