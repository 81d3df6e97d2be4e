/**
 * What is wrong with a configuration, told by path, rule and place. A value never appears: a password that landed in the
 * wrong key must not end up in a log.
 */
import { RoundhouseError, type Reason } from '@roundhouse/errors';

/** Problems that one error lists: more than an operator reads, few enough for a log line. */
export const PROBLEMS_LISTED_MAX = 50;
/** Longest key name that is shown, in characters: a mis-indented line can turn a value into a key. */
const KEY_CHARS_MAX = 64;

export interface ConfigProblem {
  /** Keys and list positions, the section's name first; empty for the file as a whole. */
  readonly path: readonly PropertyKey[];
  /** The rule that was broken, in words. */
  readonly rule: string;
  /** The environment variable, or the line of the file. */
  readonly place: string;
}

/** The error that a process starts with instead of starting: code `config_invalid`, one line a problem in its facts. */
export function configError(reason: Reason, problems: readonly ConfigProblem[]): RoundhouseError {
  const listed = problems.slice(0, PROBLEMS_LISTED_MAX).map(toLine);
  if (problems.length > listed.length) listed.push(`and ${problems.length - listed.length} more`);
  return new RoundhouseError('config_invalid', {
    reason,
    facts: { problems: listed.join('\n'), problemCount: problems.length },
  });
}

/** Text for standard error when a process refuses to start: a heading, then one indented line a problem. */
export function printConfigProblem(error: unknown): string {
  const { code, message, reason, facts } = RoundhouseError.from(error);
  if (code !== 'config_invalid') return `${message} (${code}, ${reason})`;
  const lines = typeof facts['problems'] === 'string' ? facts['problems'].split('\n') : [];
  return [`${message} (${reason})`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Dotted path as operators write it: `router.origins[2]`. */
export function toDotted(path: readonly PropertyKey[]): string {
  let dotted = '';
  for (const key of path) {
    if (typeof key === 'number') dotted += `[${key}]`;
    else dotted += (dotted === '' ? '' : '.') + toShownKey(String(key));
  }
  return dotted;
}

export function placeOfLine(line: number): string {
  return `line ${line} of the file`;
}

function toLine({ path, rule, place }: ConfigProblem): string {
  const line = path.length === 0 ? `${rule} (${place})` : `${toDotted(path)}: ${rule} (${place})`;
  return line.replaceAll('\n', ' ');
}

function toShownKey(key: string): string {
  const plain = key.replaceAll(/\p{C}/gu, '?');
  return plain.length > KEY_CHARS_MAX ? `${plain.slice(0, KEY_CHARS_MAX)}…` : plain;
}
