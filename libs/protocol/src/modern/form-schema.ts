/**
 * The schema of a form: a flat object whose properties are the few shapes that clients can draw (client/elicitation,
 * `PrimitiveSchemaDefinition`). Closed: a keyword that is not listed here is refused rather than ignored, because a
 * client that ignores it would let through what the author believes excluded.
 */
import { isJsonObject, ownMember, type JsonObject } from '../json-object.js';
import {
  ANSWER_TEXT_CHARS_MAX,
  ENUM_OPTIONS_MAX,
  ENUM_VALUE_CHARS_MAX,
  FIELD_DESCRIPTION_CHARS_MAX,
  FIELD_NAME_CHARS_MAX,
  FIELD_TITLE_CHARS_MAX,
  FORM_FIELDS_MAX,
  URI_CHARS_MAX,
} from '../limits.js';
import { checkFieldValue, optionValues } from './form-value.js';
import { asksForSecret } from './secret-fields.js';
import { isStringFormat } from './string-formats.js';

/** The subset itself, and three keywords that schema generators add and that say nothing we do not enforce anyway. */
const FORM_KEYWORDS = new Set(['$schema', 'type', 'properties', 'required', 'title', 'description', 'additionalProperties']);

interface Shape {
  readonly keywords: ReadonlySet<string>;
  /** Whether people type the value themselves, so that a secret could be asked for. */
  readonly isFree: boolean;
  readonly check: (field: JsonObject) => string | undefined;
}

const shape = (isFree: boolean, keywords: readonly string[], check: Shape['check']): Shape => ({
  keywords: new Set(['type', 'title', 'description', 'default', ...keywords]),
  isFree,
  check,
});

const TEXT = shape(true, ['minLength', 'maxLength', 'format'], checkText);
const NUMBER = shape(true, ['minimum', 'maximum'], checkNumber);
const BOOLEAN = shape(false, [], () => undefined);
const SELECT = shape(false, ['enum', 'enumNames'], (field) => checkValues(field.enum) ?? checkNames(field));
const TITLED_SELECT = shape(false, ['oneOf'], (field) => checkTitledOptions(field.oneOf));
const MULTI_SELECT = shape(false, ['items', 'minItems', 'maxItems'], checkMultiSelect);

/** @returns why the schema is not one a form may have, in words for the log; undefined when it is. */
export function checkFormSchema(schema: unknown): string | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object') return 'requestedSchema is not an object schema';
  const { properties } = schema;
  if (!isJsonObject(properties)) return 'requestedSchema has no properties';
  const names = Object.keys(properties);
  if (names.length > FORM_FIELDS_MAX) return 'the form has too many fields';
  return checkRoot(schema) ?? checkRequired(schema.required, properties) ?? firstReason(names, (name) => {
    if (name.length === 0 || name.length > FIELD_NAME_CHARS_MAX) return 'a field name is empty or too long';
    const reason = checkField(name, properties[name]);
    return reason === undefined ? undefined : `field ${JSON.stringify(name)} ${reason}`;
  });
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

function checkField(name: string, field: unknown): string | undefined {
  if (!isJsonObject(field)) return 'is not an object';
  const fieldShape = shapeOf(field);
  if (!fieldShape) return 'has no type that a form can show';
  const foreign = Object.keys(field).find((keyword) => !fieldShape.keywords.has(keyword));
  if (foreign !== undefined) return `uses ${quoted(foreign)}`;
  const reason = checkLabels(field) ?? fieldShape.check(field);
  if (reason !== undefined) return reason;
  if (fieldShape.isFree && asksForSecret(name, ownMember(field, 'title'))) return 'asks for a secret, which only url mode may';
  const misfit = Object.hasOwn(field, 'default') ? checkFieldValue(field, field.default) : undefined;
  return misfit === undefined ? undefined : `has a default that ${misfit}`;
}

function shapeOf(field: JsonObject): Shape | undefined {
  switch (field.type) {
    case 'string':
      if (Object.hasOwn(field, 'enum')) return SELECT;
      return Object.hasOwn(field, 'oneOf') ? TITLED_SELECT : TEXT;
    case 'number':
    case 'integer':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'array':
      return MULTI_SELECT;
    default:
      return undefined;
  }
}

function checkLabels(schema: JsonObject): string | undefined {
  const { title, description } = schema;
  if (title !== undefined && !isText(title, FIELD_TITLE_CHARS_MAX)) return 'has a title that is no string or too long';
  if (description !== undefined && !isText(description, FIELD_DESCRIPTION_CHARS_MAX)) {
    return 'has a description that is no string or too long';
  }
  return undefined;
}

function checkText(field: JsonObject): string | undefined {
  const { format } = field;
  if (format !== undefined && !isStringFormat(format)) return 'has a format that no form knows';
  return checkSizes(field, 'minLength', 'maxLength', ANSWER_TEXT_CHARS_MAX);
}

function checkNumber(field: JsonObject): string | undefined {
  const { minimum, maximum } = field;
  for (const bound of [minimum, maximum]) {
    if (bound !== undefined && !Number.isFinite(bound)) return 'has a bound that is not a number';
  }
  return (minimum as number) > (maximum as number) ? 'has a minimum above its maximum' : undefined;
}

function checkMultiSelect(field: JsonObject): string | undefined {
  const { items } = field;
  if (!isJsonObject(items)) return 'has no items';
  const isTitled = Object.hasOwn(items, 'anyOf');
  if (items.type !== 'string' && !(isTitled && items.type === undefined)) return 'has items that are not strings';
  const foreign = Object.keys(items).find((keyword) => keyword !== 'type' && keyword !== (isTitled ? 'anyOf' : 'enum'));
  if (foreign !== undefined) return `has items that use ${quoted(foreign)}`;
  const reason = isTitled ? checkTitledOptions(items.anyOf) : checkValues(items.enum);
  return reason ?? checkSizes(field, 'minItems', 'maxItems', (optionValues(items) ?? []).length);
}

/** Two counts, of which the lower one must be attainable. */
function checkSizes(field: JsonObject, min: string, max: string, attainable: number): string | undefined {
  const [lower, upper] = [field[min] ?? 0, field[max] ?? Number.MAX_SAFE_INTEGER];
  if (!isCount(lower) || !isCount(upper)) return `has a ${min} or ${max} that is not a count`;
  return lower > upper || lower > attainable ? `has a ${min} that nothing can meet` : undefined;
}

function checkValues(values: unknown): string | undefined {
  if (!Array.isArray(values) || values.length === 0) return 'offers no options';
  if (values.length > ENUM_OPTIONS_MAX) return 'offers too many options';
  if (!values.every((value) => isText(value, ENUM_VALUE_CHARS_MAX))) return 'offers an option that is no string or too long';
  return new Set(values).size === values.length ? undefined : 'offers an option twice';
}

/** The 2025 spelling: titles beside the values, one for each. */
function checkNames(field: JsonObject): string | undefined {
  const { enumNames } = field;
  if (enumNames === undefined) return undefined;
  const isParallel = Array.isArray(enumNames) && enumNames.length === (field.enum as readonly unknown[]).length;
  if (!isParallel) return 'has enumNames that do not match enum';
  return enumNames.every((name) => isText(name, FIELD_TITLE_CHARS_MAX)) ? undefined : 'has an enumName that is no string or too long';
}

function checkTitledOptions(options: unknown): string | undefined {
  if (!Array.isArray(options)) return 'offers no options';
  if (!options.every(isTitledOption)) return 'offers an option that is not a const and a title';
  return checkValues(options.map((option) => option.const));
}

function isTitledOption(option: unknown): option is { const: unknown; title: string } {
  return isJsonObject(option) && isText(option.title, FIELD_TITLE_CHARS_MAX) && Object.keys(option).length === 2;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown, charsMax: number): value is string {
  return typeof value === 'string' && value.length <= charsMax;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, FIELD_NAME_CHARS_MAX));
}

function firstReason<T>(items: readonly T[], check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = check(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
