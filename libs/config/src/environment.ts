/**
 * Environment variables that override the file, one a field. A variable's text becomes what the schema expects there;
 * text that cannot is passed on as it is, so that the schema refuses it by its own rule. An empty variable counts as not
 * set, because charts and compose files cannot leave one out.
 */
import assert from 'node:assert/strict';
import { alternativesOf, formsAt, type Form, type Shape } from './config-fields.js';
import { CONFIG_FILE_ENV } from './config-file.js';

const SCALARS: ReadonlySet<string | undefined> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

export interface Override {
  /** Path inside the section. */
  readonly path: readonly string[];
  readonly env: string;
  /** Forms that the schema allows at this path. */
  readonly forms: readonly Form[];
}

/** Checks the map of dotted path to variable name against the schema; a mistake is a bug in `config.ts`. */
export function toOverrides(shape: Shape, env: Readonly<Record<string, string>>): Override[] {
  const names = new Set<string>([CONFIG_FILE_ENV]);
  return Object.entries(env).map(([dotted, name]) => {
    const path = dotted.split('.');
    const forms = formsAt(shape, path);
    assert.match(name, /^[A-Z][A-Z0-9_]*$/, `${name} is not a name for an environment variable`);
    assert.ok(!names.has(name), `${name} is used twice`);
    assert.ok(forms.length > 0, `the schema has no field ${dotted}`);
    assert.ok(forms.every(fitsOneVariable), `${dotted} cannot be written as one environment variable`);
    names.add(name);
    return { path, env: name, forms };
  });
}

/** Sets what the environment gives over the section read from the file; returns the names that were used. */
export function applyOverrides(section: unknown, overrides: readonly Override[], env: NodeJS.ProcessEnv): Override[] {
  return overrides.filter(({ path, env: name, forms }) => {
    const text = env[name];
    if (text === undefined || text.trim() === '') return false;
    setAt(section, path, toValue(text.trim(), forms));
    return true;
  });
}

function setAt(section: unknown, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path;
  // A file that has text where the schema has an object keeps it, and the schema refuses it by its line.
  if (key === undefined || typeof section !== 'object' || section === null) return;
  const holder = section as Record<string, unknown>;
  if (rest.length === 0) {
    holder[key] = value;
    return;
  }
  holder[key] ??= {};
  setAt(holder[key], rest, value);
}

function toValue(text: string, forms: readonly Form[]): unknown {
  const list = forms.find(({ type }) => type === 'array');
  if (list !== undefined) {
    const forms = alternativesOf(list.items ?? {});
    const entries = text.split(',').map((entry) => entry.trim());
    return entries.filter((entry) => entry !== '').map((entry) => toScalar(entry, forms));
  }
  return toScalar(text, forms);
}

function toScalar(text: string, forms: readonly Form[]): unknown {
  const types = new Set(forms.map(({ type }) => type));
  if ((types.has('number') || types.has('integer')) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function fitsOneVariable(form: Form): boolean {
  if (form.type === undefined || SCALARS.has(form.type)) return true;
  if (form.type !== 'array') return false;
  return alternativesOf(form.items ?? {}).every(({ type }) => type === undefined || SCALARS.has(type));
}
