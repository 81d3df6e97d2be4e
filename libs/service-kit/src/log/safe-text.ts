/**
 * Text as a log may show it: bounded, on one line for whoever unpacks the JSON, and unable to move the cursor, recolour
 * a terminal or turn the reading direction.
 */

/** Longest word: names of hosts are shorter. */
const WORD_CHARS_MAX = 256;
const WORD = /^[\x21-\x7e]+$/;

// Controls but the line feed, separators that some readers take for a line end, and marks that turn text around.
// eslint-disable-next-line no-control-regex -- control characters are what it finds
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Line feeds stay, JSON writes them as two harmless characters; other controls become a question mark. */
export function safeText(value: string, charsMax: number): string {
  const shown = value.length > charsMax ? `${value.slice(0, charsMax)}…` : value;
  return shown.replaceAll('\r\n', '\n').replace(UNSAFE, '?').toWellFormed();
}

/** Undefined for what is no single word. */
export function safeWord(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.length <= WORD_CHARS_MAX && WORD.test(value) ? value : undefined;
}
