/**
 * What can be said about a source file without a model: its outline, and what the local rules of a style find in it.
 * Lines alone are looked at, so that any language will do; findings are hints and nothing more.
 */
import { createHash } from 'node:crypto';

export const STYLES = {
  small: 'Small functions, shallow nesting',
  names: 'Names that say the role',
  quiet: 'Less to read',
} as const;
export type Style = keyof typeof STYLES;

export interface Inspection {
  readonly path: string;
  /** SHA-256 of the content: tells whether this is still the file that was looked at. */
  readonly digest: string;
  readonly lines: number;
  /** Declarations as they stand, shortened. */
  readonly outline: readonly string[];
  readonly findings: readonly string[];
}

const OUTLINE_LINES_MAX = 12;
const OUTLINE_CHARS_MAX = 80;
const FINDINGS_MAX = 4;
const FILE_LINES_GOAL = 200;
const NESTING_GOAL = 3;
const LINE_CHARS_GOAL = 120;

const DECLARATION =
  /^\s*(export |public |pub |async |abstract |default )*(function|class|interface|def|func|fn|struct)\s/;
const VAGUE_NAME = /\b\w*(util|helper|manager|misc|handler)\w*/i;
const SHORT_PARAMETERS = /[(,]\s*[a-z]\s*[:,)]/;
const REMINDER = /\b(TODO|FIXME|XXX)\b/;
const COMMENTED_CODE = /^\s*(\/\/|#)\s*.*[;{}]\s*$/;

type Rule = (lines: readonly string[], path: string) => readonly string[];

const RULES: Readonly<Record<Style, Rule>> = {
  small: (lines) => [
    ...(lines.length > FILE_LINES_GOAL ? [`Split the file: it has ${lines.length} lines.`] : []),
    ...at(lines, (line) => nestingOf(line) > NESTING_GOAL, 'Take the inner block out into a function of its own'),
  ],
  names: (lines, path) => [
    ...(VAGUE_NAME.test(path) ? ['Name the file after its role.'] : []),
    ...at(lines, (line) => DECLARATION.test(line) && VAGUE_NAME.test(line), 'Say the role in the name'),
    ...at(lines, (line) => SHORT_PARAMETERS.test(line), 'Give the parameters names that can be read'),
  ],
  quiet: (lines) => [
    ...at(lines, (line) => REMINDER.test(line), 'Do it, or turn the reminder into an issue'),
    ...at(lines, (line) => COMMENTED_CODE.test(line), 'Delete the code in the comment'),
    ...at(lines, (line) => line.length > LINE_CHARS_GOAL, 'Break the line'),
  ],
};

export function inspect(path: string, text: string, style: Style): Inspection {
  const lines = text.replace(/\n$/, '').split('\n');
  const outline = lines.filter((line) => DECLARATION.test(line)).slice(0, OUTLINE_LINES_MAX);
  return {
    path,
    digest: digestOf(text),
    lines: lines.length,
    outline: outline.map((line) => toShown(line.trim(), OUTLINE_CHARS_MAX)),
    findings: RULES[style](lines, path).slice(0, FINDINGS_MAX),
  };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Controls and invisible marks, among them those that turn the direction of text; line ends stay where they may. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/gu;

/** Somebody else's text in ours. */
export function toShown(text: string, charsMax: number): string {
  return text.replace(UNSEEN, ' ').slice(0, charsMax).toWellFormed();
}

/** One finding for the first line where something holds, and for how many more. */
function at(lines: readonly string[], isSo: (line: string) => boolean, advice: string): string[] {
  const numbers = lines.flatMap((line, index) => (isSo(line) ? [index + 1] : []));
  const [first] = numbers;
  if (first === undefined) return [];
  const more = numbers.length === 1 ? '' : ` and ${numbers.length - 1} more`;
  return [`${advice} (line ${first}${more}).`];
}

function nestingOf(line: string): number {
  const indent = /^(\t*)( *)\S/.exec(line);
  return indent === null ? 0 : (indent[1]?.length ?? 0) + Math.floor((indent[2]?.length ?? 0) / 2);
}
