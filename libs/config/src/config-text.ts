/**
 * Parses the text of a configuration file and remembers on which line each key stood. It takes plain data only: aliases,
 * tags, repeated keys, deep nesting and keys that reach a prototype are refused wherever they stand.
 */
import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type CST,
  type Document,
  type ErrorCode,
  type ParsedNode,
} from 'yaml';
import { configError, placeOfLine, type ConfigProblem } from './config-problem.js';

/** Deepest nesting, in tokens that are open at once, about one a level: our schemas stay below 8 levels. */
const NESTING_MAX = 32;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface ConfigText {
  /** The section as plain data; `undefined` when the file has none or leaves it empty. */
  section(name: string): unknown;
  /** Line, counted from 1, of the key at this path, the section's name first. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

export const NO_CONFIG: ConfigText = { section: () => undefined, lineOf: () => undefined };

/** @throws RoundhouseError `config_invalid`: `config_malformed` */
export function parseConfigText(text: string): ConfigText {
  const counter = new LineCounter();
  const document = parseYaml(text, counter);
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    throw malformed(faults.map(({ code, pos }) => ({ rule: syntaxRule(code), line: counter.linePos(pos[0]).line })));
  }
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) return NO_CONFIG;
  if (!isMap(root)) throw malformed([{ rule: 'the file must be a mapping of sections', line: 1 }]);
  const lines = indexLines(root, counter);
  const sections = document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>;
  return {
    section: (name) => (Object.hasOwn(sections, name) ? (sections[name] ?? undefined) : undefined),
    lineOf: (path) => lines.get(lineKey(path)),
  };
}

function parseYaml(text: string, counter: LineCounter): Document.Parsed {
  // Pretty errors would quote the file, values included.
  const composer = new Composer({ prettyErrors: false, version: '1.2' });
  const [document, second] = composer.compose(readShallowTokens(text, counter), true, text.length);
  if (second !== undefined) throw malformed([{ rule: 'the file holds more than one document', line: 1 }]);
  if (document?.directives.yaml.version !== '1.2') throw malformed([{ rule: 'only YAML 1.2 is read', line: 1 }]);
  return document as Document.Parsed;
}

/** The composer recurses: it must never see a file so deep that the stack, and with it the process, would die. */
function* readShallowTokens(text: string, counter: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(counter.addNewLine);
  counter.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > NESTING_MAX) {
      throw malformed([{ rule: 'the file is nested too deeply', line: counter.linePos(parser.offset).line }]);
    }
  }
  yield* parser.end();
}

interface Place {
  readonly node: ParsedNode | null;
  readonly path: readonly PropertyKey[];
}

function indexLines(root: ParsedNode, counter: LineCounter): Map<string, number> {
  const lines = new Map<string, number>();
  const waiting: Place[] = [{ node: root, path: [] }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const child of childrenOf(place, counter)) {
      lines.set(lineKey(child.path), child.line);
      waiting.push(child);
    }
  }
  return lines;
}

function childrenOf({ node, path }: Place, counter: LineCounter): (Place & { line: number })[] {
  if (node === null) return [];
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const refuse = (rule: string) => malformed([{ path, rule, line: lineAt(node.range[0]) }]);
  if (isAlias(node)) throw refuse('aliases are not allowed');
  if (node.tag !== undefined) throw refuse('tags are not allowed');
  if (!isMap(node) && !isSeq(node)) return [];
  return (node.items as unknown[]).map((item, index) => {
    if (!isPair(item)) {
      const element = item as ParsedNode;
      return { node: element, path: [...path, index], line: lineAt(element.range[0]) };
    }
    const key = item.key as ParsedNode;
    return {
      node: item.value as ParsedNode | null,
      path: [...path, plainKey(key, path, lineAt)],
      line: lineAt(key.range[0]),
    };
  });
}

function plainKey(key: ParsedNode, path: readonly PropertyKey[], lineAt: (offset: number) => number): string {
  const line = lineAt(key.range[0]);
  if (!isScalar(key)) throw malformed([{ path, rule: 'a key must be plain text', line }]);
  const name = String(key.value);
  if (FORBIDDEN_KEYS.has(name)) throw malformed([{ path: [...path, name], rule: 'this key is not allowed', line }]);
  return name;
}

function syntaxRule(code: ErrorCode | 'TAG_RESOLVE_FAILED'): string {
  if (code === 'DUPLICATE_KEY') return 'a key is repeated';
  if (code === 'TAG_RESOLVE_FAILED') return 'tags are not allowed';
  return `not valid YAML: ${code.toLowerCase().replaceAll('_', ' ')}`;
}

function malformed(found: readonly { path?: readonly PropertyKey[]; rule: string; line: number }[]) {
  const problems = found.map(({ path = [], rule, line }): ConfigProblem => ({ path, rule, place: placeOfLine(line) }));
  return configError('config_malformed', problems);
}

function lineKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path);
}
