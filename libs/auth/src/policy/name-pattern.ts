/**
 * Names with `*` for any run of characters. Not a regular expression: matching takes time in proportion to the text for
 * any pattern, so that neither an operator's pattern nor a client's name can make it slow.
 */
export const PATTERN_CHARS_MAX = 256;
const PATTERN = /^[\x21-\x7e]{1,256}$/;

export function isNamePattern(text: string): boolean {
  return PATTERN.test(text);
}

export type NameMatcher = (name: string) => boolean;

export function nameMatcher(pattern: string): NameMatcher {
  const [head = '', ...parts] = pattern.split('*');
  const tail = parts.pop();
  if (tail === undefined) return (name) => name === pattern;
  const inner = parts.filter((part) => part !== '');
  const charsMin = head.length + tail.length;
  return (name) => {
    if (name.length < charsMin || !name.startsWith(head) || !name.endsWith(tail)) return false;
    return hasInOrder(name, inner, { from: head.length, to: name.length - tail.length });
  };
}

/** Leftmost first: what is found early leaves most room for the rest, so nothing has to be tried again. */
function hasInOrder(name: string, parts: readonly string[], { from, to }: { from: number; to: number }): boolean {
  let at = from;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > to) return false;
    at = found + part.length;
  }
  return true;
}

/** True for whatever one of the patterns takes; no pattern takes nothing. */
export function anyMatcher(patterns: readonly string[]): NameMatcher {
  const matchers = patterns.map(nameMatcher);
  return (name) => matchers.some((matches) => matches(name));
}
