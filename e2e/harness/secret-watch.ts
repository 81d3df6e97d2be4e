/**
 * Everything that was secret while a group of scenarios ran, and everything that was written meanwhile: logs, traces,
 * audit lines, metrics pages and the errors that clients were told. Each process of the harness reports here by itself,
 * so that no scenario can forget to. Names what leaked and where, never the secret.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SecretSearch, TELLING_CHARS } from './secret-search.js';

/** A page that takes longer is not there. */
const PAGE_WITHIN_MS = 5_000;

export class SecretWatch {
  private search = new SecretSearch();
  private readonly files = new Set<string>();
  private readonly pages = new Map<string, string>();
  private readonly texts = new Map<string, string[]>();
  private isOn = false;

  /** Forgets what was before. Until then nothing is remembered: the load of a benchmark would be too much of it. */
  begin(): void {
    this.search = new SecretSearch();
    for (const each of [this.files, this.pages, this.texts]) each.clear();
    this.isOn = true;
  }

  /** A secret from now on. */
  keep(name: string, secret: string | Uint8Array): void {
    if (this.isOn) this.search.add(name, secret);
  }

  /** The same, where anything may come: what is too short to be told from chance is left out. */
  keepIfTelling(name: string, secret: string): void {
    if (secret.length >= TELLING_CHARS) this.keep(name, secret);
  }

  /** A file that a process writes, whether it is there yet or not. */
  addFile(path: string): void {
    if (this.isOn) this.files.add(path);
  }

  /** An address whose answer, if there is one, is looked at before its process ends. */
  addPage(url: string): void {
    if (this.isOn) this.pages.set(url, '');
  }

  /** Something that somebody got to see. */
  hear(place: string, text: string): void {
    if (!this.isOn) return;
    const known = this.texts.get(place);
    if (known === undefined) this.texts.set(place, [text]);
    else known.push(text);
  }

  async readPages(): Promise<void> {
    for (const url of this.pages.keys()) {
      const text = await fetch(url, { signal: AbortSignal.timeout(PAGE_WITHIN_MS) }).then(
        (response) => response.text(),
        () => '',
      );
      this.pages.set(url, text);
    }
  }

  /** In words; empty when nothing leaked. */
  leaks(): string[] {
    return [...this.written()].flatMap(([place, text]) =>
      this.search.find(text).map((name) => `${name} is told in ${place}`),
    );
  }

  private *written(): Generator<[place: string, text: string]> {
    for (const path of this.files)
      if (existsSync(path)) yield [join(basename(dirname(path)), basename(path)), readFileSync(path, 'utf8')];
    yield* this.pages;
    for (const [place, texts] of this.texts) yield [place, texts.join('\n')];
  }
}

/** Of this process: scenarios run one after another. */
export const secretWatch = new SecretWatch();
