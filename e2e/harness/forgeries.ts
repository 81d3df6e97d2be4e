/** Ways to spoil a sealed string. Each differs from the original in its characters, some not in the bytes they decode to. */

/** Spoiled states by what was done to them; `other` is a second good state of the same call. */
export function everyForgery(state: string, other: string): Readonly<Record<string, string>> {
  const [prefix = '', body = ''] = state.split('.');
  const flips = [prefix.length + 1, Math.floor(state.length / 4), Math.floor(state.length / 2), state.length - 1];
  const cuts = [
    0,
    1,
    prefix.length,
    prefix.length + 1,
    Math.floor(state.length / 2),
    state.length - 4,
    state.length - 1,
  ];
  return {
    ...Object.fromEntries(flips.map((at) => [`character ${at} changed`, flipAt(state, at)])),
    ...Object.fromEntries(cuts.map((length) => [`cut to ${length} characters`, state.slice(0, length)])),
    'other bits in the last character': otherSpelling(state),
    'one padding character': `${state}=`,
    'two padding characters': `${state}==`,
    'one character more': `${state}A`,
    'four characters more': `${state}AAAA`,
    'upper case': state.toUpperCase(),
    'twice in a row': `${state}${state}`,
    'two states in a row': `${state}${other}`,
    'two bodies in a row': `${prefix}.${body}${other.slice(prefix.length + 1)}`,
    'head of one and tail of another': `${state.slice(0, 60)}${other.slice(60)}`,
    'another version': `v2.${body}`,
    'no version': body,
    'no dot': `${prefix}${body}`,
    'two dots': `${prefix}..${body}`,
    'a space before': ` ${state}`,
    'a space after': `${state} `,
    'a line break after': `${state}\n`,
    'a NUL after': `${state}\u0000`,
    'a lone surrogate': `${prefix}.\udc00${body.slice(1)}`,
    'the other alphabet': `${prefix}.+/${body.slice(2)}`,
    'percent-encoded': state.replace('.', '%2E'),
    'the word null': 'null',
    'too long by far': `${prefix}.${'A'.repeat(1024 * 1024)}`,
  };
}

export const notStrings: readonly unknown[] = [0, 1, true, false, {}, [], ['v1.a'], { toString: 'v1.a' }];

function flipAt(text: string, at: number): string {
  const changed = text[at] === 'A' ? 'B' : 'A';
  return `${text.slice(0, at)}${changed}${text.slice(at + 1)}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * The last character replaced by the next one. When the last group is not full, its unused bits change and lenient
 * decoders read the same bytes (RFC 4648 section 3.5); when it is full, the last byte changes.
 */
function otherSpelling(text: string): string {
  const last = ALPHABET.indexOf(text.at(-1) ?? '');
  return `${text.slice(0, -1)}${ALPHABET[last ^ 1] ?? ''}`;
}
