/** Keeps JSON text on one line for readers that see more line ends than CR and LF, such as Python's splitlines. */

const LINE_SEPARATOR = /[\u0085\u2028\u2029]/;
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/**
 * The same JSON document with U+0085, U+2028 and U+2029 written as escapes. They can only stand inside strings, so the
 * values stay what they were; text without them is returned as it is.
 */
export function escapeLineSeparators(text: string): string {
  return LINE_SEPARATOR.test(text) ? text.replace(LINE_SEPARATORS, escaped) : text;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
