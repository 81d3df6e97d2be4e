// Names of files and folders, and what a file has to open with: the part of the house style that no linter knows.

/** Words that say what kind of thing a file holds instead of what it is for. */
const BANNED = new Set(
  'util utils helper helpers common shared core misc manager handlers types constants interfaces models'.split(' '),
);
const CODE_FOLDERS = /^(apps|libs|e2e|tools)\//;
/** Names that a tool or a platform prescribes. */
const PRESCRIBED = /^(README\.md|CHANGELOG\.md|Dockerfile|\.[a-z].*)$/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const BARREL = /^libs\/[^/]+\/src\/index\.ts$/;
const NEEDS_OPENING = /^(apps|libs)\/.*\.ts$/;
const EXEMPT_FROM_OPENING = /(\.spec|\/index)\.ts$/;
const REMINDER = /(\/\/|\*|#)\s*(TODO|FIXME|XXX)\b/;
const EXEMPTION = /(\/\/|\/\*)\s*(eslint-disable|@ts-expect-error|prettier-ignore)/;
/** Fewer characters than this cannot tell a job. */
const OPENING_CHARS_MIN = 30;

/** @returns {string[]} what the path breaks, in words */
export function problemsOfPath(path) {
  if (!CODE_FOLDERS.test(path)) return [];
  const parts = path.split('/').slice(1);
  const problems = parts.flatMap((part) => problemsOfPart(part));
  if (path.endsWith('.service.ts')) problems.push('say the role instead of .service.ts');
  if (/(^|\/)index\.ts$/.test(path) && !BARREL.test(path))
    problems.push('only libs/<lib>/src/index.ts may be an index');
  return problems;
}

function problemsOfPart(part) {
  if (PRESCRIBED.test(part)) return [];
  const words = part.split('.');
  const banned = words.filter((word) => BANNED.has(word));
  const problems = banned.map((word) => `"${word}" does not say what it is for`);
  if (!words.every((word) => KEBAB.test(word))) problems.push(`"${part}" is not kebab-case`);
  return problems;
}

/** @returns {string[]} what the text breaks, in words */
export function problemsOfText({ path, text }) {
  const problems = [];
  if (NEEDS_OPENING.test(path) && !EXEMPT_FROM_OPENING.test(path) && !opensWithItsJob(text)) {
    problems.push('the file must open with a comment that tells its job');
  }
  text.split('\n').forEach((line, index) => {
    if (REMINDER.test(line) && !/#\d+/.test(line))
      problems.push(`line ${index + 1}: a reminder without an issue number`);
    if (EXEMPTION.test(line) && !/ -- \S/.test(line))
      problems.push(`line ${index + 1}: an exemption that does not say why`);
  });
  return problems;
}

function opensWithItsJob(text) {
  const opening = /^(#![^\n]*\n)?\s*(\/\*[\s\S]*?\*\/|(\/\/[^\n]*\n)+)/.exec(text);
  return opening !== null && opening[0].replaceAll(/[/*\s]/g, '').length >= OPENING_CHARS_MIN;
}

/** @returns {string[]} one line a problem */
export function findNameProblems(paths, sources) {
  const byPath = paths.flatMap((path) => problemsOfPath(path).map((problem) => `${path}: ${problem}`));
  const byText = sources.flatMap((source) => problemsOfText(source).map((problem) => `${source.path}: ${problem}`));
  return [...byPath, ...byText];
}
