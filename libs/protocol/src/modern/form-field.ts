/**
 * One property of a form: one of the few shapes that clients can draw (client/elicitation,
 * `PrimitiveSchemaDefinition`), with bounds that can be met, a default that fits and no secret to type.
 */
import { isJsonObject, type JsonObject } from '../json-object.js';
import { ANSWER_TEXT_CHARS_MAX } from '../limits.js';
import { checkLabels, quoted } from './form-labels.js';
import { checkNames, checkTitledOptions, checkValues } from './form-options.js';
import { checkFieldValue, optionValues } from './form-value.js';
import { asksForSecret, describesSecret } from './secret-fields.js';
import { isStringFormat } from './string-formats.js';

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

/** @returns what is wrong with the field, in words that follow its name; undefined when nothing is. */
export function checkField(name: string, field: unknown): string | undefined {
  if (!isJsonObject(field)) return 'is not an object';
  const fieldShape = shapeOf(field);
  if (!fieldShape) return 'has no type that a form can show';
  const foreign = Object.keys(field).find((keyword) => !fieldShape.keywords.has(keyword));
  if (foreign !== undefined) return `uses ${quoted(foreign)}`;
  const reason = checkLabels(field) ?? fieldShape.check(field);
  if (reason !== undefined) return reason;
  if (fieldShape.isFree && (asksForSecret(name, field.title) || describesSecret(field.description)))
    return 'asks for a secret, which no form may: use url mode';
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

function checkText(field: JsonObject): string | undefined {
  const { format } = field;
  if (format !== undefined && !isStringFormat(format)) return 'has a format that no form knows';
  return checkSizes(field, ['minLength', 'maxLength'], ANSWER_TEXT_CHARS_MAX);
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
  return reason ?? checkSizes(field, ['minItems', 'maxItems'], (optionValues(items) ?? []).length);
}

/** Two counts, of which the lower one must be attainable. */
function checkSizes(field: JsonObject, keywords: readonly [string, string], attainable: number): string | undefined {
  const [min, max] = keywords;
  const [lower, upper] = [field[min] ?? 0, field[max] ?? Number.MAX_SAFE_INTEGER];
  if (!isCount(lower) || !isCount(upper)) return `has a ${min} or ${max} that is not a count`;
  return lower > upper || lower > attainable ? `has a ${min} that nothing can meet` : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
