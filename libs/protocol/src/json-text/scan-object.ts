/**
 * Decides whether a worker's result text can be spliced, unparsed, into the router's own JSON and sent as one SSE
 * frame: a complete JSON object by RFC 8259 with no raw control character, not even between tokens. Builds no value
 * and keeps no call stack per level. It trusts nothing; nobody checks the text after it.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, spaceEnd } from './characters.js';
import { decodedString, hasOnlyLegalEscapes, stringEnd } from './string-end.js';

export interface ObjectScan {
  readonly verdict: 'ok' | 'malformed' | 'too_deep';
  /** Decoded keys of the outermost object, in order, duplicates kept; empty unless the verdict is `ok`. */
  readonly members: readonly string[];
}

// eslint-disable-next-line no-control-regex -- the control characters are the point: they would break SSE framing
const CONTROL_CHARACTER = /[\u0000-\u001f]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = ['true', 'false', 'null'];

/** @param depthMax most objects and arrays that may lie within each other. */
export function scanObject(text: string, depthMax: number): ObjectScan {
  if (CONTROL_CHARACTER.test(text) || !hasOnlyLegalEscapes(text)) return { verdict: 'malformed', members: [] };
  const reader = new ObjectReader(text, depthMax);
  const verdict = reader.read();
  return { verdict, members: verdict === 'ok' ? reader.members : [] };
}

type Step = 'value' | 'after' | ObjectScan['verdict'];

/** Each step reads one token or two and says what must come next, or the verdict. */
class ObjectReader {
  readonly members: string[] = [];
  private at = 0;
  /** One entry per open container, outermost first: whether it is an object. */
  private readonly open: boolean[] = [];

  constructor(
    private readonly text: string,
    private readonly depthMax: number,
  ) {}

  read(): ObjectScan['verdict'] {
    this.at = spaceEnd(this.text, 0);
    if (this.char() !== OPEN_BRACE) return 'malformed';
    let step: Step = 'value';
    while (step === 'value' || step === 'after') step = step === 'value' ? this.readValue() : this.readAfter();
    return step;
  }

  private readValue(): Step {
    const char = this.char();
    if (char === OPEN_BRACE || char === OPEN_BRACKET) return this.readOpening(char === OPEN_BRACE);
    const end = char === QUOTE ? stringEnd(this.text, this.at) + 1 : scalarEnd(this.text, this.at);
    if (end === 0) return 'malformed';
    this.at = end;
    return 'after';
  }

  private readOpening(isObject: boolean): Step {
    this.open.push(isObject);
    if (this.open.length > this.depthMax) return 'too_deep';
    this.at = spaceEnd(this.text, this.at + 1);
    if (this.char() === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return this.readClosing();
    return isObject ? this.readKey() : 'value';
  }

  private readClosing(): Step {
    this.open.pop();
    this.at += 1;
    return 'after';
  }

  private readKey(): Step {
    const end = this.char() === QUOTE ? stringEnd(this.text, this.at) : -1;
    if (end === -1) return 'malformed';
    if (this.open.length === 1) this.members.push(decodedString(this.text.slice(this.at + 1, end)) ?? '');
    this.at = spaceEnd(this.text, end + 1);
    if (this.char() !== COLON) return 'malformed';
    this.at = spaceEnd(this.text, this.at + 1);
    return 'value';
  }

  private readAfter(): Step {
    this.at = spaceEnd(this.text, this.at);
    const inObject = this.open.at(-1);
    if (inObject === undefined) return this.at === this.text.length ? 'ok' : 'malformed';
    const char = this.char();
    if (char === (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) return this.readClosing();
    if (char !== COMMA) return 'malformed';
    this.at = spaceEnd(this.text, this.at + 1);
    return inObject ? this.readKey() : 'value';
  }

  private char(): number {
    return this.text.charCodeAt(this.at);
  }
}

/** Offset after the number or literal that starts at `start`; 0 when none does. */
function scalarEnd(text: string, start: number): number {
  const literal = LITERALS.find((word) => text.startsWith(word, start));
  if (literal !== undefined) return start + literal.length;
  NUMBER.lastIndex = start;
  return NUMBER.test(text) ? NUMBER.lastIndex : 0;
}
