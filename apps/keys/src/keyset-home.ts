/**
 * Where a keyset is kept, as this tool uses it: read whole, made once, and changed by one run at a time. Whatever the
 * place, nothing is written that a router would refuse.
 */
import { formatKeyset, parseKeyset, type KeysetEntry } from '@roundhouse/sealed-state';
import { Refusal } from './refusal.js';

export interface KeysetText {
  readonly text: string;
  readonly keys: readonly KeysetEntry[];
}

export type KeysetChange = (keys: readonly KeysetEntry[]) => readonly KeysetEntry[];

export interface KeysetHome {
  /** @throws RoundhouseError `config_invalid` for whatever a router would refuse at start */
  read(): Promise<KeysetText>;
  /** @throws KeysetExists: replacing a keyset would end every open flow */
  create(keys: readonly KeysetEntry[]): Promise<void>;
  /**
   * Replaces the keys by what `change` makes of them. `seen` is the text on which the caller decided to do so.
   * @throws Refusal when another run is changing the keyset or has changed it since
   */
  update(seen: string, change: KeysetChange): Promise<void>;
}

export class KeysetExists extends Refusal {
  constructor() {
    super('there is a keyset already: add without --create rotates it');
  }
}

/** @throws RoundhouseError `config_invalid` for whatever a router would refuse at start */
export function toKeyset(text: string): KeysetText {
  parseKeyset(text);
  return { text, keys: (JSON.parse(text) as { keys: KeysetEntry[] }).keys };
}

export function toText(keys: readonly KeysetEntry[]): string {
  const text = `${formatKeyset(keys)}\n`;
  parseKeyset(text);
  return text;
}
