/**
 * Finds secrets in what processes wrote: as they are, cut off, and inside something that was encoded. One walk over a
 * text looks for all of them at once, because there are thousands of either.
 */

/** Of a secret, and of each of its encodings, so many characters are looked for: what was cut off later is found too. */
export const TELLING_CHARS = 12;

/** Entries of the table that says where a closer look is worth it; a power of two. */
const TABLE_SIZE = 1 << 20;

export class SecretSearch {
  /** Names by what is looked for. */
  private readonly names = new Map<string, string>();
  private readonly table = new Uint8Array(TABLE_SIZE);

  /** @param secret text, or bytes that can only stand somewhere encoded; too short a one is a RangeError */
  add(name: string, secret: string | Uint8Array): void {
    if (secret.length < TELLING_CHARS) throw new RangeError(`${name} is too short to be told from chance`);
    for (const form of formsOf(secret)) {
      if (this.names.has(form)) continue;
      this.names.set(form, name);
      this.table[slotOf(form, 0)] = 1;
    }
  }

  /** Names of the secrets that stand in the text. */
  find(text: string): string[] {
    const found = new Set<string>();
    for (let at = 0; at + TELLING_CHARS <= text.length; at += 1) {
      if (this.table[slotOf(text, at)] === 0) continue;
      const name = this.names.get(text.slice(at, at + TELLING_CHARS));
      if (name !== undefined) found.add(name);
    }
    return [...found];
  }
}

/** Every beginning by which a secret can be told: plain, escaped for JSON, and in base64 wherever it began in the encoded. */
export function formsOf(secret: string | Uint8Array): string[] {
  const plain = typeof secret === 'string' ? [secret, JSON.stringify(secret).slice(1)] : [];
  const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret;
  const encoded = ([0, 1, 2] as const).flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Of the first characters some bits belong to what stood before.
    const own = text.slice(Math.ceil((before * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...new Set([...plain, ...encoded].map((form) => form.slice(0, TELLING_CHARS)))];
}

/** Of four characters that are spread over all that is compared. */
function slotOf(text: string, at: number): number {
  let sum = 0;
  for (let step = 0; step < TELLING_CHARS; step += 3) sum = (sum * 33) ^ text.charCodeAt(at + step);
  return sum & (TABLE_SIZE - 1);
}
