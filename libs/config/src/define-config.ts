/**
 * One definition per process: its section of the file, the variables that override it, and the schema that has the last
 * word. It reads files and variables once, before the framework starts, and never prints a value.
 */
import { z } from 'zod';
import { assertStrictObjects, listFields, formsAt, toShape, type ConfigField, type Shape } from './config-fields.js';
import { CONFIG_FILE_ENV, readConfigFile } from './config-file.js';
import { configError, placeOfLine, type ConfigProblem } from './config-problem.js';
import { NO_CONFIG, parseConfigText, type ConfigText } from './config-text.js';
import { applyOverrides, toOverrides, type Override } from './environment.js';

export interface ConfigSpec<T> {
  /** The section's name in the file: `router`, `replay`, `toolWorker`. */
  readonly name: string;
  /** A strict object of strict objects; give nested objects `.prefault({})` so that their inner defaults apply. */
  readonly schema: z.ZodType<T>;
  /** Dotted path inside the section → environment variable: `{ 'listen.port': 'ROUNDHOUSE_ROUTER_LISTEN_PORT' }`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ConfigDefinition<T> {
  readonly name: string;
  /**
   * File (when `ROUNDHOUSE_CONFIG_FILE` is set), then environment, then schema.
   * @throws RoundhouseError `config_invalid` (`config_unreadable`, `config_malformed`); `facts.problems` has a line a problem
   */
  load(env: NodeJS.ProcessEnv): T;
  /**
   * The text of a file, then schema: for settings that are followed while the process runs.
   * @throws RoundhouseError `config_invalid` (`config_malformed`), as `load` does
   */
  parse(text: string): T;
  /** Every field, in the schema's order. */
  document(): ConfigField[];
  /** The section as JSON Schema, for those who check it before a process reads it; what spans fields is not in it. */
  readonly shape: Shape;
}

/** Keys of the file that belong to other processes are ignored; an unknown key inside our section is refused. */
export function defineConfig<T>({ name, schema, env }: ConfigSpec<T>): ConfigDefinition<T> {
  const shape = toShape(schema);
  assertStrictObjects(shape, name);
  const overrides = toOverrides(shape, env);
  const envByPath = new Map(overrides.map((override) => [`${name}.${override.path.join('.')}`, override.env]));
  const read = (file: ConfigText, processEnv: NodeJS.ProcessEnv): T => {
    const section = file.section(name) ?? {};
    const used = applyOverrides(section, overrides, processEnv);
    const parsed = schema.safeParse(section);
    if (parsed.success) return parsed.data;
    const source: Source = { name, file, section, shape, overrides, used };
    throw configError(
      'config_malformed',
      parsed.error.issues.flatMap((issue) => toProblems(issue, source)),
    );
  };
  return {
    name,
    document: () => listFields(shape, name, envByPath),
    shape,
    load(processEnv) {
      const path = processEnv[CONFIG_FILE_ENV];
      const isSet = path !== undefined && path !== '';
      return read(isSet ? readConfigFile(path) : NO_CONFIG, processEnv);
    },
    parse: (text) => read(parseConfigText(text), {}),
  };
}

interface Source {
  readonly name: string;
  readonly file: ConfigText;
  readonly section: unknown;
  readonly shape: Shape;
  readonly overrides: readonly Override[];
  readonly used: readonly Override[];
}

function toProblems(issue: z.core.$ZodIssue, source: Source): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => toProblem([...issue.path, key], 'this key is unknown', source));
  }
  const isMissing = issue.code !== 'custom' && valueAt(source.section, issue.path) === undefined;
  return [toProblem(issue.path, isMissing ? 'is required' : toRule(issue, source.shape), source)];
}

function toProblem(path: readonly PropertyKey[], rule: string, source: Source): ConfigProblem {
  return { path: [source.name, ...path], rule, place: toPlace(path, source) };
}

function toRule(issue: z.core.$ZodIssue, shape: Shape): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const allowed = formsAt(shape, issue.path.map(String)).flatMap(({ const: one }) => (one === undefined ? [] : [one]));
  if (allowed.length > 0) return `expected one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
  const branches = issue.errors.flatMap(([first]) => (first === undefined ? [] : [toRule(first, shape)]));
  return `fits none of the allowed forms: ${[...new Set(branches)].join(' | ')}`;
}

function toPlace(path: readonly PropertyKey[], { name, file, section, overrides, used }: Source): string {
  const setting = used.find((override) => override.path.every((key, index) => key === path[index]));
  if (setting !== undefined) return setting.env;
  if (valueAt(section, path) === undefined) {
    const wanted = overrides.find((override) => override.path.join('.') === path.join('.'));
    return wanted === undefined ? 'not set' : `not set; ${wanted.env} or the file can set it`;
  }
  for (let length = path.length; length >= 0; length -= 1) {
    const line = file.lineOf([name, ...path.slice(0, length)]);
    if (line !== undefined) return placeOfLine(line);
  }
  return 'set by default';
}

function valueAt(section: unknown, path: readonly PropertyKey[]): unknown {
  let value = section;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
