// Finds the commands that a page tells its reader to run, and what is wrong with each before it is even run.
import { existsSync } from 'node:fs';

const SHELL_BLOCK = /^```sh\n([\s\S]*?)^```$/gm;
/** Programs that a reader has, or is told to install. */
const PROGRAMS = {
  npm: problemOfNpm,
  node: problemOfNode,
  bash: problemOfNode,
  curl: problemOfCurl,
  git: () => undefined,
  cd: () => undefined,
};
const NPM_COMMANDS = new Set(['ci', 'install']);
const NPM_SCRIPTS_OF_THEIR_OWN = new Set(['start', 'test']);

/** @returns {string[]} commands in the order of the page, each on one line */
export function findCommands(markdown) {
  return [...markdown.matchAll(SHELL_BLOCK)].flatMap(([, block]) =>
    joinLines(block)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => splitAt(line, '&&')),
  );
}

/** @returns {string | undefined} why the command cannot run, in words */
export function problemOfCommand(command, scripts) {
  const words = splitWords(command);
  if (words === undefined) return 'a quote is left open';
  const [program, ...args] = words.filter((word, index) => index > 0 || !/^[A-Z_]+=/.test(word));
  if (!Object.hasOwn(PROGRAMS, program)) return `${program} is not a program this page may count on`;
  return PROGRAMS[program](args, scripts);
}

function problemOfNpm([command, ...args], scripts) {
  if (NPM_COMMANDS.has(command)) return undefined;
  const script = command === 'run' ? args[0] : NPM_SCRIPTS_OF_THEIR_OWN.has(command) ? command : undefined;
  if (script === undefined) return `npm ${command} is not a command`;
  return Object.hasOwn(scripts, script) ? undefined : `there is no script ${script}`;
}

function problemOfNode(args) {
  const file = args.find((arg) => !arg.startsWith('-'));
  return file !== undefined && existsSync(new URL(`../${file}`, import.meta.url))
    ? undefined
    : `there is no file ${file}`;
}

function problemOfCurl(args) {
  const urls = args.filter((arg) => /^https?:/.test(arg));
  if (urls.length !== 1 || !URL.canParse(urls[0])) return 'curl needs one URL';
  const headers = valuesOf(args, ['-H', '--header']);
  const broken = headers.find((header) => !/^[A-Za-z0-9-]+: \S/.test(header));
  if (broken !== undefined) return `"${broken}" is not a header`;
  return valuesOf(args, ['-d', '--data', '--data-raw', '--json']).map(problemOfJson).find(Boolean);
}

function problemOfJson(text) {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `the body is not JSON: ${error.message}`;
  }
}

const valuesOf = (args, names) => args.filter((_arg, index) => names.includes(args[index - 1]));

/** A line that ends in a backslash, or inside single quotes, goes on. */
function joinLines(block) {
  const parts = block.replaceAll('\\\n', ' ').split("'");
  return parts.map((part, index) => (index % 2 === 1 ? part.replaceAll('\n', ' ') : part)).join("'");
}

function splitAt(line, operator) {
  const parts = [''];
  for (const piece of line.split(/('[^']*'|"[^"]*")/)) {
    const [first, ...others] = /^['"]/.test(piece) ? [piece] : piece.split(operator);
    parts[parts.length - 1] += first;
    parts.push(...others);
  }
  return parts.map((part) => part.trim());
}

/** Words as a shell would hand them over; nothing when a quote is left open. */
function splitWords(command) {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g) ?? [];
  const bare = command.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/g, '');
  if (/['"]/.test(bare)) return undefined;
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_all, single, double) => single ?? double.replaceAll(/\\(.)/g, '$1'),
    ),
  );
}
