/**
 * Reads a configuration schema as a tree of fields: what may be set, of which type, with which default. It works on the
 * JSON Schema that zod derives, so it knows exactly what zod accepts as input and nothing of zod's inside.
 */
import assert from 'node:assert/strict';
import { z } from 'zod';

/** The part of JSON Schema that zod writes for configuration. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
}

/** One row of the generated configuration page. */
export interface ConfigField {
  /** Path in the file, the section's name first; `[]` marks list entries, `<name>` a key the operator chooses. */
  readonly path: string;
  /** In words: `integer, 1 to 65535`, `list of string`, `"static" | "dns"`. */
  readonly type: string;
  /** Whether the process cannot start without it. */
  readonly required: boolean;
  /** Path of the optional part of the configuration in which it is required. */
  readonly requiredWithin?: string;
  /** As JSON text; absent when the field has none. */
  readonly default?: string;
  /** The environment variable that overrides the file. */
  readonly env?: string;
  /** From the schema's `.describe()`; empty when it has none. */
  readonly description: string;
}

export type Form = Omit<Shape, 'type' | 'anyOf' | 'oneOf' | 'allOf'> & { readonly type?: string };

export function toShape(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
}

/** Every form a value may take here, each of one type: unions, intersections and mixed literals opened up. */
export function alternativesOf(shape: Shape): Form[] {
  const nested = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])];
  if (nested.length > 0) return nested.flatMap(alternativesOf);
  const { type, ...rest } = shape;
  if (type !== undefined) return [type].flat().map((one) => ({ ...rest, type: one }));
  return rest.enum === undefined ? [rest] : rest.enum.map((one) => ({ type: typeof one, const: one }));
}

/** Every form the field at this path may take; none when the schema has no such field. */
export function formsAt(shape: Shape, path: readonly string[]): Form[] {
  const [key, ...rest] = path;
  if (key === undefined) return alternativesOf(shape);
  return alternativesOf(shape).flatMap(({ properties = {} }) => {
    const child = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return child === undefined ? [] : formsAt(child, rest);
  });
}

/** A typo in a key must never pass for "not set": every object of a configuration schema has to be strict. */
export function assertStrictObjects(shape: Shape, path: string): void {
  for (const one of alternativesOf(shape)) {
    const { properties, additionalProperties, items } = one;
    if (properties !== undefined) assert.equal(additionalProperties, false, `${path} must be a strict object`);
    for (const [key, child] of Object.entries(properties ?? {})) assertStrictObjects(child, `${path}.${key}`);
    if (isShape(additionalProperties)) assertStrictObjects(additionalProperties, `${path}.<name>`);
    if (items !== undefined) assertStrictObjects(items, `${path}[]`);
  }
}

export function listFields(shape: Shape, name: string, envByPath: ReadonlyMap<string, string>): ConfigField[] {
  const byPath = new Map<string, ConfigField>();
  for (const field of fieldsOf({ shape, path: name, required: true })) {
    const known = byPath.get(field.path);
    const env = envByPath.get(field.path);
    const type = known === undefined || known.type === field.type ? field.type : `${known.type} | ${field.type}`;
    byPath.set(field.path, { ...known, ...field, type, ...(env === undefined ? {} : { env }) });
  }
  return [...byPath.values()];
}

interface Branch {
  readonly shape: Shape;
  readonly path: string;
  readonly required: boolean;
  /** Nearest part around it that may be absent. */
  readonly within?: string | undefined;
}

function fieldsOf(branch: Branch): ConfigField[] {
  const { shape, path, required } = branch;
  const within = required || shape.default !== undefined ? branch.within : path;
  const forms = alternativesOf(shape);
  const nested = forms.flatMap((form) => nestedFieldsOf(form, path, within));
  const isSection = nested.length > 0 && forms.every((form) => form.properties !== undefined);
  return isSection && shape.description === undefined ? nested : [toField(branch), ...nested];
}

function nestedFieldsOf(form: Form, path: string, within: string | undefined): ConfigField[] {
  const { properties = {}, required = [], additionalProperties, items } = form;
  const own = Object.entries(properties).flatMap(([key, shape]) =>
    fieldsOf({ shape, path: `${path}.${key}`, required: required.includes(key), within }),
  );
  const named = objectsOf(additionalProperties).flatMap((entry) => nestedFieldsOf(entry, `${path}.<name>`, path));
  const listed = objectsOf(items).flatMap((entry) => nestedFieldsOf(entry, `${path}[]`, path));
  return [...own, ...named, ...listed];
}

function toField({ shape, path, required, within }: Branch): ConfigField {
  const isRequired = required && shape.default === undefined;
  return {
    path,
    type: toTypeText(shape),
    required: isRequired && within === undefined,
    ...(isRequired && within !== undefined ? { requiredWithin: within } : {}),
    ...(shape.default === undefined ? {} : { default: JSON.stringify(shape.default) }),
    description: shape.description ?? '',
  };
}

function toTypeText(shape: Shape): string {
  return [...new Set(alternativesOf(shape).map(toFormText))].join(' | ');
}

function toFormText(form: Form): string {
  if (form.const !== undefined) return JSON.stringify(form.const);
  if (form.enum !== undefined) return form.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (form.type === 'array') return `list of ${toTypeText(form.items ?? {})}`;
  if (isShape(form.additionalProperties)) return `map of name to ${toTypeText(form.additionalProperties)}`;
  if (form.type === 'integer' || form.type === 'number') return form.type + toRangeText(form);
  if (form.format === 'uri') return 'URL';
  return form.type ?? 'anything';
}

function toRangeText(form: Form): string {
  // zod gives every integer the safe range; only a narrower bound is worth a word.
  const isTold = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;
  const { minimum, maximum, exclusiveMinimum } = form;
  if (isTold(minimum) && isTold(maximum)) return `, ${minimum} to ${maximum}`;
  if (isTold(minimum)) return `, at least ${minimum}`;
  if (isTold(exclusiveMinimum)) return `, above ${exclusiveMinimum}`;
  if (isTold(maximum)) return `, at most ${maximum}`;
  return '';
}

function objectsOf(shape: Shape | boolean | undefined): Form[] {
  return isShape(shape) ? alternativesOf(shape).filter(({ properties }) => properties !== undefined) : [];
}

function isShape(shape: Shape | boolean | undefined): shape is Shape {
  return typeof shape === 'object';
}
