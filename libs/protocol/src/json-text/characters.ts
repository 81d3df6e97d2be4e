/** The characters that structure JSON text (RFC 8259 section 2), as UTF-16 code units. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Offset of the first character at or after `at` that is not JSON whitespace. */
export function spaceEnd(text: string, at: number): number {
  let end = at;
  while (isSpace(text.charCodeAt(end))) end += 1;
  return end;
}

function isSpace(char: number): boolean {
  return char === SPACE || char === LINE_FEED || char === CARRIAGE_RETURN || char === TAB;
}
