/** For property tests: JSON values, and their text spelled in ways that JSON.stringify never would. */
import fc from 'fast-check';

export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 5, noUnicodeString: false });

/** `value` as JSON with whitespace between tokens wherever the choices say. */
export function spaced(
  value: unknown,
  choices: Iterable<number>,
  spaces = ['', '', '', '', ' ', '\n', '\t', '\r\n '],
): string {
  const next = choices[Symbol.iterator]();
  const space = () => spaces[(next.next().value as number) % spaces.length] ?? '';
  const write = (json: unknown): string => {
    if (Array.isArray(json)) return `[${space()}${json.map((item) => write(item) + space()).join(`,${space()}`)}]`;
    if (typeof json !== 'object' || json === null) return JSON.stringify(json);
    const members = Object.entries(json).map(
      ([key, item]) => `${JSON.stringify(key)}${space()}:${space()}${write(item)}`,
    );
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
  };
  return `${space()}${write(value)}${space()}`;
}

/** The same text with some letters of the watched keys written as escapes. */
export function escapedKeys(text: string, choices: Iterable<number>): string {
  const next = choices[Symbol.iterator]();
  return text.replace(/"(params|arguments)"/g, (key) =>
    key.replace(/[a-z]/g, (letter) =>
      (next.next().value as number) < 2 ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter,
    ),
  );
}

/** `text` with up to three characters replaced, removed, inserted or a piece of it repeated. */
export function mutated(text: string): fc.Arbitrary<string> {
  const snippet = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    ' ',
    '0',
    '-',
    '.',
    'e',
    'n',
    'true',
    'null',
    '\\u',
    '"params":',
    '"arguments":',
    '\u0001',
    '\n',
    '',
  );
  const edit = fc.tuple(fc.nat(text.length), fc.nat(4), snippet);
  return fc
    .array(edit, { minLength: 1, maxLength: 3 })
    .map((edits) =>
      edits.reduce((before, [at, removed, added]) => before.slice(0, at) + added + before.slice(at + removed), text),
    );
}

/** What JSON.parse makes of the text, or undefined when it refuses. */
export function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
