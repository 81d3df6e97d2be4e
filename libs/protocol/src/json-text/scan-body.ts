/**
 * Finds `params` and `params.arguments` in the text of a request and measures how deep it nests, in one pass and
 * without building a value. It trusts nothing and validates little: JSON.parse runs afterwards and has the last word.
 * What it does say, it says as JSON.parse would: the last of two equal keys wins, and escaped keys are the same keys.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, spaceEnd } from './characters.js';
import { decodedString, stringEnd } from './string-end.js';

/** Char offsets of one value in the text, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface BodyScan {
  /** `malformed` is certain; `ok` still needs JSON.parse. */
  readonly verdict: 'ok' | 'malformed' | 'too_deep';
  /** The value of the root's member `params`. */
  readonly paramsSpan?: Span;
  /** The value of that object's member `arguments`. */
  readonly argumentsSpan?: Span;
}

const MALFORMED = -1;
const TOO_DEEP = -2;
const ROOT_DEPTH = 1;
const PARAMS_DEPTH = 2;

/** @param depthMax most objects and arrays that may lie within each other; one more is found at once. */
export function scanBody(text: string, depthMax: number): BodyScan {
  const reader = new BodyReader(text, depthMax);
  const start = spaceEnd(text, 0);
  const isObject = text.charCodeAt(start) === OPEN_BRACE;
  const end = isObject ? reader.readObject(start, ROOT_DEPTH) : reader.skipValue(start, 0);
  if (end === TOO_DEEP) return { verdict: 'too_deep' };
  if (end === MALFORMED || spaceEnd(text, end) !== text.length) return { verdict: 'malformed' };
  return { verdict: 'ok', paramsSpan: reader.paramsSpan, argumentsSpan: reader.argumentsSpan };
}

/** Every reader returns the offset after what it read, or MALFORMED or TOO_DEEP. */
class BodyReader {
  paramsSpan: Span | undefined;
  argumentsSpan: Span | undefined;

  constructor(
    private readonly text: string,
    private readonly depthMax: number,
  ) {}

  /** The root object, or the object that is the value of its `params`: the only two whose members are told apart. */
  readObject(open: number, depth: number): number {
    const { text } = this;
    if (depth > this.depthMax) return TOO_DEEP;
    let at = spaceEnd(text, open + 1);
    if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1;
    for (;;) {
      const keyEnd = text.charCodeAt(at) === QUOTE ? stringEnd(text, at) : MALFORMED;
      if (keyEnd === MALFORMED) return MALFORMED;
      const colon = spaceEnd(text, keyEnd + 1);
      if (text.charCodeAt(colon) !== COLON) return MALFORMED;
      const start = spaceEnd(text, colon + 1);
      const key = text.slice(at + 1, keyEnd);
      const end = depth === ROOT_DEPTH ? this.readRootMember(key, start) : this.readParam(key, start);
      if (end < 0) return end;
      at = spaceEnd(text, end);
      const next = text.charCodeAt(at);
      if (next === CLOSE_BRACE) return at + 1;
      if (next !== COMMA) return MALFORMED;
      at = spaceEnd(text, at + 1);
    }
  }

  /** Any value, its brackets counted but not matched by kind. `depth`: of the object or array around it. */
  skipValue(start: number, depth: number): number {
    const first = this.text.charCodeAt(start);
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return this.skipNested(start, depth);
    if (first !== QUOTE) return scalarEnd(this.text, start);
    const end = stringEnd(this.text, start);
    return end === -1 ? MALFORMED : end + 1;
  }

  private readRootMember(key: string, start: number): number {
    if (!says(key, 'params')) return this.skipValue(start, ROOT_DEPTH);
    this.argumentsSpan = undefined;
    const isObject = this.text.charCodeAt(start) === OPEN_BRACE;
    const end = isObject ? this.readObject(start, PARAMS_DEPTH) : this.skipValue(start, ROOT_DEPTH);
    this.paramsSpan = { start, end };
    return end;
  }

  private readParam(key: string, start: number): number {
    const end = this.skipValue(start, PARAMS_DEPTH);
    if (says(key, 'arguments')) this.argumentsSpan = { start, end };
    return end;
  }

  private skipNested(open: number, outerDepth: number): number {
    const { text, depthMax } = this;
    let depth = outerDepth;
    for (let at = open; at < text.length; at += 1) {
      const char = text.charCodeAt(at);
      if (char === QUOTE) {
        at = stringEnd(text, at);
        if (at === -1) return MALFORMED;
      } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
        depth += 1;
        if (depth > depthMax) return TOO_DEEP;
      } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
        depth -= 1;
        if (depth === outerDepth) return at + 1;
      }
    }
    return MALFORMED;
  }
}

/** Whether a key, given as it stands between its quotes, is `expected`. An escape always takes more characters. */
function says(raw: string, expected: string): boolean {
  return raw === expected || (raw.length > expected.length && decodedString(raw) === expected);
}

/** End of a number or literal: whatever stands before the next delimiter. */
function scalarEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at += 1;
  return at;
}

function isDelimiter(char: number): boolean {
  return char === COMMA || char === CLOSE_BRACE || char === CLOSE_BRACKET || char <= 0x20;
}
