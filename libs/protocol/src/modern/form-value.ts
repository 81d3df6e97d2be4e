/**
 * Whether a value fits a form field. For answers, which are a client's and trusted in nothing, and for the defaults of
 * the form itself. The field must have passed `checkFormSchema`. Reasons name the rule, never the value.
 */
import { isJsonObject, type JsonObject } from '../json-object.js';
import { ANSWER_TEXT_CHARS_MAX } from '../limits.js';
import { isStringFormat, matchesFormat } from './string-formats.js';

/** @returns the rule that the value breaks, in words; undefined when it breaks none. */
export function checkFieldValue(field: JsonObject, value: unknown): string | undefined {
  switch (field.type) {
    case 'string':
      return checkString(field, value);
    case 'number':
      return Number.isFinite(value) ? checkRange(field, value as number) : 'must be a number';
    case 'integer':
      return Number.isSafeInteger(value) ? checkRange(field, value as number) : 'must be an integer';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    default:
      return checkSelection(field, value);
  }
}

/** The values a select offers, whichever way it spells them; undefined when the schema is not a select. */
export function optionValues(schema: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  const titled = schema.oneOf ?? schema.anyOf;
  return Array.isArray(titled) ? titled.map((option) => (isJsonObject(option) ? option.const : undefined)) : undefined;
}

function checkString(field: JsonObject, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  const options = optionValues(field);
  if (options) return options.includes(value) ? undefined : 'must be one of the options';
  if (value.length > ANSWER_TEXT_CHARS_MAX) return 'is too long for any answer';
  const length = countCodePoints(value);
  if (isAbove(field.minLength, length)) return 'is shorter than minLength';
  if (isBelow(field.maxLength, length)) return 'is longer than maxLength';
  const { format } = field;
  return isStringFormat(format) && !matchesFormat(value, format) ? `is no ${format}` : undefined;
}

function checkRange(field: JsonObject, value: number): string | undefined {
  if (isAbove(field.minimum, value)) return 'is less than minimum';
  return isBelow(field.maximum, value) ? 'is more than maximum' : undefined;
}

function checkSelection(field: JsonObject, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  const options = isJsonObject(field.items) ? optionValues(field.items) : undefined;
  if (!value.every((item) => options?.includes(item))) return 'must hold only options';
  if (new Set(value).size !== value.length) return 'holds an option twice';
  if (isAbove(field.minItems, value.length)) return 'holds fewer than minItems';
  return isBelow(field.maxItems, value.length) ? 'holds more than maxItems' : undefined;
}

function isAbove(bound: unknown, actual: number): boolean {
  return typeof bound === 'number' && bound > actual;
}

function isBelow(bound: unknown, actual: number): boolean {
  return typeof bound === 'number' && bound < actual;
}

/** JSON Schema counts characters as code points (validation, section 6.3). */
function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1;
  return count;
}
