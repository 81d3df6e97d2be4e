/** The options of single and multi selects, in each spelling that client/elicitation has for them. */
import { isJsonObject, type JsonObject } from '../json-object.js';
import { ENUM_OPTIONS_MAX, ENUM_VALUE_CHARS_MAX, FIELD_TITLE_CHARS_MAX } from '../limits.js';
import { isText } from './form-labels.js';

/** The values alone: `enum`. */
export function checkValues(values: unknown): string | undefined {
  if (!Array.isArray(values) || values.length === 0) return 'offers no options';
  if (values.length > ENUM_OPTIONS_MAX) return 'offers too many options';
  if (!values.every((value) => isText(value, ENUM_VALUE_CHARS_MAX)))
    return 'offers an option that is no string or too long';
  return new Set(values).size === values.length ? undefined : 'offers an option twice';
}

/** The 2025 spelling: titles beside the values, one for each. */
export function checkNames(field: JsonObject): string | undefined {
  const { enumNames } = field;
  if (enumNames === undefined) return undefined;
  const isParallel = Array.isArray(enumNames) && enumNames.length === (field.enum as readonly unknown[]).length;
  if (!isParallel) return 'has enumNames that do not match enum';
  return enumNames.every((name) => isText(name, FIELD_TITLE_CHARS_MAX))
    ? undefined
    : 'has an enumName that is no string or too long';
}

/** Values with their titles: `oneOf`, or `anyOf` in the items of a multi select. */
export function checkTitledOptions(options: unknown): string | undefined {
  if (!Array.isArray(options)) return 'offers no options';
  if (!options.every(isTitledOption)) return 'offers an option that is not a const and a title';
  return checkValues(options.map((option) => option.const));
}

function isTitledOption(option: unknown): option is { const: unknown; title: string } {
  return isJsonObject(option) && isText(option.title, FIELD_TITLE_CHARS_MAX) && Object.keys(option).length === 2;
}
