/** The rules as they are committed. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../harness/workspace.js';

const FOLDER = join(ROOT, 'deploy', 'observability', 'rules');
const TESTS = join(FOLDER, 'tests');
const RUNBOOKS = join(ROOT, 'docs', 'runbooks');

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function ruleFiles(): readonly string[] {
  return yamlFiles(FOLDER);
}

export function ruleTestFiles(): readonly string[] {
  return yamlFiles(TESTS);
}

export function readRules(): readonly Rule[] {
  return ruleFiles().flatMap((file) => {
    const { groups } = parse(readFileSync(file, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] };
    return groups.flatMap(({ rules }) => rules);
  });
}

/** Text by the page's name without `.md`. */
export function readRunbooks(): ReadonlyMap<string, string> {
  const files = readdirSync(RUNBOOKS).filter((file) => file.endsWith('.md'));
  return new Map(files.map((file) => [file.slice(0, -'.md'.length), readFileSync(join(RUNBOOKS, file), 'utf8')]));
}

/** `RoundhouseUnknownKey` has the page `unknown-key`. */
export function runbookOf(alert: string): string {
  return alert
    .replace(/^Roundhouse/, '')
    .replaceAll(/(?!^)([A-Z])/g, '-$1')
    .toLowerCase();
}

function yamlFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file));
}
