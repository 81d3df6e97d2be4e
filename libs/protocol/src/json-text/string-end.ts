/** Where a JSON string ends and what it says, found without reading its characters one by one. */
import { BACKSLASH } from './characters.js';

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Offset of the quote that closes the string opened at `open`, or -1 when none does. A quote closes when an even
 * number of backslashes stands before it. Linear: a run of backslashes is counted only for the quote right after it.
 */
export function stringEnd(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote;
}

/** What a string says to JSON.parse, given the text between its quotes; undefined when its escapes are illegal. */
export function decodedString(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

/**
 * Whether every backslash in the text begins an escape of RFC 8259 section 7. Backslashes outside strings are for the
 * caller's token checks to refuse.
 */
export function hasOnlyLegalEscapes(text: string): boolean {
  let at = text.indexOf('\\');
  while (at !== -1) {
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text)) return false;
    at = text.indexOf('\\', ESCAPE.lastIndex);
  }
  return true;
}

function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
}
