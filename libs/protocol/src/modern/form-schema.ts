/**
 * The schema of a form: a flat object and nothing more (client/elicitation). Closed: a keyword that is not listed here
 * or for its field is refused rather than ignored, because a client that ignores it would let through what the author
 * believes excluded.
 */
import { isJsonObject, type JsonObject } from '../json-object.js';
import { FIELD_NAME_CHARS_MAX, FORM_FIELDS_MAX, URI_CHARS_MAX } from '../limits.js';
import { checkField } from './form-field.js';
import { checkLabels, isText, quoted } from './form-labels.js';

/** The subset itself, and three keywords that schema generators add and that say nothing we do not enforce anyway. */
const FORM_KEYWORDS = new Set([
  '$schema',
  'type',
  'properties',
  'required',
  'title',
  'description',
  'additionalProperties',
]);

/** @returns why the schema is not one a form may have, in words for the log; undefined when it is. */
export function checkFormSchema(schema: unknown): string | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object') return 'requestedSchema is not an object schema';
  const { properties } = schema;
  if (!isJsonObject(properties)) return 'requestedSchema has no properties';
  const names = Object.keys(properties);
  if (names.length > FORM_FIELDS_MAX) return 'the form has too many fields';
  return checkRoot(schema) ?? checkRequired(schema.required, properties) ?? checkFields(properties, names);
}

function checkRoot(schema: JsonObject): string | undefined {
  const foreign = Object.keys(schema).find((keyword) => !FORM_KEYWORDS.has(keyword));
  if (foreign !== undefined) return `requestedSchema uses ${quoted(foreign)}`;
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    return 'requestedSchema allows additionalProperties';
  }
  if (schema.$schema !== undefined && !isText(schema.$schema, URI_CHARS_MAX)) return '$schema is not a string';
  const reason = checkLabels(schema);
  return reason === undefined ? undefined : `requestedSchema ${reason}`;
}

function checkRequired(required: unknown, properties: JsonObject): string | undefined {
  if (required === undefined) return undefined;
  if (!Array.isArray(required)) return 'required is not a list';
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) {
    return 'required names a field that does not exist';
  }
  return new Set(required).size === required.length ? undefined : 'required names a field twice';
}

function checkFields(properties: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    if (name.length === 0 || name.length > FIELD_NAME_CHARS_MAX) return 'a field name is empty or too long';
    const reason = checkField(name, properties[name]);
    if (reason !== undefined) return `field ${JSON.stringify(name)} ${reason}`;
  }
  return undefined;
}
